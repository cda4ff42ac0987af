"""`damrak trial`: test on a ladder whether one version is better than another."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from damrak.cli.arguments import positive
from damrak.cli.console import err, out, remark
from damrak.cli.errors import FAILED, INTERRUPTED, OK, Misuse
from damrak.cli.ladders import add_site, answers, clean
from damrak.cli.parser import Commands, add_command, add_json

if TYPE_CHECKING:
    from rich.console import Console

    from damrak.ladder.site import Site

WORDS: Final = {
    "better": ("is better", "green"),
    "not better": ("is not better", "red"),
    "undecided": ("undecided after the maximum number of blocks", "yellow"),
    "cancelled": ("was not decided, because the test was cancelled", "yellow"),
}


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "trial",
        run,
        summary="test on a ladder whether a version is better than another",
        text="""
            Tests on mirrored blocks whether version N of your bot is better than version M of it,
            or than any live bot, by ELO1 rather than by ELO0. Shows the current estimate and the
            expected duration. The first blocks of a test have priority. The interval is valid at
            any time, so you can stop whenever you like. If you have both versions, `damrak play NEW
            OLD --sprt 0 30` is faster, because your own machine plays nothing else. Ctrl-C does not
            stop the test; --watch follows it again, --cancel ends it. The exit code is 0 if N is
            better, and 1 if it is not.""",
        examples=(
            "damrak trial my-bot 4 3",
            "damrak trial my-bot 4 house-planner --elo 0 20",
            "damrak trial my-bot 4 rival:2 --blocks 2000 --ladder amsterdam",
            "damrak trial --watch 17",
            "damrak trial --cancel 17",
        ),
    )
    parser.add_argument("bot", nargs="?", metavar="NAME", help="name of your bot")
    parser.add_argument(
        "candidate", nargs="?", type=positive, metavar="N", help="number of the version"
    )
    parser.add_argument(
        "baseline", nargs="?", metavar="M", help="another version of your bot, BOT, or BOT:VERSION"
    )
    parser.add_argument("--ladder", metavar="SLUG", default="", help="the ladder whose rules apply")
    parser.add_argument(
        "--elo",
        nargs=2,
        type=float,
        metavar=("ELO0", "ELO1"),
        default=(0.0, 30.0),
        help="the two Elo leads to distinguish (default: 0 30)",
    )
    parser.add_argument(
        "--blocks",
        type=positive,
        metavar="N",
        default=1000,
        help="maximum number of blocks (default: 1000)",
    )
    parser.add_argument("--watch", type=positive, metavar="ID", help="follow a running test")
    parser.add_argument("--cancel", type=positive, metavar="ID", help="cancel a test")
    parser.add_argument("--no-wait", action="store_true", help="exit when the test has started")
    add_site(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_site

    if args.watch is not None and args.cancel is not None:
        raise Misuse("--watch and --cancel cannot be combined")
    is_known = args.watch is not None or args.cancel is not None
    if is_known == (args.baseline is not None) or (is_known and args.bot is not None):
        raise Misuse("give NAME N M, --watch ID or --cancel ID (see: damrak trial --help)")
    order = None if is_known else _order(args)
    site = find_site(args.to, may_be_plain=args.insecure)
    if args.cancel is not None:
        return _end(args, site.post(f"trials/{args.cancel}/cancel"))
    trial = site.get(f"trials/{args.watch}") if order is None else site.post("trials", order)
    if args.no_wait:
        return _end(args, trial)
    return _follow(args, site, trial)


def _order(args: argparse.Namespace) -> dict[str, Any]:
    return {
        "candidate": {"bot": args.bot, "version": args.candidate},
        "baseline": _baseline(args.bot, args.baseline),
        "ladder": args.ladder,
        "elo0": args.elo[0],
        "elo1": args.elo[1],
        "most": args.blocks,
    }


def _baseline(bot: str, text: str) -> dict[str, Any]:
    if text.isascii() and text.isdigit():
        return {"bot": bot, "version": int(text)}
    name, colon, number = text.partition(":")
    if colon and not (number.isascii() and number.isdigit()):
        raise Misuse(f"{text!r}: write BOT:VERSION, such as rival:2")
    return {"bot": name, "version": int(number) if colon else None}


def _follow(args: argparse.Namespace, site: Site, begun: dict[str, Any]) -> int:
    console = err() if args.json else out()
    number, trial = int(begun["id"]), begun
    console.print(Text(f"test {number}: {_name(trial['candidate'])}, {_name(trial['baseline'])}"))
    told = -1
    try:
        for trial in answers(site, f"trials/{number}", begun):
            if told < 0:
                _tell_duration(console, trial)
            if trial["blocks"] != told:
                told = trial["blocks"]
                console.print(Text(_standing(trial)), soft_wrap=True)
            if trial["state"] != "running":
                break
    except KeyboardInterrupt:
        remark(f"it continues without this command: damrak trial --watch {number}")
        if args.json:
            _end(args, trial)
        return INTERRUPTED
    return _end(args, trial)


def _tell_duration(console: Console, trial: dict[str, Any]) -> None:
    if trial["state"] != "running":
        return
    expected = trial.get("expected")  # absent on older sites
    if expected is not None:
        low, high = _time(expected["seconds_low"]), _time(expected["seconds_high"])
        words = (
            f"expected to take {low} to {high}: {expected['blocks_low']} to "
            f"{expected['blocks_high']} more blocks of {_time(expected['seconds_per_block'])}, "
            f"with {expected['share']:.0%} of the capacity"
        )
    else:
        words = "its duration cannot be estimated yet: no host is running or no block is complete"
    console.print(Text(words), soft_wrap=True)
    bounds = f"{trial['elo0']:g} {trial['elo1']:g}"
    advice = f"faster on your own machine: damrak play NEW OLD --sprt {bounds}"
    console.print(Text(advice), soft_wrap=True)


def _time(seconds: float) -> str:
    """Return a duration in a suitable unit."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


def _left(trial: dict[str, Any]) -> str:
    expected = trial.get("expected")
    if expected is None or trial["state"] != "running":
        return ""
    return f"  {_time(expected['seconds_low'])} to {_time(expected['seconds_high'])} left"


def _standing(trial: dict[str, Any]) -> str:
    words = f"{trial['blocks']:>5} of {trial['most']} blocks"
    if trial["lead"] is not None:
        lead = trial["lead"]
        words += f"  Elo {lead['elo']:+.0f} ({lead['low']:+.0f} … {lead['high']:+.0f})"
    bounds = f"{trial['lower']:.2f} … {trial['upper']:.2f}"
    return f"{words}  LLR {trial['llr']:+.2f} ({bounds}){_left(trial)}"


def _end(args: argparse.Namespace, trial: dict[str, Any]) -> int:
    state = str(trial["state"])
    if args.json:
        print(json.dumps(trial))
    elif state in WORDS:
        words, style = WORDS[state]
        line = f"{_name(trial['candidate'])} {words} ({_standing(trial).strip()})"
        out().print(Text(line, style), soft_wrap=True)
    else:
        _tell_duration(out(), trial)
        out().print(Text(f"test {trial['id']} is running: damrak trial --watch {trial['id']}"))
    return FAILED if state == "not better" else OK


def _name(version: dict[str, Any]) -> str:
    return clean(f"{version['bot']} {version['version']}")

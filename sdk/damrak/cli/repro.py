"""`damrak repro`: rerun the failure of a bot, or put a bot into a seat of a match."""

from __future__ import annotations

import argparse
import json
import re
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from damrak.bundle import Bundle, Step, read_bundle
from damrak.cli.arguments import whole
from damrak.cli.console import err, out
from damrak.cli.errors import FAILED, OK, Misuse
from damrak.cli.match_source import (
    MatchSource,
    history_in,
    is_match_page,
    match_at,
    match_in,
    seat_in,
)
from damrak.cli.outcome import LINES_SHOWN, print_traceback
from damrak.cli.parser import Commands, add_command, add_json
from damrak.cli.repro_match import run_match
from damrak.hosting.driver import SeatPlan
from damrak.hosting.faults import BotFault, Chosen, Silence
from damrak.repro import Rerun, rerun
from damrak.specs import BotSpec, parse_spec
from damrak.study import question_of
from damrak_engine.seat_history import SeatHistory

REPLAY_MARK: Final = re.compile(rb'"format"\s*:\s*"damrak-replay/')
MARK_WITHIN: Final = 1 << 24  # bytes of a replay to search; its keys may be in any order


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "repro",
        run,
        summary="reproduce a failure, or replay a match with your bot",
        text="""
            When a bot fails, `damrak play` writes a repro bundle with all data that the bot had
            received. This command starts the bot again and sends it the same data, with the time
            control and the limits of the failed run. A bot that hangs is stopped at the same point,
            and its stack is shown. With --debug the bot runs without time limits, and the last call
            runs in the Python debugger, which also stops at uncaught exceptions. The exit code is 0
            if the bot no longer fails, and 1 if it does. If a match is given, by its page on a
            ladder or as a replay, your bot takes a seat in it: --from shows the position at an
            event, the recorded action, and the action that your bot chooses; --diff shows the first
            decision that differs (exit code 1). The bot is asked for all decisions of the seat, and
            the match always continues with the recorded one.""",
        examples=(
            "damrak repro damrak-faults/my_bot-crash-000003-0.json",
            "damrak repro damrak-faults/my_bot-crash-000003-0.json --debug",
            "damrak repro bundle.json --bot my_bot_fixed.py",
            "damrak repro https://ladder.example.org/matches/1033/ --bot my_bot --from 40",
            "damrak repro https://ladder.example.org/matches/1033/ --bot my_bot --diff",
            "damrak repro game.json --bot my_bot --seat 1 --diff --json",
        ),
    )
    parser.add_argument(
        "place", metavar="FILE|URL", help="a repro bundle, a replay, or the page of a match"
    )
    parser.add_argument(
        "--debug", action="store_true", help="run the last call in the Python debugger"
    )
    add_json(parser)
    parser.add_argument("--bot", metavar="BOT", help="use this bot instead of the original one")
    match = parser.add_argument_group("matches")
    match.add_argument(
        "--seat",
        metavar="N|NAME",
        help="number of the seat (the first is 0) or name of its bot (default: the seat of "
        "that is yours, or whose bot has the name of BOT)",
    )
    match.add_argument(
        "--from",
        type=whole,
        metavar="EVENT",
        dest="start",
        help="start at the first decision at or after this event (default: 0)",
    )
    match.add_argument("--all", action="store_true", help="show all decisions without waiting")
    match.add_argument(
        "--diff", action="store_true", help="show the first decision in which BOT differs"
    )
    match.add_argument(
        "--insecure", action="store_true", help="allow sending a token over unencrypted HTTP"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    source = _match(args.place, may_be_plain=args.insecure)
    if source is not None:
        return _run_match(args, source)
    for name in ("seat", "start", "all", "diff"):
        if getattr(args, name) not in (None, False):
            option = "--from" if name == "start" else f"--{name}"
            raise Misuse(f"{option} applies only to matches, but {args.place} is a repro bundle")
    return _run_bundle(args)


def _match(place: str, *, may_be_plain: bool) -> MatchSource | None:
    """Return the match at an address or in a replay, or None for a bundle."""
    if is_match_page(place):
        return match_at(place, may_be_plain=may_be_plain)
    path = Path(place)
    try:
        with path.open("rb") as file:
            is_replay = REPLAY_MARK.search(file.read(MARK_WITHIN)) is not None
    except OSError:
        return None  # reading it as a bundle reports the error
    return match_in(path) if is_replay else None


def _run_match(args: argparse.Namespace, source: MatchSource) -> int:
    if args.bot is None:
        raise Misuse("give the bot that takes the seat with --bot")
    if args.diff and (args.start is not None or args.all):
        raise Misuse("--diff cannot be combined with --from and --all")
    bot = parse_spec(args.bot)
    seat = seat_in(source, args.seat, bot)
    source, history = history_in(source, seat)
    args.start = args.start or 0
    if args.start >= len(source.replay.events):
        most = len(source.replay.events) - 1
        raise Misuse(f"--from {args.start}: this match has the events 0 to {most}")
    if args.debug:
        return _debug(source, history, args.start, bot)
    return run_match(args, source, history, bot)


def _debug(source: MatchSource, history: SeatHistory, start: int, bot: BotSpec) -> int:
    """Run the first decision at or after an event in the debugger."""
    later = [at for at, asked in enumerate(history.asked) if asked.event >= start]
    if not later:
        raise Misuse(f"--from {start}: the seat has no decision at or after this event")
    steps = tuple(
        Step(question_of(asked), Silence() if asked.action is None else Chosen(asked.action, None))
        for asked in history.asked[: later[0] + 1]
    )
    plan = SeatPlan(bot, history.seat, source.control, history.chance)
    bundle = Bundle(plan, history.rules, BotFault("", ""), "", steps)
    again = rerun(bundle, debug=True, bot=bot)
    if again.fault is not None:
        _print_fault(out(), f"{bot.name} failed", again.fault)
    return OK if again.fault is None else FAILED


def _run_bundle(args: argparse.Namespace) -> int:
    bundle = read_bundle(Path(args.place))
    then = bundle.plan.spec
    bot = parse_spec(args.bot or _spec_of(bundle))
    console = err() if args.json else out()
    console.print(_headline(bundle), soft_wrap=True)
    # A ladder names bots by numbers, which cannot be compared with versions here.
    is_from_here = then.path is not None or bot.is_house
    if is_from_here and not then.is_version(bot):
        console.print(Text(f"{bot.name} is not the version that failed", "yellow"))
    # The bot's output must not be mixed with the JSON object.
    with redirect_stdout(sys.stderr) if args.json else nullcontext():
        again = rerun(bundle, debug=args.debug, bot=bot)
    if again.changed is not None:
        changed = f"from decision {again.changed} on, its answers differ from the recorded ones"
        console.print(Text(changed, "yellow"))
    if again.fault is None:
        console.print(Text(f"{bot.name} no longer fails", "green"))
    else:
        same = "fails again" if again.repeats(bundle) else "fails, but differently"
        _print_fault(console, f"{bot.name} {same}", again.fault)
    if again.output.strip():
        console.print(Text(f"{bot.name} printed, at the end:", "bold"), soft_wrap=True)
        print_traceback(console, "\n".join(again.output.splitlines()[-LINES_SHOWN:]))
    if args.json:
        print(json.dumps(_report(bundle, again)))
    return OK if again.fault is None else FAILED


def _report(bundle: Bundle, again: Rerun) -> dict[str, Any]:
    return {
        "ok": again.fault is None,
        "repeats": again.repeats(bundle),
        "changed": again.changed,
        "then": asdict(bundle.fault),
        "now": again.fault and asdict(again.fault),
        "output": again.output,
    }


def _spec_of(bundle: Bundle) -> str:
    """Return the bot's spec with its full path: the bundle may be read from another folder."""
    spec = bundle.plan.spec
    if spec.path is None:
        return spec.text
    path = spec.folder if spec.is_folder else spec.path
    return f"{path}:{spec.class_name}" if spec.class_name else f"{path}"


def _headline(bundle: Bundle) -> Text:
    when = f"at its decision {len(bundle.steps)}" if bundle.steps else "before its first decision"
    if bundle.ending is not None:
        when = "after the end of the match"
    name, seat = bundle.plan.spec.name, bundle.plan.seat
    fault = f"{bundle.fault.reason}: {bundle.fault.detail}"
    return Text(f"{name} in seat {seat} failed {when}: {fault}")


def _print_fault(console: Console, words: str, fault: BotFault) -> None:
    console.print(Text(f"{words}: {fault.reason}: {fault.detail}", "red"), soft_wrap=True)
    if fault.traceback:
        console.print(Text(fault.traceback.rstrip()), soft_wrap=True)

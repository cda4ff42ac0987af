"""`damrak canary`: test a version in shadow games before it goes live."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from damrak.cli.arguments import positive
from damrak.cli.console import err, out, remark
from damrak.cli.errors import INTERRUPTED, OK, Misuse
from damrak.cli.ladders import add_site, answers, clean, version_id
from damrak.cli.parser import Commands, add_command, add_json

if TYPE_CHECKING:
    from damrak.ladder.site import Site

BLOCKS: Final = 24


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "canary",
        run,
        summary="let a version play shadow games before it goes live",
        text="""
            Lets a qualified version play shadow blocks against the bots of each ladder that your
            bot has entered, and shows its estimated rating. These games do not affect the ratings
            of other bots, and the live version continues to play. If the version is already a
            canary, it plays N more blocks. Ctrl-C does not stop the canary; --watch follows it
            again, --cancel ends it.""",
        examples=(
            "damrak canary my-bot 4",
            "damrak canary my-bot 4 --ladder amsterdam --blocks 100",
            "damrak canary my-bot 4 --watch --json",
            "damrak canary my-bot 4 --cancel",
        ),
    )
    parser.add_argument("bot", metavar="NAME", help="name of your bot")
    parser.add_argument("version", metavar="N", type=positive, help="number of the version")
    parser.add_argument("--ladder", metavar="SLUG", default="", help="only on this ladder")
    parser.add_argument(
        "--blocks",
        type=positive,
        metavar="N",
        default=BLOCKS,
        help=f"number of blocks on each ladder, from now on (default: {BLOCKS})",
    )
    parser.add_argument("--watch", action="store_true", help="follow the running games")
    parser.add_argument("--cancel", action="store_true", help="stop the canary on all ladders")
    parser.add_argument("--no-wait", action="store_true", help="exit when the canary has started")
    add_site(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_site

    if args.watch and args.cancel:
        raise Misuse("--watch and --cancel cannot be combined")
    site = find_site(args.to, may_be_plain=args.insecure)
    path = f"versions/{version_id(site, args.bot, args.version)}/canaries"
    if args.cancel:
        return _end(args, site.delete(path))
    if args.watch:
        canaries = site.get(path)
    else:
        canaries = site.post(path, {"ladder": args.ladder, "blocks": args.blocks})
    if args.no_wait:
        return _end(args, canaries)
    return _follow(args, site, path, canaries)


def _follow(args: argparse.Namespace, site: Site, path: str, begun: list[dict[str, Any]]) -> int:
    console = err() if args.json else out()
    told: list[str] = []
    canaries = begun
    try:
        for canaries in answers(site, path, begun):
            if not any(one["state"] == "running" for one in canaries):
                break
            lines = [_standing(one) for one in canaries]
            if lines != told:
                told = lines
                for line in lines:
                    console.print(Text(line), soft_wrap=True)
    except KeyboardInterrupt:
        remark(
            f"it continues without this command: damrak canary {args.bot} {args.version} --watch"
        )
        if args.json:
            _end(args, canaries)
        return INTERRUPTED
    return _end(args, canaries)


def _end(args: argparse.Namespace, canaries: list[dict[str, Any]]) -> int:
    if args.json:
        print(json.dumps(canaries))
        return OK
    name = f"{args.bot} {args.version}"
    for one in canaries:
        out().print(Text(f"{name} {clean(one['state'])}: {_standing(one)}"), soft_wrap=True)
    if not canaries:
        out().print(
            Text(f"{name} is not a canary; start one with: damrak canary {name}"), soft_wrap=True
        )
    elif all(one["state"] == "finished" for one in canaries):
        out().print(Text(f"to make it live: damrak live {name}"), soft_wrap=True)
    return OK


def _standing(canary: dict[str, Any]) -> str:
    words = f"{clean(canary['ladder'])}  {canary['played']:>4} of {canary['most']} blocks"
    if canary["elo"] is None:
        return words
    return f"{words}  Elo {canary['elo']:.0f} ({canary['low']:.0f} … {canary['high']:.0f})"

"""`damrak download`: save replays of a ladder as files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from damrak.cli.arguments import positive
from damrak.cli.console import remark
from damrak.cli.errors import FAILED, OK, Misuse
from damrak.cli.ladders import add_site
from damrak.cli.parser import Commands, add_command
from damrak.cli.played import FILTERS, MORE_FILTERS, add_filters, add_output, matches

if TYPE_CHECKING:
    from damrak.ladder.site import Site


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "download",
        run,
        summary="save replays of a ladder as files",
        text="""
            Saves replays as match-ID.json, by the numbers of matches or by filters. Each replay is
            checked: it must be complete, and the one that the match names. Files that exist are
            not downloaded again, so an interrupted download continues where it stopped. Exit code
            1 means that a match has no replay, or a damaged one.""",
        examples=(
            "damrak download 8123 8124",
            "damrak download --bot my-bot --limit 100 --into replays",
            "damrak verify replays/match-8123.json",
        ),
    )
    parser.add_argument("ids", metavar="MATCH", type=positive, nargs="*", help="numbers of matches")
    parser.add_argument(
        "--into", metavar="DIR", type=Path, default=Path(), help="the folder (default: this one)"
    )
    add_filters(parser)
    parser.add_argument(
        "--limit", metavar="N", type=positive, default=20, help="at most N matches (default: 20)"
    )
    add_site(parser)
    add_output(parser, "match")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_address
    from damrak.ladder.site import Site

    filters = [name for name in (*FILTERS, *MORE_FILTERS) if getattr(args, name) is not None]
    if bool(args.ids) == bool(filters):
        raise Misuse("name matches by their numbers, or select them by filters such as --bot NAME")
    site = Site(find_address(args.to, may_be_plain=args.insecure))
    if args.into.exists() and not args.into.is_dir():
        raise Misuse(f"{args.into} is not a folder; choose another one with --into")
    args.into.mkdir(parents=True, exist_ok=True)
    reports = []
    for match in _wanted(site, args):
        report = _save(site, match, args.into)
        reports.append(report)
        if args.ndjson:
            print(json.dumps(report), flush=True)
        elif report["problem"]:
            remark(f"match {report['match']}: {report['problem']}")
        elif not args.json:
            print(report["file"], flush=True)
    if args.json:
        print(json.dumps(reports))
    return FAILED if any(report["problem"] for report in reports) else OK


def _wanted(site: Site, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    if not args.ids:
        yield from matches(site, args, args.limit)
    for number in args.ids:
        yield site.get(f"matches/{number}")


def _save(site: Site, match: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Save the replay of a match, if it is not there; return what was done."""
    from damrak.atomic import write_atomically
    from damrak.ladder.site import SiteRefusal
    from damrak_engine.errors import ReplayError
    from damrak_engine.verify import verify

    number, known = int(match["id"]), match["replay"]
    file = folder / f"match-{number}.json"
    report: dict[str, Any] = {"match": number, "file": str(file), "new": False, "problem": ""}
    if known is None:
        return {**report, "file": None, "problem": f"it is {match['state']} and has no replay yet"}
    try:
        if file.exists() and verify(file.read_bytes()).hash == known:
            return report
    except ReplayError:
        pass  # it is replaced
    try:
        data = site.download(f"matches/{number}/replay", hash=known)
        if verify(data).hash != known:
            return {**report, "file": None, "problem": "the site sent another replay"}
    except SiteRefusal as refusal:
        return {**report, "file": None, "problem": str(refusal)}
    except ReplayError as problem:
        return {**report, "file": None, "problem": f"its replay is damaged: {problem}"}
    write_atomically(file, data)
    return {**report, "new": True}

"""Shared code of the commands that read lists from a ladder: filters, pages and output."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from damrak.cli.arguments import positive
from damrak.cli.ladders import clean

if TYPE_CHECKING:
    from damrak.ladder.site import Site

PAGE: Final = 200
FILTERS: Final = ("bot", "version", "owner", "opponent", "ladder", "board", "seats", "since")
MORE_FILTERS: Final = ("until", "result", "fault", "state")
COLLECTIONS: Final = {
    "bot": "bots",
    "opponent": "bots",
    "version": "versions",
    "owner": "authors",
    "ladder": "ladders",
}
"""The filters that name something, and where the API has it."""

FAULTS: Final = (
    *("any", "none"),
    *("timeout", "crash", "disconnect", "illegal", "memory", "protocol"),
)
"""The values of `--fault`; the reasons are those of `damrak_engine.events`."""


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add the filters of matches."""
    group = parser.add_argument_group("filters, all of which must hold")
    group.add_argument("--bot", metavar="NAME", help="with this bot")
    group.add_argument("--version", metavar="ID", type=positive, help="with the version of this id")
    group.add_argument("--owner", metavar="USER", help="with a bot of this author")
    group.add_argument("--opponent", metavar="NAME", help="with this other bot at the table")
    group.add_argument("--ladder", metavar="NAME", help="on this ladder")
    group.add_argument("--board", metavar="NAME", help="on this board")
    group.add_argument("--seats", type=int, choices=(2, 3, 4), help="with this many players")
    group.add_argument("--since", metavar="TIME", help="finished at this time or later (ISO 8601)")
    group.add_argument("--until", metavar="TIME", help="finished before this time")
    group.add_argument(
        "--result", choices=("won", "tied", "lost"), help="won, tied or lost by --bot"
    )
    group.add_argument(
        "--fault",
        metavar="REASON",
        choices=FAULTS,
        help=f"with a fault: any, none, or its reason ({', '.join(FAULTS[2:])})",
    )
    group.add_argument(
        "--state",
        choices=("recorded", "running", "waiting", "dead"),
        help="in this state (default: recorded)",
    )


def add_output(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options for output as JSON."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="print one JSON document")
    group.add_argument(
        "--ndjson", action="store_true", help=f"print one JSON object per line for each {what}"
    )


def matches(site: Site, args: argparse.Namespace, limit: int | None) -> Iterator[dict[str, Any]]:
    """Yield the matches that meet the filters, newest first, page after page."""
    return islice(_pages(site, args, limit), limit)


def _pages(site: Site, args: argparse.Namespace, limit: int | None) -> Iterator[dict[str, Any]]:
    names = (*FILTERS, *MORE_FILTERS)
    query = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    query["limit"] = PAGE if limit is None else min(limit, PAGE)
    cursor: str | None = ""
    is_empty = True
    while cursor is not None:
        found = site.get("matches", **query, cursor=cursor)
        is_empty = is_empty and not found["items"]
        yield from found["items"]
        cursor = found["next_cursor"]
    if is_empty:
        check_names(site, query)


def check_names(site: Site, query: Mapping[str, Any]) -> None:
    """Check whether what the filters name exists, so that a typing error is not an empty list.

    Raises:
        LadderError: the ladder does not know a name.
    """
    from damrak.ladder.site import part

    for name, collection in COLLECTIONS.items():
        if query.get(name) is not None:
            site.get(f"{collection}/{part(str(query[name]))}")


def print_json(rows: Iterable[dict[str, Any]], args: argparse.Namespace) -> bool:
    """Print rows as JSON if that was asked for; return whether it was."""
    if args.ndjson:
        for row in rows:
            print(json.dumps(row), flush=True)
    elif args.json:
        print(json.dumps(list(rows)))
    return bool(args.ndjson or args.json)


def match_line(match: dict[str, Any]) -> str:
    """Return one line about a match: its seats by place, and faults."""
    seats = sorted(match["seats"], key=lambda seat: (seat["place"] or 9, seat["seat"]))
    shown = "  ".join(
        f"{seat['place'] or '-'}. {clean(seat['bot'])} v{seat['version']}"
        + ("" if seat["points"] is None else f" {seat['points']}")
        + (f" ({clean(seat['fault'])})" if seat["fault"] else "")
        for seat in seats
    )
    when = clean(match["finished"] or match["state"])[:16].replace("T", " ")
    return f"{match['id']:>15}  {when:16}  {shown}"

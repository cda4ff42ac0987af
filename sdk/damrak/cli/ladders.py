"""What the commands that speak with a ladder have in common: which one, and how it is said."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from damrak.cli.console import remark
from damrak.ladder.words import plain

if TYPE_CHECKING:
    from damrak.ladder.site import Site

EVERY: Final = 3.0  # seconds
STATES: Final = {
    "checking": "yellow",
    "qualifying": "yellow",
    "qualified": "green",
    "failed": "red",
    "benched": "red",
}


def add_site(parser: argparse.ArgumentParser) -> None:
    """The options that say which ladder it is."""
    parser.add_argument(
        "--to", metavar="URL", help="the ladder's site (default: that of the last login)"
    )
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="let the token go over plain http, which anybody in between can read",
    )


def clean(text: object) -> str:
    """What a site says, in one line, without anything that a terminal would obey."""
    return plain(str(text))


def version_id(site: Site, bot: str, number: int) -> int:
    """What the site calls this version of a bot.

    Raises:
        LadderError: it has none of that number, or the site says no.
    """
    from damrak.errors import LadderError
    from damrak.ladder.site import part

    for version in site.get(f"bots/{part(bot)}/versions", limit=1000):
        if version["number"] == number:
            return int(version["id"])
    raise LadderError(f"{clean(bot)} has no version {number}; damrak versions {clean(bot)}")


def answers(site: Site, path: str, first: Any) -> Iterator[Any]:
    """What the site has answered, then what it answers now, for as long as it is asked."""
    from damrak.ladder.site import SiteAway

    yield first
    while True:
        time.sleep(EVERY)  # a test or a canary takes minutes
        try:
            yield site.get(path)
        except SiteAway as trouble:
            remark(f"{trouble} (trying again)")


def version_line(version: dict[str, Any]) -> Text:
    """A version in one line."""
    state = clean(version["state"])
    line = Text.assemble(
        (f"{version['number']:>4}  ", "bold"),
        (f"{state:10}", STATES.get(state, "")),
        f"  {clean(version['created'])[:16].replace('T', ' ')}",
        f"  {clean(version['language'] or version['kind'])}",
    )
    if version["is_live"]:
        line.append("  live", "bold green")
    if version["note"]:
        line.append(f"  {clean(version['note'])}", "italic")
    if version["reason"]:
        line.append(f"  {clean(version['reason'])}", "red")
    return line

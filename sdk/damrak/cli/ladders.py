"""Shared code of the commands for ladders: options, polling and output."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from damrak.cli.console import remark
from damrak.ladder.safe_text import plain

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
    """Add the options that select the ladder."""
    parser.add_argument(
        "--to", metavar="URL", help="URL of the ladder (default: the one of the last login)"
    )
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="allow sending the token over unencrypted HTTP",
    )


def clean(text: object) -> str:
    """Return a text from a site as one line, without control characters."""
    return plain(str(text))


def version_id(site: Site, bot: str, number: int) -> int:
    """Return the id that the site assigns to this version of a bot.

    Raises:
        LadderError: the bot has no such version, or the site refuses.
    """
    from damrak.errors import LadderError
    from damrak.ladder.site import part

    for version in site.get(f"bots/{part(bot)}/versions", limit=1000):
        if version["number"] == number:
            return int(version["id"])
    raise LadderError(f"{clean(bot)} has no version {number}; damrak versions {clean(bot)}")


def answers(site: Site, path: str, first: Any) -> Iterator[Any]:
    """Yield the first answer of the site, then poll it for new ones until the caller stops."""
    from damrak.ladder.site import SiteAway

    yield first
    while True:
        time.sleep(EVERY)  # a test or a canary takes minutes
        try:
            yield site.get(path)
        except SiteAway as trouble:
            remark(f"{trouble} (trying again)")


def version_line(version: dict[str, Any]) -> Text:
    """Return one line about a version."""
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

"""A bot's name on a ladder, and the place of a remote bot in the ladder's lobby."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from damrak.errors import LadderError
from damrak.ladder.safe_text import plain
from damrak.ladder.site import Site, SiteRefusal

LONGEST_NAME: Final = 40
_SLUG: Final = re.compile("[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Place:
    """The lobby for a remote bot, its token, and its version."""

    lobby: str
    token: str
    version: dict[str, Any]


def check_name(name: str) -> str:
    """Return the name if it is valid for a bot on a ladder.

    Raises:
        LadderError: it is not valid.
    """
    if not _SLUG.fullmatch(name) or len(name) > LONGEST_NAME:
        raise LadderError(
            f"{name!r}: the name of a bot has up to {LONGEST_NAME} lower-case letters, digits "
            "and inner hyphens, such as my-bot"
        )
    return name


def name_like(text: str) -> str | None:
    """Return the valid name most similar to a text, or None if there is none."""
    name = re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST_NAME].strip("-")
    return name or None


def ensure_bot(site: Site, name: str) -> bool:
    """Create a bot of this name if it does not exist; returns whether it was created.

    Raises:
        LadderError: the site refuses or cannot be reached.
    """
    try:
        site.get(f"bots/{name}")
    except SiteRefusal as refusal:
        if refusal.status != 404:
            raise
        site.post("bots", {"slug": name})
        return True
    return False


def take_place(site: Site, name: str, software: str) -> Place:
    """Register local software as a version of a bot, unless it is the latest version already.

    Raises:
        LadderError: the site refuses, cannot be reached, or has no lobby at the moment.
    """
    said = site.post(f"bots/{name}/remote", {"software": software})
    lobbies = said["lobbies"]
    if not lobbies:
        raise LadderError(
            f"{site.address.text}: no referee of this ladder accepts remote bots at the moment; "
            "try again later"
        )
    return Place(plain(str(lobbies[0])), str(said["token"]), said["version"])

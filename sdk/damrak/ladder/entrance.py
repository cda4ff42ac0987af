"""A bot's name on a ladder, and a place in its lobby for one that runs here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from damrak.errors import LadderError
from damrak.ladder.site import Site, SiteRefusal
from damrak.ladder.words import plain

LONGEST_NAME: Final = 40
_SLUG: Final = re.compile("[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a remote bot connects, with which token, and as which version."""

    lobby: str
    token: str
    version: dict[str, Any]


def check_name(name: str) -> str:
    """The name, if a bot on a ladder can have it.

    Raises:
        LadderError
    """
    if not _SLUG.fullmatch(name) or len(name) > LONGEST_NAME:
        raise LadderError(
            f"{name!r}: a bot's name is up to {LONGEST_NAME} lower-case letters, digits and inner "
            "hyphens, my-bot for example"
        )
    return name


def name_like(text: str) -> str | None:
    """The name nearest to a text, if there is one."""
    name = re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST_NAME].strip("-")
    return name or None


def ensure_bot(site: Site, name: str) -> bool:
    """Have a bot of this name; whether it was made now.

    Raises:
        LadderError
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
    """Register what runs here as a version of a bot, unless it is the newest one already.

    Raises:
        LadderError
    """
    said = site.post(f"bots/{name}/remote", {"software": software})
    lobbies = said["lobbies"]
    if not lobbies:
        raise LadderError(
            f"{site.address.text}: no referee of this ladder takes remote bots just now; "
            "try again later"
        )
    return Place(plain(str(lobbies[0])), str(said["token"]), said["version"])

"""Loading a finished match, from a replay file or from a ladder's match page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from damrak.cli.errors import Misuse
from damrak.cli.files import read_replay
from damrak.errors import LadderError
from damrak.specs import BotSpec
from damrak_engine.clock import TimeControl
from damrak_engine.errors import MatchError, ReplayError
from damrak_engine.replay import Player, Replay, parse_replay
from damrak_engine.seat_history import SeatHistory, history_of

_PAGE: Final = re.compile(r"/matches/(\d{1,18})(?:[/?#]|$)")
_UNLIMITED: Final = TimeControl(decision_ms=None, bank_ms=2**31 - 1)


@dataclass(frozen=True, slots=True)
class MatchSource:
    """A replay, its time control, and the account that reads it, if known."""

    name: str
    replay: Replay
    control: TimeControl
    user: str | None = None


def is_match_page(place: str) -> bool:
    """Return whether this is the address of a match rather than a file."""
    return "://" in place


def match_at(url: str, *, may_be_plain: bool = False) -> MatchSource:
    """Return the match of this page.

    A finished match is public. If the site requires authentication, the token of its login is used,
    if there is one.

    Raises:
        Misuse: it is not the address of a match.
        LadderError: the site cannot be reached, or has no replay of it.
    """
    from damrak.ladder.address import parse_site
    from damrak.ladder.login import find_site
    from damrak.ladder.site import Site, SiteRefusal

    found = _PAGE.search(url)
    if found is None:
        raise Misuse(f"{url}: not the address of a match, https://host/matches/123/")
    site = Site(parse_site(url, may_be_plain=True))
    user = None
    try:
        known = find_site(url, may_be_plain=may_be_plain)
        user = str(known.get("me")["username"])
        site = known
    except (LadderError, KeyError, TypeError):
        pass  # not logged in; a public match does not need it
    number = int(found[1])
    try:
        match: dict[str, Any] = site.get(f"matches/{number}")
        data = json.dumps(site.get(f"matches/{number}/replay")).encode()
    except SiteRefusal as refusal:
        if refusal.status in (401, 403) and user is None:
            raise LadderError(f"{refusal}; log in: damrak login --to {site.address.text}") from None
        raise
    return MatchSource(f"match {number}", _parsed(url, data), _control(url, match), user)


def match_in(path: Path) -> MatchSource:
    """Return the match in a replay file, which does not contain its time control.

    Raises:
        Misuse: it contains no replay.
        OSError: it cannot be read.
    """
    try:
        return MatchSource(path.name, _parsed(str(path), read_replay(path)), TimeControl())
    except ReplayError as wrong:
        raise Misuse(f"{path}: {wrong}") from None


def history_in(source: MatchSource, seat: int) -> tuple[MatchSource, SeatHistory]:
    """Return the history of a seat, and the source with a matching time control.

    Raises:
        Misuse: the replay is not consistent.
    """
    try:
        return source, history_of(source.replay, seat, source.control)
    except ReplayError:
        pass  # it may have been played with a more generous time control
    generous = MatchSource(source.name, source.replay, _UNLIMITED, source.user)
    try:
        return generous, history_of(source.replay, seat, _UNLIMITED)
    except ReplayError as wrong:
        raise Misuse(f"{source.name}: {wrong}") from None


def seat_in(source: MatchSource, wanted: str | None, bot: BotSpec) -> int:
    """Return the seat with this number or this bot's name.

    If `wanted` is None, return the only seat of the account that is logged in, or else the only one
    of a bot with the name of the local one.

    Raises:
        Misuse: there is no such seat, or there are several.
    """
    from damrak.ladder.registration import name_like

    players = source.replay.seats
    if wanted is not None:
        if wanted.isascii() and wanted.isdecimal():
            if int(wanted) < len(players):
                return int(wanted)
            raise Misuse(f"--seat {wanted}: this match has the seats 0 to {len(players) - 1}")
        if (found := _only(players, lambda it: it.bot == wanted)) is not None:
            return found
        raise Misuse(f"--seat {wanted}: not the name of exactly one seat; {_seats(players)}")
    if source.user is not None:
        found = _only(players, lambda it: it.owner == source.user)
        if found is not None:
            return found
    name = name_like(bot.name.partition(":")[0])
    found = _only(players, lambda it: name is not None and name_like(it.bot) == name)
    if found is not None:
        return found
    raise Misuse(f"--seat: which one? {_seats(players)}")


def _only(players: tuple[Player, ...], fits: Callable[[Player], bool]) -> int | None:
    found = [seat for seat, player in enumerate(players) if fits(player)]
    return found[0] if len(found) == 1 else None


def _seats(players: tuple[Player, ...]) -> str:
    from damrak.ladder.safe_text import plain

    return ", ".join(f"{seat}: {plain(player.bot)}" for seat, player in enumerate(players))


def _parsed(place: str, data: bytes) -> Replay:
    try:
        return parse_replay(data)
    except ReplayError as wrong:
        raise Misuse(f"{place}: {wrong}") from None


def _control(url: str, match: dict[str, Any]) -> TimeControl:
    known = {field.name for field in fields(TimeControl)}
    try:
        return TimeControl(**{k: v for k, v in match["control"].items() if k in known})
    except (MatchError, KeyError, TypeError, AttributeError):
        raise LadderError(f"{url}: this is not the URL of a ladder") from None

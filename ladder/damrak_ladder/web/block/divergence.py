"""The events at which the mirrored games of a block diverge, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404

from damrak_ladder.matches.models import Match
from damrak_ladder.profiles import divergence
from damrak_ladder.web.replays.context import named
from damrak_ladder.web.replays.sources import document, names_among
from damrak_ladder.web.replays.viewpoints import ALL
from damrak_ladder.web.replays.words import sentence, words


@dataclass(frozen=True, slots=True)
class Side:
    """The event of one of two matches at which they diverge."""

    match: Match
    text: str


@dataclass(frozen=True, slots=True)
class Divergence:
    """Two matches with the same cards; `at` is the first event that differs, None if none does."""

    first: Side
    second: Side
    at: int | None
    turn: int

    @property
    def sides(self) -> tuple[Side, Side]:
        """Return both matches."""
        return self.first, self.second


def divergences(matches: Sequence[Match], seats: int) -> list[Divergence]:
    """Return where each match of a mirrored block diverges from the first of its round."""
    found = []
    for one in divergence.divergences(matches, seats):
        try:
            found.append(_worded(one))
        except Http404:  # the replay cannot be parsed
            continue
    return found


def _worded(one: divergence.Divergence) -> Divergence:
    mine, theirs = _document(one.first), _document(one.second)
    return Divergence(
        Side(one.first, _text(mine, one.at)),
        Side(one.second, _text(theirs, one.at)),
        one.at,
        int(_values(mine, one.at or 0).get("turn") or 0),
    )


def _document(match: Match) -> dict[str, Any]:
    seats = sorted(match.seats.all(), key=lambda seat: seat.number)
    return named(document(match, ALL), names_among([seat.version for seat in seats]))


def _values(shown: Mapping[str, Any], at: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for _event, changes in shown["moments"][: at + 1]:
        values |= changes
    return values


def _text(shown: dict[str, Any], at: int | None) -> str:
    if at is None or at >= len(shown["moments"]):
        return ""
    return sentence(words(), shown, shown["moments"][at][0], _values(shown, at))

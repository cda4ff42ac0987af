"""Where the mirrored games of a block diverge: same cards, first different decision.

In all matches of one round the seats have the same cards and the same turn; only the bots have
changed places. So up to some decision the matches are identical event by event, and at that
decision two bots with the same knowledge decided differently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404

from damrak_ladder.matches.models import Match
from damrak_ladder.web.replays.context import named
from damrak_ladder.web.replays.sources import document, is_over, names_among
from damrak_ladder.web.replays.viewpoints import ALL
from damrak_ladder.web.replays.words import sentence, words

_BESIDE = frozenset({"ms", "note"})  # not part of a decision


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
    """Compare each match of a mirrored block with the first match of its round.

    Matches whose replay is lost are left out.
    """
    found = []
    for match in matches:
        first = matches[match.number // seats * seats]
        if match.pk == first.pk or not (is_over(first) and is_over(match)):
            continue
        try:
            found.append(_compared(first, match))
        except Http404:
            continue
    return [one for one in found if one is not None]


def parting(one: Sequence[Any], other: Sequence[Any]) -> int | None:
    """Return the index of the first moment that differs; None if there is none."""
    for at, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if _deed(mine[0]) != _deed(theirs[0]):
            return at
    shorter = min(len(one), len(other))
    return shorter if len(one) != len(other) and shorter else None


def _deed(event: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name not in _BESIDE}


def _compared(first: Match, second: Match) -> Divergence | None:
    mine, theirs = _document(first), _document(second)
    at = parting(mine["moments"], theirs["moments"])
    if at == 0:
        return None  # different cards: nothing to compare
    values = _values(mine, at or 0)
    return Divergence(
        Side(first, _text(mine, at)),
        Side(second, _text(theirs, at)),
        at,
        int(values.get("turn") or 0),
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

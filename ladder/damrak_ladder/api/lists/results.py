"""Results of one side of a match or block."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from damrak_ladder.matches.models import Match, Seat


def match_result(match: Match, versions: Collection[int] | None) -> str | None:
    """Return the result of these versions, or of the winner, in a match; None if it has none."""
    seats = _recorded(match)
    own = [seat.result.place for seat in seats if versions is None or seat.version_id in versions]
    if not own:
        return None
    if min(own) > 1:
        return "lost"
    return "won" if sum(seat.result.place == 1 for seat in seats) == 1 else "tied"


def block_result(matches: Sequence[Match], versions: Collection[int] | None) -> str | None:
    """Return the result of these versions, or of the best, by the share of first places."""
    wins: dict[int, Fraction] = {}
    for match in matches:
        seats = _recorded(match)
        firsts = [seat.version_id for seat in seats if seat.result.place == 1]
        for seat in seats:
            wins.setdefault(seat.version_id, Fraction(0))
        for version in firsts:
            wins[version] += Fraction(1, len(firsts))
    own = [won for version, won in wins.items() if versions is None or version in versions]
    if not own:
        return None
    best = max(wins.values())
    if max(own) < best:
        return "lost"
    return "won" if list(wins.values()).count(best) == 1 else "tied"


def has_fault(match: Match, versions: Collection[int] | None, reason: str) -> bool:
    """Return whether one of these versions has a fault in a match; `any` is any reason."""
    faults = [
        seat.result.fault
        for seat in _recorded(match)
        if versions is None or seat.version_id in versions
    ]
    return any(faults) if reason in ("any", "none") else reason in faults


def _recorded(match: Match) -> list[Seat]:
    return [seat for seat in match.seats.all() if hasattr(seat, "result")]

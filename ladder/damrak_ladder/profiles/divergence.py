"""Where the mirrored games of a block diverge: same cards, first different decision.

In all matches of one round the seats have the same cards and the same turn; only the bots have
changed places. So up to some decision the matches are identical event by event, and at that
decision two bots with the same knowledge decided differently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from damrak_engine.replay import read_object
from damrak_ladder.matches.models import Match
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.publication import is_over
from damrak_ladder.replays.storage import load

Event: TypeAlias = dict[str, Any]

_BESIDE: Final = frozenset({"ms", "note"})  # not part of a decision


@dataclass(frozen=True, slots=True)
class Divergence:
    """Two matches with the same cards; `at` is the first event that differs, None if none does.

    `events` are this event of both matches; None after the end of a match.
    """

    first: Match
    second: Match
    at: int | None
    events: tuple[Event | None, Event | None]


def divergences(matches: Sequence[Match], seats: int) -> Iterator[Divergence]:
    """Compare each match of a mirrored block with the first match of its round.

    Matches whose replay is lost are left out.
    """
    for match in matches:
        first = matches[match.number // seats * seats]
        if match.pk == first.pk or not (is_over(first) and is_over(match)):
            continue
        try:
            mine, theirs = _events(first.replay), _events(match.replay)
        except ReplayStoreError:
            continue
        at = parting(mine, theirs)
        if at != 0:  # with different cards there is nothing to compare
            yield Divergence(first, match, at, (_event(mine, at), _event(theirs, at)))


def parting(one: Sequence[Event], other: Sequence[Event]) -> int | None:
    """Return the index of the first event that differs; None if there is none."""
    for at, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if _deed(mine) != _deed(theirs):
            return at
    shorter = min(len(one), len(other))
    return shorter if len(one) != len(other) and shorter else None


def _deed(event: Event) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name not in _BESIDE}


def _event(events: Sequence[Event], at: int | None) -> Event | None:
    return None if at is None or at >= len(events) else events[at]


@lru_cache(maxsize=64)
def _events(hash_: str) -> Sequence[Event]:
    found: Sequence[Event] = read_object(load(hash_))["events"]
    return found

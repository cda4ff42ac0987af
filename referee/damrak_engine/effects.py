"""What comes out of the arbiter: effects, which its host carries out in order, and fault records.

An effect names the seat it is for, except the last two, which are for everyone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from damrak_engine.clock import TimeLeft
from damrak_engine.errors import MatchError
from damrak_engine.events import (
    FAULTS,
    Decision,
    End,
    Event,
    Fault,
    Flush,
    LastRound,
    Refill,
    Reshuffle,
    seen_by,
)
from damrak_engine.observation import Observation
from damrak_engine.scoring import Result

Owner = Literal["bot", "host", "network"]  # whose fault a fault is
OWNERS: tuple[Owner, ...] = get_args(Owner)
DETAIL_LIMIT = 500  # code points of a fault's detail
_OPEN_TO_ALL = (Refill, Reshuffle, Flush, LastRound, End)
_OF_ONE_SEAT = (Decision, Fault)

Why = Literal[
    "answered",  # the seat's answer to this decision was accepted before
    "late",  # the seat had failed by then, this decision unanswered
    "foreign",  # another seat was asked
    "unknown",  # nobody was asked (yet)
    "over",  # the match was declared void while it was open
]


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask this seat to decide; the clock is running. The same id again is the same question."""

    seat: int
    decision: int
    observation: Observation
    legal: list[int]
    time_left: TimeLeft


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell this seat what has happened, as it may see it."""

    seat: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """Tell this seat that its action was illegal: it still owes this decision."""

    seat: int
    decision: int
    reason: str
    time_left: TimeLeft
    strikes_left: int


@dataclass(frozen=True, slots=True)
class Stale:
    """Tell this seat that its answer changed nothing; a repeated answer needs no remedy."""

    seat: int
    decision: int
    why: Why


@dataclass(frozen=True, slots=True)
class Finished:
    """The match is over and counts."""

    result: Result


@dataclass(frozen=True, slots=True)
class Voided:
    """The match ends without a result and counts for nothing."""

    owner: Owner
    detail: str


Effect = Ask | Tell | Rejected | Stale | Finished | Voided


@dataclass(frozen=True, slots=True)
class FaultRecord:
    """One seat's failure and whose fault it was.

    `event` is the place of its fault event in the log, or None if the match ended without one:
    it was declared void, or it was over before the seat owed another decision.
    """

    seat: int
    reason: str
    owner: Owner
    detail: str
    event: int | None = None


def tell(news: list[Event], seats: int) -> list[Tell]:
    """These events told to every seat, as it may see them."""
    views = [_views(event, seats) for event in news]
    return [Tell(seat, tuple([view[seat] for view in views])) for seat in range(seats)]


def _views(event: Event, seats: int) -> list[Event]:
    """The event as each seat may see it; redacting is dear, so it is done as seldom as can be."""
    if isinstance(event, _OPEN_TO_ALL):
        return [event] * seats
    if isinstance(event, _OF_ONE_SEAT):
        own = event.seat
        views = [seen_by(event, 1 if own == 0 else 0)] * seats  # all others see it alike
        views[own] = event
        return views
    return [seen_by(event, seat) for seat in range(seats)]


def check_owner(owner: str) -> None:
    """Refuse an owner that does not exist.

    Raises:
        MatchError: naming those that do.
    """
    if owner not in OWNERS:
        raise MatchError(f"{owner!r} owns no faults: {', '.join(OWNERS)}")


def check_reason(reason: str) -> None:
    """Refuse a reason that no fault event can give.

    Raises:
        MatchError: naming those that can be given.
    """
    if reason not in FAULTS:
        raise MatchError(f"{reason!r} is not a reason to leave: {', '.join(FAULTS)}")


def printable(text: str, limit: int) -> str:
    """The text cut to so many code points; halves of surrogate pairs, which no file takes, go."""
    text = text[: 2 * limit]  # two halves may yet join to one code point
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text[:limit]

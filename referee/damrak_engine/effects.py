"""What comes out of the arbiter: effects, which its host carries out in order, and fault records.

An effect names the seat it is for, except the last two, which are for everyone.
"""

from __future__ import annotations

from typing import Literal, get_args

from damrak_engine.clock import TimeLeft
from damrak_engine.errors import MatchError
from damrak_engine.events import FAULTS, OPEN_TO_ALL, Deal, Decision, Event, Fault, seen_by
from damrak_engine.observation import Observation
from damrak_engine.scoring import Result
from damrak_engine.values import value

Owner = Literal["bot", "host", "network"]  # whose fault a fault is
OWNERS: tuple[Owner, ...] = get_args(Owner)
DETAIL_LIMIT = 500  # code points of a fault's detail
NOBODY = -1  # somebody at no seat

Why = Literal[
    "answered",  # the seat's answer to this decision was accepted before
    "late",  # the seat had failed by then, this decision unanswered
    "foreign",  # another seat was asked
    "unknown",  # nobody was asked (yet)
    "over",  # the match was declared void while it was open
]


@value(frozen=True, slots=True)
class Ask:
    """Ask this seat to decide; the clock is running. The same id again is the same question."""

    seat: int
    decision: int
    observation: Observation
    legal: list[int]
    time_left: TimeLeft


@value(frozen=True, slots=True)
class Tell:
    """Tell this seat what has happened, as it may see it."""

    seat: int
    events: tuple[Event, ...]


@value(frozen=True, slots=True)
class Rejected:
    """Tell this seat that its action was illegal: it still owes this decision."""

    seat: int
    decision: int
    reason: str
    time_left: TimeLeft
    strikes_left: int


@value(frozen=True, slots=True)
class Stale:
    """Tell this seat that its answer changed nothing; a repeated answer needs no remedy."""

    seat: int
    decision: int
    why: Why


@value(frozen=True, slots=True)
class Finished:
    """The match is over and counts."""

    result: Result


@value(frozen=True, slots=True)
class Voided:
    """The match ends without a result and counts for nothing."""

    owner: Owner
    detail: str


Effect = Ask | Tell | Rejected | Stale | Finished | Voided


@value(frozen=True, slots=True)
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
    views: list[list[Event]] = [[] for _ in range(seats)]
    for event in news:
        if type(event) in OPEN_TO_ALL:
            for view in views:
                view.append(event)
        elif isinstance(event, Deal):
            for seat in range(seats):
                views[seat].append(seen_by(event, seat))
        else:
            assert isinstance(event, Decision | Fault)
            others = seen_by(event, NOBODY)  # all others see it alike
            for seat in range(seats):
                views[seat].append(event if seat == event.seat else others)
    return [Tell(seat, tuple(view)) for seat, view in enumerate(views)]


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

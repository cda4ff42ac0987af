"""Effects of the arbiter, which its host carries out in order, and fault records.

Every effect names the seat that it is for, except the last two, which are for all seats.
"""

from __future__ import annotations

from typing import Literal, get_args

from damrak_engine.clock import TimeLeft
from damrak_engine.errors import MatchError
from damrak_engine.events import FAULTS, OPEN_TO_ALL, Deal, Decision, Event, Fault, seen_by
from damrak_engine.observation import Observation
from damrak_engine.scoring import Result
from damrak_engine.values import value

Owner = Literal["bot", "host", "network"]  # the party responsible for a fault
OWNERS: tuple[Owner, ...] = get_args(Owner)
DETAIL_LIMIT = 500  # code points of a fault's detail
NOBODY = -1  # an observer without a seat

Why = Literal[
    "answered",  # an earlier answer of the seat to this decision was accepted
    "late",  # the seat failed before it answered this decision
    "foreign",  # another seat was asked
    "unknown",  # no seat was asked (yet)
    "over",  # the match was declared void while this decision was open
]


@value(frozen=True, slots=True)
class Ask:
    """A request for a decision; the seat's clock is running. A repeated id repeats the question."""

    seat: int
    decision: int
    observation: Observation
    legal: list[int]
    time_left: TimeLeft


@value(frozen=True, slots=True)
class Tell:
    """Events to send to a seat, as that seat may see them."""

    seat: int
    events: tuple[Event, ...]


@value(frozen=True, slots=True)
class Rejected:
    """A notice to a seat that its action was illegal; it still owes this decision."""

    seat: int
    decision: int
    reason: str
    time_left: TimeLeft
    strikes_left: int


@value(frozen=True, slots=True)
class Stale:
    """A notice to a seat that its answer had no effect; harmless after a repeated answer."""

    seat: int
    decision: int
    why: Why


@value(frozen=True, slots=True)
class Finished:
    """The end of a match that counts."""

    result: Result


@value(frozen=True, slots=True)
class Voided:
    """The end of a match without a result; it does not count."""

    owner: Owner
    detail: str


Effect = Ask | Tell | Rejected | Stale | Finished | Voided


@value(frozen=True, slots=True)
class FaultRecord:
    """A failure of a seat and the party responsible for it.

    `event` is the index of its fault event in the log, or None if the match ended without one:
    it was declared void, or it was over before the seat owed another decision.
    """

    seat: int
    reason: str
    owner: Owner
    detail: str
    event: int | None = None


def tell(news: list[Event], seats: int) -> list[Tell]:
    """Return these events for every seat, as it may see them."""
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
            others = seen_by(event, NOBODY)  # the same view for all other seats
            for seat in range(seats):
                views[seat].append(event if seat == event.seat else others)
    return [Tell(seat, tuple(view)) for seat, view in enumerate(views)]


def check_owner(owner: str) -> None:
    """Reject an unknown owner.

    Raises:
        MatchError: naming the valid owners.
    """
    if owner not in OWNERS:
        raise MatchError(f"{owner!r} owns no faults: {', '.join(OWNERS)}")


def check_reason(reason: str) -> None:
    """Reject a reason that no fault event can have.

    Raises:
        MatchError: naming the valid reasons.
    """
    if reason not in FAULTS:
        raise MatchError(f"{reason!r} is not a reason to leave: {', '.join(FAULTS)}")


def printable(text: str, limit: int) -> str:
    """Return the text cut to `limit` code points, with lone surrogates replaced.

    UTF-8 files cannot contain lone surrogates.
    """
    text = text[: 2 * limit]  # a surrogate pair becomes one code point below
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text[:limit]

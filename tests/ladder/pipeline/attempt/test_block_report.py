"""The report of a referee is checked against its order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.boards import board_file
from damrak_ladder.matches.models import Blame, Block
from damrak_ladder.message_codes.block_codes import ReportedVoid
from damrak_ladder.pipeline.attempt.block_report import Hearing, Untrue
from damrak_ladder.pipeline.attempt.order import Ordered, order_of
from damrak_ladder.replays.models import StoredReplay
from damrak_wire.orders import BlockOrder, MatchOrder
from damrak_wire.reports import BlockEnded, MatchReport, MatchVoided, SeatFault, SeatReport
from ladder.games import replay_as_ordered, replay_of
from ladder.people import NOW
from ladder.tables import PATIENCE, some_block

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def block(database: None) -> Block:
    begun = start(some_block().pk, 0, "worker", NOW, PATIENCE)
    assert begun is not None
    return begun


@pytest.fixture
def ordered(block: Block) -> Ordered:
    return order_of(block, 0)


def report(block: Block, number: int = 0) -> MatchReport:
    """Return the report of a match, with a replay of other bots and another seed."""
    match = block.matches.get(number=number)
    return MatchReport(str(match.pk), 1, replay_of(match), (SeatReport(), SeatReport()))


Twist = Callable[[MatchReport], MatchReport]


@pytest.mark.parametrize(
    ("twist", "problem"),
    [
        (lambda it: it, "in: ladder|in: seed"),
        (lambda it: replace(it, match="0"), "reports match 0"),
        (lambda it: replace(it, attempt=2), "attempt 2"),
        (lambda it: replace(it, seats=it.seats[:1]), "1 seats instead of 2"),
        (lambda it: replace(it, replay=b"{}"), "match"),
    ],
)
def test_report_of_something_else_is_refused(
    twist: Twist, problem: str, block: Block, ordered: Ordered
) -> None:
    hearing = Hearing(ordered)
    with pytest.raises(Untrue, match=problem):
        hearing.take(twist(report(block)))
    assert not StoredReplay.objects.exists()


def told_otherwise(
    ordered: Ordered, first: Callable[[MatchOrder], MatchOrder] = lambda it: it, **block: Any
) -> BlockOrder:
    """Return the order with these changes."""
    matches = (first(ordered.order.matches[0]), *ordered.order.matches[1:])
    return replace(ordered.order, matches=matches, **block)


def reported(order: BlockOrder) -> MatchReport:
    match = order.matches[0]
    played = replay_as_ordered(order, match)
    return MatchReport(match.match, order.attempt, played, (SeatReport(), SeatReport()))


def strangers(order: MatchOrder) -> MatchOrder:
    return replace(order, seats=order.seats[::-1])


def test_report_that_matches_the_order_is_accepted(ordered: Ordered) -> None:
    hearing = Hearing(ordered)
    hearing.take(reported(ordered.order))
    assert list(hearing.outcomes) == [0]


@pytest.mark.parametrize(
    ("what", "first", "other"),
    [
        ("block", lambda it: it, {"block": "999999"}),
        ("ladder", lambda it: it, {"ladder": "another"}),
        ("options", lambda it: it, {"options": {"first_player": "seat 1"}}),
        ("board", lambda it: it, {"board": board_file("amsterdam")}),
        ("seed", lambda it: replace(it, seed=bytes(32)), {}),
        ("seats", strangers, {}),
    ],
)
def test_replay_that_does_not_match_the_order_is_refused(
    what: str,
    first: Callable[[MatchOrder], MatchOrder],
    other: dict[str, Any],
    ordered: Ordered,
) -> None:
    with pytest.raises(Untrue, match=rf"in: {what}\.$"):
        Hearing(ordered).take(reported(told_otherwise(ordered, first, **other)))
    assert not StoredReplay.objects.exists()


def test_whose_turn_was_to_be_first_has_begun(block: Block) -> None:
    block.options = {"first_player": "rotate"}
    ordered = order_of(block, 0)
    Hearing(ordered).take(reported(ordered.order))
    other = told_otherwise(ordered, lambda it: replace(it, first=1))
    with pytest.raises(Untrue, match="another seat began"):
        Hearing(ordered).take(reported(other))


def test_finished_block_has_all_its_matches(ordered: Ordered) -> None:
    hearing = Hearing(ordered)
    hearing.take(BlockEnded("finished"))
    with pytest.raises(Untrue, match="0 of 2 matches"):
        hearing.report()


def test_first_void_match_is_the_cause_and_the_others_follow(
    block: Block, ordered: Ordered
) -> None:
    first, second = (str(match.pk) for match in block.matches.order_by("number"))
    fault = SeatReport(fault=SeatFault("disconnect", "network", "gone \0"))
    hearing = Hearing(ordered)
    hearing.take(MatchVoided(second, 1, "network", "a bot never came", (SeatReport(), fault)))
    hearing.take(MatchVoided(first, 1, "host", "the other one is void"))
    hearing.take(BlockEnded("void", f"{second}: a bot never came"))
    assert not hearing.is_finished
    message, (cause, seat) = hearing.why_void()
    assert message == ReportedVoid("a bot never came")
    assert (cause.owner, cause.match, cause.seat) == (Blame.NETWORK, 1, None)
    assert (seat.owner, seat.match, seat.seat) == (Blame.NETWORK, 1, 1)
    assert "\0" not in seat.detail


def test_void_match_has_no_more_seats_than_were_ordered(block: Block, ordered: Ordered) -> None:
    match = str(block.matches.get(number=0).pk)
    fault = SeatReport(fault=SeatFault("crash", "bot", "of nobody"))
    with pytest.raises(Untrue, match="3 seats instead of 2"):
        Hearing(ordered).take(MatchVoided(match, 1, "host", "", (SeatReport(),) * 2 + (fault,)))


def test_nothing_is_reported_twice(block: Block, ordered: Ordered) -> None:
    match = str(block.matches.get(number=0).pk)
    hearing = Hearing(ordered)
    hearing.take(MatchVoided(match, 1, "host", ""))
    with pytest.raises(Untrue, match="twice"):
        hearing.take(MatchVoided(match, 1, "host", ""))

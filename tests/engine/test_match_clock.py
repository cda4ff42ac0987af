"""A seat's clock: the charged time, the remaining time, and the deadline."""

from __future__ import annotations

import pytest

from damrak_engine.clock import Clock, TimeControl, TimeLeft
from damrak_engine.errors import EngineError, MatchError

S = 1_000_000  # a second

CONTROL = TimeControl(decision_ms=10_000, bank_ms=25_000, increment_ms=1_000, grace_ms=30_000)


def test_a_clock_is_stopped_until_a_decision_is_owed() -> None:
    clock = Clock(CONTROL)
    assert clock.deadline is None
    assert clock.time_left(99 * S) == TimeLeft(10 * S, 25 * S)


@pytest.mark.parametrize(
    ("decision_ms", "bank_ms", "deadline"),
    [(10_000, 25_000, 15), (10_000, 4_000, 9), (None, 25_000, 30)],
)
def test_the_nearer_limit_is_the_deadline(
    decision_ms: int | None, bank_ms: int, deadline: int
) -> None:
    clock = Clock(TimeControl(decision_ms=decision_ms, bank_ms=bank_ms))
    clock.start(5 * S)
    assert clock.deadline == deadline * S
    assert clock.time_left(5 * S).us == (deadline - 5) * S


def test_thinking_is_charged_to_the_bank_and_the_increment_added() -> None:
    clock = Clock(CONTROL)
    clock.start(0)
    assert clock.time_left(4 * S) == TimeLeft(6 * S, 21 * S)
    assert clock.stop(4 * S) == 4 * S
    assert clock.time_left(50 * S) == TimeLeft(10 * S, 22 * S)


def test_saved_time_is_kept() -> None:
    clock = Clock(CONTROL)
    for start in range(20):
        clock.start(start * S)
        clock.stop(start * S + 1)
    assert clock.time_left(0).bank_us == 45 * S - 20


def test_a_missing_decision_earns_no_increment() -> None:
    clock = Clock(CONTROL)
    clock.start(0)
    clock.abandon(10 * S)
    assert clock.deadline is None
    assert clock.time_left(10 * S).bank_us == 15 * S


def test_time_left_is_never_negative() -> None:
    clock = Clock(CONTROL)
    clock.start(0)
    assert clock.time_left(99 * S) == TimeLeft(0, 0)


# Steps (time, event) of one decision asked for at 0, and the expected values after them: the
# deadline and the time left for the decision, in seconds.
ABSENCES = {
    "away: the bank goes on": ([(4, "away")], 25, 6),
    "back: the decision limit has stood still": ([(4, "away"), (9, "back")], 15, 6),
    "back twice": ([(4, "away"), (9, "back"), (12, "back")], 15, 3),
    "away twice": ([(4, "away"), (8, "away"), (9, "back")], 15, 6),
    "two absences add up": ([(1, "away"), (2, "back"), (3, "away"), (5, "back")], 13, 8),
    "back without having been away": ([(4, "back")], 10, 6),
}


@pytest.mark.parametrize(("steps", "deadline", "left"), list(ABSENCES.values()), ids=list(ABSENCES))
def test_absence(steps: list[tuple[int, str]], deadline: int, left: int) -> None:
    clock = Clock(CONTROL)
    clock.start(0)
    now = 0
    for when, what in steps:
        now = when * S
        (clock.go_away if what == "away" else clock.come_back)(now)
    assert clock.deadline == deadline * S
    assert clock.time_left(now) == TimeLeft(left * S, 25 * S - now)


def test_an_absence_lasts_no_longer_than_the_grace() -> None:
    clock = Clock(TimeControl(decision_ms=10_000, bank_ms=99_000, grace_ms=30_000))
    clock.start(0)
    clock.go_away(4 * S)
    assert clock.deadline == 34 * S


def test_absence_is_charged_to_the_bank_like_thinking() -> None:
    clock = Clock(CONTROL)
    clock.start(0)
    clock.go_away(2 * S)
    clock.come_back(20 * S)
    assert clock.stop(21 * S) == 21 * S
    assert clock.time_left(21 * S).bank_us == (25 - 21 + 1) * S


@pytest.mark.parametrize("asked", [0, 7])
def test_grace_runs_only_while_a_decision_is_owed(asked: int) -> None:
    clock = Clock(TimeControl(decision_ms=None, bank_ms=100_000, grace_ms=30_000))
    clock.go_away(0)
    clock.start(asked * S)
    assert clock.deadline == (asked + 30) * S


def test_one_grace_serves_the_whole_match() -> None:
    clock = Clock(TimeControl(decision_ms=None, bank_ms=100_000, increment_ms=0, grace_ms=30_000))
    for start in (0, 100):
        clock.start(start * S)
        clock.go_away((start + 1) * S)
        clock.come_back((start + 11) * S)
        clock.stop((start + 12) * S)
    clock.start(200 * S)
    clock.go_away(200 * S)
    assert clock.deadline == 210 * S


def test_deciding_while_away_uses_up_grace_too() -> None:
    clock = Clock(TimeControl(decision_ms=None, bank_ms=100_000, increment_ms=0, grace_ms=30_000))
    clock.start(0)
    clock.go_away(0)
    clock.stop(12 * S)
    clock.start(50 * S)
    assert clock.deadline == 68 * S


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("decision_ms", 0),
        ("bank_ms", 0),
        ("increment_ms", -1),
        ("grace_ms", -1),
        ("strikes", 0),
    ],
)
def test_a_time_control_under_which_nothing_can_be_played_is_refused(
    field: str, value: int
) -> None:
    with pytest.raises(MatchError, match=field) as refused:
        TimeControl(**{field: value})
    assert isinstance(refused.value, EngineError)

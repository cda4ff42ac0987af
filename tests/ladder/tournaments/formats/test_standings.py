"""Tables: points, tie-breaks, what decided, and independence of order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.tournaments.formats import (
    TIE_BREAKS,
    Pairing,
    PairingResult,
    Row,
    StageRules,
    Value,
    bye,
    ruling,
    standings,
    tables,
)
from ladder.tournaments.formats.events import (
    at_random,
    field,
    play,
    renumbered,
    renumbered_rounds,
)
from samples import examples

ROBIN = StageRules(format="round-robin")
SWISS = StageRules(format="swiss", rounds=5)
TABLES = StageRules(format="swiss-tables", players=4, rounds=4)
ONE, HALF, ZERO = Fraction(1), Fraction(1, 2), Fraction(0)


@pytest.fixture(autouse=True)
def _short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat tables quickly: these tests are about other things."""
    monkeypatch.setattr(tables, "STEPS_PER_ENTRANT", 40)
    monkeypatch.setattr(tables, "FEWEST_STEPS", 200)


def result(one: int, other: int, points: Fraction) -> PairingResult:
    return PairingResult(Pairing((one, other)), (points, 1 - points))


def value(row: Row, name: str) -> Value:
    return next(it for it in row.tie_breaks if it.name == name)


@examples(20)
@given(
    rules=st.sampled_from([ROBIN, SWISS, TABLES, StageRules(format="culling", players=4)]),
    count=st.integers(6, 17),
    seed=st.integers(0, 999),
)
def test_the_order_of_results_and_the_numbers_do_not_matter(
    rules: StageRules, count: int, seed: int
) -> None:
    random = Random(seed)
    rounds = play(rules, field(count), seed=seed)
    rows = standings(rules, field(count), rounds)
    mixed = [random.sample(results, len(results)) for results in rounds]
    turned = [
        [
            replace(
                it,
                pairing=replace(it.pairing, entrants=it.pairing.entrants[::-1]),
                points=it.points[::-1],
                taken=tuple(row[::-1] for row in it.taken[::-1]),
                first_places=it.first_places[::-1],
                game_points=it.game_points[::-1],
                sudden_points=it.sudden_points[::-1],
            )
            for it in results
        ]
        for results in mixed
    ]
    assert standings(rules, random.sample(field(count), count), turned) == rows
    shifted = standings(rules, renumbered(field(count), 50), renumbered_rounds(rounds, 50))
    assert [50 - row.number for row in shifted] == [row.number for row in rows]
    assert all(isinstance(row.points, Fraction) for row in rows)


@examples(20)
@given(count=st.integers(4, 20), seed=st.integers(0, 999))
def test_points_of_a_round_sum_to_half_the_seats_and_byes(count: int, seed: int) -> None:
    rounds = play(TABLES, field(count), seed=seed)
    rows = standings(TABLES, field(count), rounds)
    assert sum(row.points for row in rows) == Fraction(count * len(rounds), 2)


@examples(30)
@given(
    seed=st.integers(0, 999),
    order=st.permutations([name for name in TIE_BREAKS if name != "seed"]),
)
def test_criteria_below_the_deciding_one_change_nothing(seed: int, order: list[str]) -> None:
    rules = replace(SWISS, rounds=3, tie_breaks=tuple(order))
    rounds = play(rules, field(9), seed=seed, score=at_random(Random(seed)))
    rows = standings(rules, field(9), rounds)
    deciding = {row.decided_by for row in rows} - {"", "points"}
    last = max((order.index(name) for name in deciding), default=-1)
    fewer = replace(rules, tie_breaks=tuple(order[: last + 1]))
    again = standings(fewer, field(9), rounds)
    for one, other in zip(rows, again, strict=True):
        assert (one.number, one.place, one.decided_by) == (
            other.number,
            other.place,
            other.decided_by,
        )


def test_head_to_head_decides_among_those_who_met_equally_often() -> None:
    rounds = [
        [result(1, 2, ZERO), result(3, 4, ONE)],
        [result(1, 3, ONE), result(2, 4, ONE)],
        [result(1, 4, ONE), result(2, 3, HALF)],
    ]
    rules = replace(ROBIN, tie_breaks=("head-to-head",))
    rows = standings(rules, field(4), rounds)
    assert [(row.number, row.points) for row in rows] == [
        (2, Fraction(5, 2)),
        (1, Fraction(2)),
        (3, Fraction(3, 2)),
        (4, ZERO),
    ]
    rounds[2][1] = result(2, 3, ZERO)  # 1, 2 and 3 have two points and beat each other in turn
    rows = standings(rules, field(4), rounds)
    assert [row.place for row in rows] == [1, 1, 1, 4]
    assert value(rows[0], "head-to-head") == Value("head-to-head", HALF)
    assert [row.decided_by for row in rows] == ["", "", "", "points"]


def test_head_to_head_is_skipped_and_shown_as_skipped() -> None:
    rules = replace(SWISS, tie_breaks=("head-to-head", "seed"))
    rounds = [[result(1, 2, ONE), result(3, 4, ONE)]]
    rows = standings(rules, field(4), rounds)
    assert value(rows[0], "head-to-head").skipped
    assert [row.decided_by for row in rows] == ["", "seed", "points", "seed"]
    assert [row.place for row in rows] == [1, 2, 3, 4]


def test_buchholz_is_a_mean_over_opponents_met() -> None:
    rounds = [
        [result(1, 2, ONE), bye(SWISS, Pairing((3,)))],
        [result(1, 3, HALF), bye(SWISS, Pairing((2,)))],
    ]
    rows = {row.number: row for row in standings(SWISS, field(3), rounds)}
    # A bye counts half a round for the opponents: 2 has 0 + 1/2, 3 has 1/2 + 1/2, 1 has 3/2.
    assert value(rows[1], "buchholz").value == Fraction(3, 4)
    assert value(rows[1], "buchholz-cut-1").value == ONE
    assert value(rows[1], "sonneborn-berger").value == HALF
    assert value(rows[2], "buchholz").value == Fraction(3, 2)
    assert (rows[2].byes, rows[2].played, rows[2].points) == (1, 1, ONE)


def test_void_pairings_count_for_neither_side() -> None:
    played = result(1, 2, ONE)
    rounds = [[ruling(SWISS, played.pairing, "void", (), played), result(3, 4, ONE)]]
    rows = {row.number: row for row in standings(SWISS, field(4), rounds)}
    assert (rows[1].points, rows[1].played) == (0, 0)
    assert value(rows[1], "buchholz").value is None


def test_entrants_that_nothing_separates_share_a_place() -> None:
    rules = replace(ROBIN, tie_breaks=())
    rounds = [[result(1, 2, HALF), result(3, 4, ONE)]]
    rows = standings(rules, field(4), rounds)
    assert [(row.number, row.place, row.decided_by) for row in rows] == [
        (3, 1, ""),
        (1, 2, "points"),
        (2, 2, ""),
        (4, 4, "points"),
    ]


def test_guests_play_without_a_place() -> None:
    entrants = [replace(it, guest=it.number == 1) for it in field(4)]
    rows = standings(ROBIN, entrants, play(ROBIN, entrants))
    assert (rows[-1].number, rows[-1].place, rows[-1].played) == (1, None, 3)
    assert [row.place for row in rows[:-1]] == [1, 2, 3]


@pytest.mark.parametrize("rules", [ROBIN, SWISS, TABLES, StageRules(format="culling", players=4)])
def test_a_table_before_the_first_round(rules: StageRules) -> None:
    rows = standings(rules, field(7), [])
    assert [row.number for row in rows] == list(range(1, 8))
    assert all(not row.points for row in rows)

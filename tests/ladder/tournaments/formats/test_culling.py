"""Culling: stages, survivors and the budget."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.tournaments.formats import (
    Entrant,
    StageRules,
    pair_round,
    plan,
    standings,
    tables,
)
from damrak_ladder.tournaments.formats.culling import stage_sizes
from damrak_ladder.tournaments.formats.plans import culling_stages, swiss_rounds
from damrak_ladder.tournaments.formats.ranking import rank
from ladder.tournaments.formats.events import field, play
from samples import examples

RULES = StageRules(format="culling", players=4, blocks=4)


@pytest.fixture(autouse=True)
def _short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat tables quickly: these tests are about other things."""
    monkeypatch.setattr(tables, "STEPS_PER_ENTRANT", 40)
    monkeypatch.setattr(tables, "FEWEST_STEPS", 200)


def test_the_lower_half_leaves_until_one_table_is_left() -> None:
    assert stage_sizes(16, 4) == [16, 8, 4]
    assert stage_sizes(33, 4) == [33, 17, 9, 5, 4]
    assert stage_sizes(4, 4) == [4]
    assert stage_sizes(9, 2) == [9, 5, 3, 2]


@given(
    count=st.integers(5, 200),
    players=st.sampled_from([2, 4]),
    blocks=st.integers(1, 32),
)
def test_it_costs_no_more_than_a_swiss_of_the_same_length(
    count: int, players: int, blocks: int
) -> None:
    rules = StageRules(format="culling", players=players, blocks=blocks)
    stages = culling_stages(rules, count)
    swiss = plan(
        StageRules(
            format="swiss" if players == 2 else "swiss-tables", players=players, blocks=blocks
        ),
        field(count),
    )
    least = sum(stage.tables for stage in stages)
    bound = swiss_rounds(count) * blocks * stages[0].tables
    assert sum(stage.cost for stage in stages) <= max(bound, least)
    assert plan(rules, field(count)).blocks <= max(bound, least)
    assert swiss.blocks <= bound
    played = [stage.rounds * stage.blocks for stage in stages]
    if bound > 4 * least:
        assert played[-1] == max(played)


def test_16_entrants_with_the_budget_of_80_blocks() -> None:
    found = plan(RULES, field(16))
    assert found.blocks <= 80
    assert found.blocks >= 76
    assert found.games == 4 * found.blocks


@examples(15)
@given(count=st.integers(5, 26), seed=st.integers(0, 999), players=st.sampled_from([2, 4]))
def test_survivors_are_the_first_of_the_stage(count: int, seed: int, players: int) -> None:
    rules = StageRules(format="culling", players=players, blocks=1)
    rounds = play(rules, field(count), seed=seed)
    stages = culling_stages(rules, count)
    assert len(rounds) == sum(stage.rounds for stage in stages)
    alive = set(range(1, count + 1))
    start = 0
    for at, stage in enumerate(stages):
        here = rounds[start : start + stage.rounds]
        for results in here:
            assert {n for it in results for n in it.pairing.entrants} == alive
        start += stage.rounds
        if at + 1 < len(stages):
            entrants = [Entrant(it, it) for it in sorted(alive)]
            points = {row.number: row.points for row in rank(rules, entrants, here)}
            kept = {n for it in rounds[start] for n in it.pairing.entrants}
            assert kept < alive
            assert min(points[it] for it in kept) >= max(points[it] for it in alive - kept)
            alive = kept
    rows = standings(rules, field(count), rounds)
    assert {row.number for row in rows[: len(alive)]} == alive
    assert [row.place for row in rows] == list(range(1, count + 1))
    assert all(row.out is None for row in rows[: len(alive)])
    assert all(row.out for row in rows[len(alive) :])
    assert pair_round(rules, field(count), rounds, seed="x") is None


def test_points_of_earlier_stages_break_ties() -> None:
    rows = standings(RULES, field(16), play(RULES, field(16)))
    assert rows[0].tie_breaks[0].name == "earlier-points"
    assert rows[4].decided_by == "round"

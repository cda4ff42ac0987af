"""Simulated tournaments."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from damrak_ladder.tournaments.formats import Entrant, RulesError, StageRules, plan
from damrak_ladder.tournaments.formats.rules import FORMATS
from damrak_ladder.tournaments.simulation import (
    Estimate,
    estimate,
    model_field,
    recommend,
    usual_stages,
)
from damrak_ladder.tournaments.simulation.games import (
    duel_wins,
    duel_wins_nearly,
    sudden_death,
    table_points,
)
from samples import examples

RUNS = 1500


def found(format_: str, entrants: int, lead: float, blocks: int, **more: int) -> Estimate:
    strengths = model_field(entrants, lead, 150, RUNS, np.random.default_rng(7))
    return estimate(usual_stages(format_, entrants, blocks, **more), strengths)


@pytest.mark.parametrize(
    ("format_", "lead", "blocks", "chance", "cost"),
    [
        ("swiss", 25, 4, 0.53, 160),
        ("round-robin", 25, 4, 0.58, 480),
        ("swiss-tables", 25, 4, 0.68, 80),
        ("single-elimination", 25, 64, 0.77, 960),
        ("swiss", 25, 64, 0.81, 2560),
        ("round-robin", 25, 16, 0.84, 1920),
        ("swiss-tables", 25, 16, 0.84, 320),
        ("single-elimination", 50, 4, 0.62, 60),
        ("single-elimination", 100, 4, 0.80, 60),
        ("swiss-tables", 50, 4, 0.89, 80),
    ],
)
def test_known_probabilities_of_16_entrants(
    format_: str, lead: float, blocks: int, chance: float, cost: int
) -> None:
    """The references come from another simulation, with 60 to 250 runs each."""
    result = found(format_, 16, lead, blocks)
    assert result.best_wins == pytest.approx(chance, abs=0.09)
    assert result.blocks == cost


def test_culling_beats_a_swiss_at_equal_cost_and_brackets_lose_to_both() -> None:
    for entrants, blocks in ((16, 4), (16, 16), (64, 4)):
        culling = found("culling", entrants, 25, blocks)
        swiss = found("swiss-tables", entrants, 25, blocks)
        assert culling.blocks <= swiss.blocks
        assert culling.blocks >= 0.9 * swiss.blocks
        assert culling.best_wins > swiss.best_wins + 0.04
        assert swiss.best_wins > found("single-elimination", entrants, 25, blocks).best_wins


def test_a_pairing_of_two_has_the_exact_probability() -> None:
    """A final of one block: both games, or one of each and sudden death."""
    result = found("single-elimination", 2, 100, 1)
    odds = 1 / (1 + 10 ** (-100 / 400))
    tied = 2 * odds * (1 - odds)
    decided = odds**2 / (odds**2 + (1 - odds) ** 2)
    assert result.best_wins == pytest.approx(odds**2 + tied * decided, abs=0.04)
    assert (result.blocks, result.games) == (1, 2)
    more = tied * (1 - tied**5) / (1 - tied)
    assert result.sudden_death == pytest.approx(more, abs=0.08)


@examples(25)
@given(
    format_=st.sampled_from(FORMATS),
    entrants=st.integers(4, 23),
    blocks=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_costs_are_those_of_the_plan(format_: str, entrants: int, blocks: int, seed: int) -> None:
    strengths = model_field(entrants, 30, 150, 20, np.random.default_rng(seed))
    stages = usual_stages(format_, entrants, blocks)[:1]
    result = estimate(stages, strengths, seed)
    expected = plan(stages[0], [Entrant(at, at) for at in range(1, entrants + 1)])
    assert expected.blocks <= result.blocks <= expected.at_most_blocks
    assert expected.games <= result.games <= expected.at_most_games
    assert estimate(stages, strengths, seed) == result


def test_every_run_ranks_every_entrant_once() -> None:
    from damrak_ladder.tournaments.simulation.estimates import simulate

    for format_ in FORMATS:
        [rules, *_] = usual_stages(format_, 13, 1)
        strengths = model_field(13, 30, 150, 50, np.random.default_rng(1))
        ranking = simulate(rules, strengths, np.random.default_rng(2)).ranking
        assert (np.sort(ranking, axis=1) == np.arange(13)).all(), format_


def test_tables_of_four_in_a_knockout() -> None:
    stages = (StageRules(format="single-elimination", players=4, blocks=2),)
    strengths = model_field(16, 500, 150, 300, np.random.default_rng(1))
    result = estimate(stages, strengths)
    assert (result.blocks, result.games) == (14, 56)
    assert result.best_wins > 0.95


def test_one_challenger_wins_its_gauntlet_and_more_blocks_find_the_best_of_several() -> None:
    strengths = model_field(16, 25, 150, RUNS, np.random.default_rng(1))
    is_challenger = np.argmax(strengths, axis=1) == 0
    alone = estimate((StageRules(format="gauntlet"),), strengths)
    assert alone.best_wins == pytest.approx(is_challenger.mean(), abs=0.03)
    field = np.concatenate([strengths[:, :4] + 300, strengths[:, 4:]], axis=1)
    chances = [
        estimate((StageRules(format="gauntlet", challengers=4, blocks=blocks),), field).best_wins
        for blocks in (1, 4, 64)
    ]
    assert chances[0] + 0.05 < chances[1] < chances[2] - 0.05


def test_gauntlet_at_tables_and_with_a_longer_last_round_has_the_cost_of_its_plan() -> None:
    strengths = model_field(14, 25, 150, 20, np.random.default_rng(1))
    for more in ({"final_blocks": 5}, {"double": True}, {"challengers": 3, "final_blocks": 2}):
        for players in (2, 3, 4):
            rules = StageRules(format="gauntlet", players=players, **more)
            expected = plan(rules, [Entrant(at, at) for at in range(1, 15)])
            result = estimate((rules,), strengths)
            assert (result.blocks, result.games) == (expected.blocks, expected.games)


def test_best_bot_of_groups_wins_its_own_group() -> None:
    strengths = model_field(16, 25, 150, RUNS, np.random.default_rng(1))
    for players in (2, 4):
        groups = StageRules(format="groups", groups=4, players=players, blocks=2)
        alone = estimate((groups,), strengths)
        expected = plan(groups, [Entrant(at, at) for at in range(1, 17)])
        assert (alone.blocks, alone.games) == (expected.blocks, expected.games)
        one_winner = (StageRules(format="round-robin", players=players, blocks=2),)
        assert alone.best_wins > estimate(one_winner, strengths).best_wins + 0.1
        result = recommend((groups,), [(1500.0 - 20 * at, 60.0) for at in range(16)], runs=100)
        assert (result.cheaper, result.better) == (None, None)


def test_fast_draw_of_many_games_has_the_same_mean_and_spread() -> None:
    random = np.random.default_rng(5)
    one, other = np.full(20000, 120.0), np.zeros(20000)
    exact, fast = (draw(one, other, 8, random) for draw in (duel_wins, duel_wins_nearly))
    assert fast.mean() == pytest.approx(exact.mean(), abs=0.05)
    assert fast.std() == pytest.approx(exact.std(), abs=0.05)


@pytest.mark.parametrize("games", [8, 400])
def test_both_ways_to_draw_a_table_have_the_same_mean(games: int) -> None:
    strengths = np.array([100.0, 0.0, -50.0, 20.0])
    random = np.random.default_rng(3)
    points = table_points(np.tile(strengths, (4000, 1)), games, random) / games
    weights = 10 ** (strengths / 400)
    expected = np.zeros(4)
    for order in permutations(range(4)):
        chance, left = 1.0, weights.sum()
        for at in order:
            chance *= weights[at] / left
            left -= weights[at]
        for beaten, at in enumerate(reversed(order)):
            expected[at] += beaten * chance
    assert points.mean(axis=0) == pytest.approx(expected, abs=0.03)
    assert (points.sum(axis=1) == pytest.approx(6)) is True


def test_odds_are_elo() -> None:
    random = np.random.default_rng(1)
    one, other = np.full(5000, 400.0), np.zeros(5000)
    assert duel_wins(one, other, 10, random).mean() == pytest.approx(10 * 10 / 11, abs=0.05)
    assert sudden_death(other, other, random)[0].mean() == pytest.approx(0.5 + 0.5**6, abs=0.03)


def test_recommendations_are_cheaper_or_better() -> None:
    ratings = [(1500.0 - 20 * at, 60.0) for at in range(16)]
    chosen = usual_stages("swiss", 16, 8)
    result = recommend(chosen, ratings, players=(2, 4), games_per_second=2, runs=500)
    assert result.chosen.stages == chosen
    assert result.minutes == pytest.approx(result.chosen.games / 120)
    assert result.cheaper is not None
    assert result.cheaper.expected_games <= 0.8 * result.chosen.expected_games
    assert result.cheaper.best_wins >= result.chosen.best_wins - 0.03
    assert result.better is not None
    assert result.better.best_wins > result.chosen.best_wins
    assert result.better.expected_games <= result.chosen.expected_games
    alone = recommend(chosen, ratings, runs=500)
    assert {it.stages[0].players for it in (alone.cheaper, alone.better) if it} <= {2}


def test_what_cannot_be_simulated_is_refused() -> None:
    with pytest.raises(RulesError, match=r"FieldSize\(entrants=600, limit=512\)"):
        estimate([StageRules(format="swiss")], np.zeros((2, 600)))
    with pytest.raises(RulesError, match=r"FieldSize\(entrants=1, limit=512\)"):
        recommend(usual_stages("swiss", 16, 1), [(1500.0, 50.0)])

"""The reference policy and the results of its rollouts."""

from __future__ import annotations

import random

import pytest

from damrak_engine.boards import load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import QuickDice
from damrak_engine.rules import rules_for
from damrak_engine.scoring import totals
from damrak_ladder.analyses.board_index import ground_of
from damrak_ladder.analyses.policy import Policy
from damrak_ladder.analyses.rollouts import chance_of, play_on, wilson


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_policy_plays_legally_and_far_better_than_chance(seats: int) -> None:
    rules = rules_for(load_board("amsterdam"), seats)
    ground = ground_of(rules)
    rng = random.Random(seats)
    dice = QuickDice(rng.random)
    won = 0
    for game in range(20):
        state = new_game(rules, dice)
        policy = Policy(ground)
        me = game % seats
        while not state.is_over:
            choose = policy.choose if state.actor == me else None
            state.apply(choose(state) if choose else state.random_action(rng.random), dice)
        won += totals(state)[me] == max(totals(state))
    assert won >= 18


def test_the_policy_uses_only_the_information_of_its_seat() -> None:
    rules = rules_for(load_board("amsterdam"), 2)
    ground = ground_of(rules)
    dice = QuickDice(random.Random(4).random)
    state = new_game(rules, dice)
    policy = Policy(ground)
    while not state.is_over:
        action = Policy(ground).choose(state)
        other = state.copy()
        rival = 1 - state.actor
        other.hands[rival], other.pile = 0, [0] * 6 + [other.pile_size]
        contracts = list(other.contracts)
        contracts[rival] = 0
        other.contracts = tuple(contracts)
        assert Policy(ground).choose(other) == action
        state.apply(policy.choose(state), dice)


def test_equal_dice_lead_to_equal_ends() -> None:
    rules = rules_for(load_board("practice"), 3)
    state = new_game(rules, QuickDice(random.Random(9).random))
    first = [play_on(state.copy(), chance_of("seed", number)) for number in range(5)]
    again = [play_on(state.copy(), chance_of("seed", number)) for number in range(5)]
    assert first == again
    assert len(set(first)) > 1
    for worth in first:
        assert sum(worth.shares) == pytest.approx(1)
        assert sum(worth.leads) == pytest.approx(0)


def test_a_shared_victory_is_divided() -> None:
    rules = rules_for(load_board("practice"), 2)
    chance = random.Random(1)
    dice = QuickDice(chance.random)
    shares = {play_on(new_game(rules, dice), chance).shares for _ in range(300)}
    assert shares == {(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)}


def test_wilson_never_promises_certainty() -> None:
    for share in (0.0, 0.5, 1.0):
        found = wilson(share, 100)
        assert 0 <= found.low <= share <= found.high <= 1
        assert found.high - found.low > 0.03

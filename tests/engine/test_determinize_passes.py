"""`determinize` after forced passes: a seat that had to pass could not pay for any free route."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from damrak_engine.actions import PASS
from damrak_engine.deal import blank, new_game
from damrak_engine.determinize import determinize
from damrak_engine.dice import SeedDice
from damrak_engine.events import Event, Pass, seen_by
from damrak_engine.hands import place_cards
from damrak_engine.observation import Observation, observe
from damrak_engine.options import parse_options
from damrak_engine.rules import Rules, rules_for
from damrak_engine.state import State
from oracle import check_conserved, check_knowledge
from positions import SMALL, scant_board
from strategies import Choose, drawing, seed_of
from worlds import CardWorlds, assert_drawn_from, hands_of, sampled


def scant(seats: int, wilds: int = 1, carts: int = 6, **options: object) -> Rules:
    """Return the rules of a table where seats have to pass, with only the initial contracts."""
    board = scant_board(
        players=[seats, seats],
        wild_cards=wilds,
        carts_per_player=carts,
        contracts=SMALL["contracts"][: 2 * seats],
    )
    return rules_for(board, seats, parse_options(options))


def after_passes(
    rules: Rules, games: int, choose: Choose = drawing
) -> Iterator[tuple[State, list[Event], int]]:
    """Yield one position per game in which another seat has passed, with the observing seat."""
    for number in range(games):
        random = Random(number)
        dice = SeedDice(seed_of(number))
        log: list[Event] = []
        state = new_game(rules, dice, log)
        found: list[tuple[State, list[Event], int]] = []
        while not state.is_over:
            state.apply(choose(state.legal_actions(), random), dice)
            seat = random.randrange(rules.seats)
            if any(isinstance(event, Pass) and event.seat != seat for event in log):
                found.append((state.copy(), log[:], seat))
        if found:
            yield random.choice(found)


def counted(seen: Observation, random: Random) -> State:
    """Return the state drawn if everything that can be counted is counted instead of sampled."""
    state = blank(seen.rules)
    place_cards(state, seen, random, tries=0)
    return state


TABLES = {
    "three seats": scant(3, wilds=2),
    "colours needed": scant(3, wilds=3, all_wild="no", double_open_from="4 players"),
    "hidden sizes": scant(4, hand_size_public="no"),
    "few carts": scant(4, carts=4),
}


@pytest.mark.parametrize("rules", TABLES.values(), ids=TABLES)
def test_seat_that_passed_could_not_pay(rules: Rules) -> None:
    tested = 0
    for state, log, seat in after_passes(rules, 60):
        worlds = CardWorlds(rules, seat)
        chances = hands_of(worlds.hear([seen_by(event, seat) for event in log]))
        if worlds.narrowed:
            assert tuple(state.hands) in chances
            for draw, number in ((determinize, 1000), (counted, 500)):
                assert_drawn_from(chances, sampled(state, seat, hands, number, draw))
            tested += 1
        if tested == 3:
            return
    raise AssertionError(f"only {tested} of these games had a pass that told anything")


def hands(state: State) -> tuple[int, ...]:
    return tuple(state.hands)


def test_counted_state_looks_the_same_to_the_seat() -> None:
    random = Random(0)
    for state, _, seat in after_passes(scant(4), 10):
        seen = observe(state, seat)
        drawn = determinize(seen, random)
        place_cards(drawn, seen, random, tries=0)
        assert observe(drawn, seat) == seen
        check_conserved(drawn)
        check_knowledge(drawn)


def test_between_two_seats_a_pass_reveals_nothing() -> None:
    tested = 0
    for state, log, seat in after_passes(scant(2), 40):
        worlds = CardWorlds(state.rules, seat)
        chances = hands_of(worlds.hear([seen_by(event, seat) for event in log]))
        assert (len(chances), worlds.narrowed, state.passed) == (1, False, ())
        assert hands(determinize(observe(state, seat), Random(0))) == hands(state)
        tested += 1
    assert tested > 2


def test_a_voluntary_pass_reveals_nothing() -> None:
    def lazy(actions: list[int], random: Random) -> int:
        return PASS if PASS in actions and random.random() < 0.3 else drawing(actions, random)

    found = [state for state, _, _ in after_passes(scant(3, **{"pass": "voluntary"}), 10, lazy)]
    assert found
    assert not any(state.passed for state in found)

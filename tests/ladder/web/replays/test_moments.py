"""The moments of a match from each perspective: exactly what the engine reveals."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import pytest

from damrak_engine import events
from damrak_engine.cards import CARDS, NO_CARD, WILD, Card, counts, size
from damrak_engine.events import Event
from damrak_engine.observation import observe
from damrak_engine.position import OVER, SETUP
from damrak_engine.replay import Replay
from damrak_engine.verify import fold
from damrak_ladder.web.replays.moments import moments_of
from damrak_ladder.web.replays.viewpoints import ALL, TABLE, eyes_of
from ladder.films import film

GAMES = [
    (seats, number, leaver) for seats in (2, 3, 4) for number in (1, 2) for leaver in (None, 1)
]


def states_of(replay: Replay, eyes: str) -> list[dict[str, Any]]:
    """Return the whole table at each moment."""
    changes = [change for _, change in moments_of(replay, eyes)["moments"]]
    return list(accumulate(changes, lambda before, change: before | change, initial={}))[1:]


def same_row(row: list[int]) -> list[int]:
    """Return a row of the viewer in the form of the engine."""
    return [NO_CARD if card < 0 else card for card in row]


@pytest.mark.parametrize(("seats", "number", "leaver"), GAMES)
def test_seats_are_shown_what_the_engine_lets_them_see(
    seats: int, number: int, leaver: int | None
) -> None:
    replay = film(seats, number, leaver=leaver)
    shown = {seat: states_of(replay, str(seat)) for seat in range(seats)}
    for count, state in fold(replay):
        for seat, states in shown.items():
            seen, table = observe(state, seat), states[count - 1]
            others = [other for other in range(seats) if other != seat]
            assert same_row(table["row"]) == list(seen.row)
            assert table["pile"] == seen.pile_size
            assert table["goods"] == seen.goods_left
            assert table["lost"] == 0
            assert tuple(table["discards"]) == counts(seen.discards)
            assert tuple(table[f"h{seat}"]) == (*counts(seen.hand), 0)
            for other in others:
                known = seen.known[other]
                assert seen.hand_sizes is not None
                hidden = seen.hand_sizes[other] - size(known)
                assert tuple(table[f"h{other}"]) == (*counts(known), hidden)
            assert tuple(table["floor"]) == counts(seen.floor)
            for any_seat in range(seats):
                assert table[f"k{any_seat}"] == seen.carts[any_seat]
                assert table[f"p{any_seat}"] == seen.points[any_seat]
                assert table[f"g{any_seat}"] == seen.goods[any_seat]
                if state.phase != SETUP:  # the first choices are shown one by one
                    assert len(table[f"c{any_seat}"]) == seen.contract_counts[any_seat]
                owned = sum(
                    1 << route
                    for route in range(len(replay.board.routes))
                    if table.get(f"r{route}") == any_seat
                )
                assert owned == seen.owned[any_seat]
            own = sum(1 << contract for contract in table[f"c{seat}"])
            assert own == seen.contracts
            assert tuple(table[f"q{seat}"]) == seen.offer


@pytest.mark.parametrize(("seats", "number", "leaver"), GAMES)
def test_all_eyes_see_every_card_and_whose_turn_it_is(
    seats: int, number: int, leaver: int | None
) -> None:
    replay = film(seats, number, leaver=leaver)
    table = states_of(replay, ALL)
    for count, state in fold(replay):
        now = table[count - 1]
        assert [tuple(now[f"h{seat}"]) for seat in range(seats)] == [
            (*counts(hand), 0) for hand in state.hands
        ]
        assert now["unseen"] == list(state.pile)
        if state.phase != OVER:
            assert now["actor"][0] in state.owing()


@pytest.mark.parametrize("eyes", [ALL, TABLE, "0", "2"])
def test_game_ends_with_the_result_of_the_engine(eyes: str) -> None:
    replay = film(3, 5)
    last = states_of(replay, eyes)[-1]
    for seat, came in enumerate(replay.result.seats):
        assert last[f"s{seat}"] == last[f"z{seat}"] == came.total
        assert last[f"y{seat}"] == came.place
        assert sorted(last[f"c{seat}"]) == sorted((*came.fulfilled, *came.failed))
        assert last[f"d{seat}"] == list(came.fulfilled)


def test_scoring_goes_step_by_step_to_the_total() -> None:
    replay = film(4, 3)
    states = states_of(replay, TABLE)[len(replay.events) :]
    scored = moments_of(replay, TABLE)["moments"][len(replay.events) :]
    assert scored[0][0]["event"] == "count_routes"
    for (event, _), (before, after) in zip(scored[1:-1], pairwise(states), strict=False):
        seat = event["seat"]
        assert after[f"z{seat}"] - before[f"z{seat}"] == event["points"]
    assert [states[-2][f"z{seat}"] for seat in range(4)] == [
        came.total for came in replay.result.seats
    ]


def other_card(card: Card | None) -> Card:
    """Return any other card."""
    assert card is not None
    return CARDS[(card + 1) % (WILD + 1)]


def elsewhere(event: Event, seat: int, contracts: int) -> Event:
    """Return the event in a world that differs in everything this seat does not see."""

    def others(ids: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return tuple((contract or 0) + 1 if contract != contracts - 1 else 0 for contract in ids)

    match event:
        case events.Deal():
            return replace(
                event,
                hands=tuple(
                    hand if i == seat else tuple(map(other_card, hand))
                    for i, hand in enumerate(event.hands)
                ),
                contracts=tuple(
                    ids if i == seat else others(ids) for i, ids in enumerate(event.contracts)
                ),
            )
        case events.Decision() if event.seat != seat:
            changed = replace(event, note="something else")
            if isinstance(changed, events.Blind):
                return replace(changed, card=other_card(changed.card))
            if isinstance(changed, events.Keep | events.Offer):
                return replace(changed, contracts=others(changed.contracts))
            return changed
    return event


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_indistinguishable_worlds_are_shown_identically(seats: int, number: int) -> None:
    replay = film(seats, number)
    contracts = len(replay.board.contracts)
    for eyes in eyes_of(seats)[1:]:
        seat = -1 if eyes == TABLE else int(eyes)
        happened = tuple(elsewhere(event, seat, contracts) for event in replay.events)
        assert happened != replay.events
        here = moments_of(replay, eyes)
        there = moments_of(replace(replay, events=happened), eyes)
        length = len(replay.events)
        assert json.dumps(here["moments"][:length]) == json.dumps(there["moments"][:length])


def test_others_never_read_notes_and_details() -> None:
    replay = film(3, 4, leaver=2)
    for eyes, foreign in ((TABLE, (0, 1, 2)), ("0", (1, 2)), ("1", (0, 2))):
        text = json.dumps(moments_of(replay, eyes))
        assert not any(f"a note of seat {seat}" in text for seat in foreign)
        assert "a secret of the bot" not in text
    assert "a note of seat 1" in json.dumps(moments_of(replay, "1"))


def test_all_times_are_known_after_the_match() -> None:
    replay = film(2, 6)
    spent = [0, 0]
    for event in replay.events:
        if isinstance(event, events.Decision):
            spent[event.seat] += event.ms or 0
    for eyes in eyes_of(2):
        last = states_of(replay, eyes)[-1]
        assert [last["m0"], last["m1"]] == spent

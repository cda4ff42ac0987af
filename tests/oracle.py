"""A second, slow and simple implementation of the rules, route by route and card by card.

It reads the fields of a state and the board file, and does not use the engine's tables.
"""

from __future__ import annotations

from collections import Counter

from damrak_engine.actions import (
    Action,
    ClaimRoute,
    DrawBlind,
    DrawContracts,
    KeepContracts,
    PassTurn,
    TakeCard,
)
from damrak_engine.board import Board
from damrak_engine.cards import WORDS, Card
from damrak_engine.events import event_to_json
from damrak_engine.hoards import RESHUFFLED
from damrak_engine.position import KEEP, OVER, SECOND, SETUP
from damrak_engine.scoring import Result
from damrak_engine.state import State

COLOUR_WORDS = WORDS[:6]


def held(pack: int) -> dict[str, int]:
    """Return the number of cards of each kind, by word."""
    return {word: pack >> 8 * kind & 255 for kind, word in enumerate(WORDS)}


def legal(state: State) -> set[Action]:
    """Return the legal actions of the actor, typed."""
    if state.phase == OVER:
        return set()
    if state.phase in (SETUP, KEEP):
        if len(state.offers[state.actor]) == 1:
            return {KeepContracts(True, False)}
        return {
            KeepContracts(True, False),
            KeepContracts(False, True),
            KeepContracts(True, True),
        }
    cards = cards_to_draw(state, second=state.phase == SECOND)
    options = state.rules.options
    if state.phase == SECOND:
        return cards | ({PassTurn()} if options.second_card == "optional" else set())
    found: set[Action] = cards | claims(state, state.actor)
    if state.undrawn or state.returned:
        found.add(DrawContracts())
    if not found or options.pass_ == "voluntary":
        found.add(PassTurn())
    return found


def cards_to_draw(state: State, second: bool) -> set[Action]:
    """Return the actions that draw a card."""
    found: set[Action] = set()
    if sum(state.pile) or state.discards:
        found.add(DrawBlind())
    for slot, card in enumerate(state.row):
        if card < 6 or (card == 6 and not second):
            found.add(TakeCard(slot))
    return found


def claims(state: State, seat: int) -> set[Action]:
    """Return the payments by which a seat may claim a route."""
    board, options = state.rules.board.source, state.rules.options
    cards = held(state.hands[seat])
    owner = {
        route["id"]: s
        for route in board["routes"]
        for s in range(state.rules.seats)
        if state.owned[s] >> route["id"] & 1
    }
    both_open = state.rules.seats >= int(options.double_open_from.split()[0])
    found: set[Action] = set()
    for route in board["routes"]:
        if route["id"] in owner or route["length"] > state.carts[seat]:
            continue
        twin_owner = owner.get(route.get("twin"))
        if twin_owner is not None and (twin_owner == seat or not both_open):
            continue
        colours = COLOUR_WORDS if route["colour"] == "grey" else [route["colour"]]
        for colour in colours:
            for wilds in range(route["length"]):
                if cards[colour] >= route["length"] - wilds and cards["wild"] >= wilds:
                    found.add(ClaimRoute(route["id"], Card[colour.upper()], wilds))
        if cards["wild"] >= route["length"] and options.all_wild == "yes":
            found.add(ClaimRoute(route["id"], None, route["length"]))
    return found


# ---- scoring -----------------------------------------------------------------------------------


def joined(board: Board, owned: int, start: str, goal: str) -> bool:
    """Return whether these routes connect the two locations."""
    reached, grown = {start}, True
    while grown:
        grown = False
        for route in board.source["routes"]:
            ends = {route["from"], route["to"]}
            if owned >> route["id"] & 1 and len(ends & reached) == 1:
                reached |= ends
                grown = True
    return goal in reached


def goods_bonus(counts: list[int], column: list[int], ties: str) -> list[int]:
    """Return the goods bonus of each seat, by ranks in order of the number of goods cards."""
    bonus = [0] * len(counts)
    rank = 0
    for number in sorted({n for n in counts if n}, reverse=True):
        tied = [seat for seat, n in enumerate(counts) if n == number]
        points = [column[r] if r < len(column) else 0 for r in range(rank, rank + len(tied))]
        for seat in tied:
            bonus[seat] = sum(points) // len(tied) if ties == "split" else points[0]
        if ties == "dense":
            rank += 1
        elif ties == "skip_one":
            rank += 1 if len(tied) == 1 else 2
        else:
            rank += len(tied)
    return bonus


def check_result(state: State, result: Result) -> None:
    """Assert that the result follows from the final position."""
    board, options = state.rules.board, state.rules.options
    source = board.source
    column = source["goods_bonus"][str(state.rules.seats)]
    goods = goods_bonus(list(state.goods), column, options.goods_ties)
    keys = []
    for seat, row in enumerate(result.seats):
        own = [r for r in source["routes"] if state.owned[seat] >> r["id"] & 1]
        assert row.routes == sum(source["route_points"][str(r["length"])] for r in own)
        assert row.carts_left == source["carts_per_player"] - sum(r["length"] for r in own)
        contracts = [
            (c, joined(board, state.owned[seat], c["from"], c["to"]))
            for c in sorted(source["contracts"], key=lambda c: c["id"])
            if state.contracts[seat] >> c["id"] & 1
        ]
        assert row.fulfilled == tuple(c["id"] for c, done in contracts if done)
        assert row.failed == tuple(c["id"] for c, done in contracts if not done)
        assert row.contracts == sum(c["points"] * (1 if done else -1) for c, done in contracts)
        assert (row.goods_cards, row.goods) == (state.goods[seat], goods[seat])
        assert row.total == row.routes + row.contracts + row.goods
        keys.append((row.total, len(row.fulfilled)))
    check_places(state, result, keys)


def check_places(state: State, result: Result, keys: list[tuple[int, int]]) -> None:
    """Assert that the places follow from totals, fulfilled contracts and the seats that left."""
    options = state.rules.options
    places = [row.place for row in result.seats]
    leavers = [seat for seat, _ in state.left]
    stayed = [seat for seat in range(state.rules.seats) if seat not in leavers]
    for order, seat in enumerate(leavers):
        assert places[seat] == state.rules.seats - order
    if state.end_reason == "stalemate" and options.stalemate == "annul":
        assert {places[seat] for seat in stayed} == {1}
        return
    for seat in stayed:
        better = [s for s in stayed if keys[s] > keys[seat]]
        level = [s for s in stayed if keys[s] == keys[seat]]
        assert 1 + len(better) <= places[seat] <= len(better) + len(level)
        if options.final_tie == "shared":
            assert places[seat] == 1 + len(better)
        if options.final_tie == "goods":
            ahead = [s for s in level if state.goods[s] > state.goods[seat]]
            assert places[seat] == 1 + len(better) + len(ahead)
    if options.final_tie == "seed draw":
        assert sorted(places) == list(range(1, state.rules.seats + 1))


# ---- conservation -------------------------------------------------------------------------------


def check_conserved(state: State) -> None:
    """Assert that cards, contracts, carts and goods cards are conserved."""
    rules = state.rules
    source = rules.board.source
    for kind, word in enumerate(WORDS):
        there = sum(held(hand)[word] for hand in state.hands) + held(state.discards)[word]
        there += state.pile[kind] + list(state.row).count(kind)
        assert there == source["wild_cards" if word == "wild" else "cards_per_colour"], word
    assert state.pile_size == sum(state.pile)
    where = [i for i in range(60) if state.undrawn >> i & 1] + list(state.returned)
    for seat in range(rules.seats):
        where += [i for i in range(60) if state.contracts[seat] >> i & 1] + list(state.offers[seat])
    assert sorted(where) == list(range(len(source["contracts"])))
    lengths = {route["id"]: route["length"] for route in source["routes"]}
    for seat in range(rules.seats):
        spaces = sum(n for i, n in lengths.items() if state.owned[seat] >> i & 1)
        assert state.carts[seat] + spaces == source["carts_per_player"]
        assert state.carts[seat] >= 0
        for other in range(seat):
            assert not state.owned[seat] & state.owned[other]
    assert sum(state.goods) + state.goods_left == source["goods_cards"]
    if rules.options.goods_exhausted == "none":
        assert state.goods_left >= 0
    for route in source["routes"]:
        if route.get("twin") is not None:
            pair = 1 << route["id"] | 1 << route["twin"]
            assert not any(owned & pair == pair for owned in state.owned)


def check_knowledge(state: State) -> None:
    """Assert that public knowledge about hands is true, and that a gap means no cards are left."""
    seats = range(state.rules.seats)
    for seat in seats:
        own = held(state.hands[seat])
        assert all(number <= own[word] for word, number in held(state.known[seat]).items())
    hidden = {
        seat: {w: held(state.hands[seat])[w] - held(state.known[seat])[w] for w in WORDS}
        for seat in seats
    }
    for seat, floor in enumerate(state.floor):
        for word, number in held(floor).items():
            assert number <= sum(hidden[other][word] for other in seats if other != seat)
    check_hoards(state, hidden)
    check_passes(state)
    if any(card > 6 for card in state.row) and state.end_reason != "forfeit":
        assert (state.pile_size, state.discards) == (0, 0)


def check_hoards(state: State, hidden: dict[int, dict[str, int]]) -> None:
    """Assert that hoards have the noted sizes, and that cards paid from them were added before."""
    seats = len(hidden)
    received = {
        seat: Counter(hidden[seat])
        + sum((Counter(held(paid)) for s, _, paid in state.shown if s == seat), Counter())
        for seat in hidden
    }
    at = 0
    for *hoards, pile, plain in state.hoards:
        sizes = state.hoard_sizes[at : at + seats]
        at += seats
        assert sizes == tuple(sum(held(hoard).values()) for hoard in hoards)
        if plain == RESHUFFLED:
            assert pile == 0
            for seat, hoard in enumerate(hoards):
                received[seat].subtract(held(hoard))
        else:
            assert sum(held(pile)[word] for word in COLOUR_WORDS) <= plain
            for seat, hoard in enumerate(hoards):
                assert Counter(held(hoard)) <= received[seat]
    assert at == len(state.hoard_sizes)
    for seat in hidden:
        assert all(number >= 0 for number in received[seat].values())


def check_passes(state: State) -> None:
    """Assert that seats that had to pass could not pay, by the notes about their hands."""
    needs_colour = state.rules.options.all_wild == "no"
    for seat, moments, payments, known, lengths in state.passed:
        hand = Counter(held(known))
        for noted in state.hoards[:moments]:
            if noted[-1] == RESHUFFLED:
                hand.update(held(noted[seat]))
        for payer, _, paid in state.shown[:payments]:
            if payer == seat:
                hand.subtract(held(paid))
        assert min(hand.values()) >= 0
        for word in COLOUR_WORDS:
            pays = held(lengths)[word] and hand[word] + hand["wild"] >= held(lengths)[word]
            assert not pays or (needs_colour and hand[word] == 0)


def fields_of(state: State) -> dict[str, object]:
    """Return every field of a state, as values that are independent of later changes."""
    names = [name for name in dir(state) if not name.startswith("_")]
    found: dict[str, object] = {}
    for name in names:
        value = getattr(state, name)
        if not callable(value):
            found[name] = list(value) if isinstance(value, list) else value
    found["log"] = None if state.log is None else [event_to_json(event) for event in state.log]
    return found

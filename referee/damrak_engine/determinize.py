"""Determinization: a random full state that is consistent with what one seat has seen.

All arrangements of the unseen cards and contracts that agree with what the seat has seen are
equally likely. The evidence is the identity of cards: which were taken from the row, which were
where when the discards were reshuffled, which contracts the seat itself returned and when they
must have been drawn again. A seat that pays is assumed to spend the publicly known cards of its
hand first, and a seat that had to pass cannot have held the cards for any route that it was free to
claim. The choices of opponents are not used as evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from damrak_engine.deal import blank
from damrak_engine.hands import place_cards
from damrak_engine.lots import Rng
from damrak_engine.observation import UNKNOWN, Observation, contract_deals
from damrak_engine.position import PENDING, SETUP
from damrak_engine.state import State

KEPT_ONE = 1  # it is not known which of the two
KEPT_BOTH = 3


def determinize(observation: Observation, rng: Rng) -> State:
    """Return a state drawn uniformly from those consistent with what the seat knows."""
    state = blank(observation.rules)
    state.phase = observation.phase
    state.actor = observation.actor
    state.first = observation.first
    state.turns = observation.turns
    state.discards = observation.discards
    state.row = list(observation.row)
    state.known = list(observation.known)
    if observation.floor or observation.old:
        state.floor = _floors(observation)
    state.carts = list(observation.carts)
    state.points = list(observation.points)
    state.goods = list(observation.goods)
    state.goods_left = observation.goods_left
    state.owned = list(observation.owned)
    state.open = observation.open
    state.barred = observation.barred
    state.passed = observation.passed
    state.passes = observation.passes
    state.last_turns = observation.last_turns
    state.closing = observation.closing
    state.gone = observation.gone
    state.left = observation.left
    state.end_reason = observation.end_reason
    state.dealt = observation.dealt
    if observation.phase == SETUP and observation.rules.unseen_choice:
        _choose_for_earlier_seats(state, observation, rng)
    place_cards(state, observation, rng)
    _place_contracts(state, observation, rng)
    return state


def _floors(seen: Observation) -> tuple[int, ...]:
    floors = [0] * seen.rules.seats
    floors[seen.seat] = seen.floor
    if seen.own and len(floors) == 2:  # the opponent's knowledge must fit this hand's hoard
        paid = sum([cards for seat, _, cards in seen.shown if seat == seen.seat])
        floors[1 - seen.seat] = seen.hand - seen.known[seen.seat] - seen.own[-1] + paid
    return tuple(floors)


# ---- contracts ---------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Slot:
    """A place of one contract: one of `ids` or, if `open`, any contract never seen."""

    ids: set[int] = field(default_factory=set)
    open: bool = True


@dataclass(slots=True)
class _Contracts:
    """All places of contracts that the seat knows of; their contents may be unknown."""

    undrawn: int
    hands: list[list[_Slot]]
    offers: list[list[_Slot]]
    returned: list[_Slot] = field(default_factory=list)

    def draw(self, number: int, ids: tuple[int, ...] | None) -> list[_Slot]:
        drawn = []
        for i in range(number):
            if self.undrawn:
                self.undrawn -= 1
                slot = _Slot()
            else:
                slot = self.returned.pop(0)
            drawn.append(slot if ids is None else _Slot({ids[i]}, open=False))
        return drawn

    def answer(self, seat: int, kept: int, kept_ids: tuple[int, ...] | None) -> None:
        offer, self.offers[seat] = self.offers[seat], []
        if kept == len(offer):
            self.hands[seat] += offer
        elif kept == 0:
            self.returned += offer
        elif kept_ids is not None:
            for slot in offer:
                (self.hands[seat] if slot.ids == set(kept_ids) else self.returned).append(slot)
        else:  # one of the two; other seats do not know which
            ids = offer[0].ids | offer[1].ids
            is_open = offer[0].open or offer[1].open
            self.hands[seat].append(_Slot(ids, is_open))
            self.returned.append(_Slot(set(ids), is_open))


def _place_contracts(state: State, seen: Observation, rng: Rng) -> None:
    everything = len(state.rules.board.contracts)
    places = _known_places(state, seen, everything)
    own = {i for i in range(everything) if seen.contracts >> i & 1} | set(seen.offer)
    others = [seat for seat in range(state.rules.seats) if seat != seen.seat]
    slots = [slot for seat in others for slot in places.hands[seat] + places.offers[seat]]
    content = _fill_slots(slots + places.returned, own, everything, rng)
    contracts = [0] * state.rules.seats
    offers: list[tuple[int, ...]] = [()] * state.rules.seats
    for seat in others:
        contracts[seat] = sum([1 << content[slot] for slot in places.hands[seat]])
        offers[seat] = tuple([content[slot] for slot in places.offers[seat]])
    contracts[seen.seat] = seen.contracts
    offers[seen.seat] = seen.offer
    state.contracts = tuple(contracts)
    state.offers = tuple(offers)
    state.returned = tuple([content[slot] for slot in places.returned])
    placed = sum(contracts) | sum([1 << i for i in (*content.values(), *seen.offer)])
    state.undrawn = ((1 << everything) - 1) & ~placed


def _known_places(state: State, seen: Observation, everything: int) -> _Contracts:
    seats = state.rules.seats
    places = _Contracts(everything, [[] for _ in range(seats)], [[] for _ in range(seats)])
    deals = contract_deals(state.dealt)
    first_deals = {deal.seat: deal for deal in deals[:seats]}
    for deal in deals[:seats]:
        places.offers[deal.seat] = places.draw(deal.number, deal.ids)
    for i in range(seats):
        deal = first_deals[(seen.first + i) % seats]
        if deal.answered:
            places.answer(deal.seat, deal.kept, deal.kept_ids)
    if state.rules.options.returned_order == "shuffled" and seen.phase != SETUP:
        ids = {i for slot in places.returned for i in slot.ids}
        is_open = any(slot.open for slot in places.returned)
        places.returned = [_Slot(set(ids), is_open) for _ in places.returned]
    for deal in deals[seats:]:
        places.offers[deal.seat] = places.draw(deal.number, deal.ids)
        if deal.answered:
            places.answer(deal.seat, deal.kept, deal.kept_ids)
    return places


def _fill_slots(
    slots: Sequence[_Slot], own: set[int], everything: int, rng: Rng
) -> dict[_Slot, int]:
    """Return a random content for every slot, with all possible ways equally likely."""
    traced = sorted({i for slot in slots for i in slot.ids} - own)
    ways: list[dict[_Slot, int]] = []

    def place(index: int, taken: dict[_Slot, int]) -> None:
        if index == len(traced):
            if all(slot.open or slot in taken for slot in slots):
                ways.append(dict(taken))
            return
        for slot in slots:
            if traced[index] in slot.ids and slot not in taken:
                taken[slot] = traced[index]
                place(index + 1, taken)
                del taken[slot]

    place(0, {})
    content = ways[rng.randrange(len(ways))]
    never_seen = [i for i in range(everything) if i not in own and i not in traced]
    rng.shuffle(never_seen)
    for slot in slots:
        if slot not in content:
            content[slot] = never_seen.pop()
    return content


# ---- the unseen choices of a set-up ------------------------------------------------------------


def _choose_for_earlier_seats(state: State, seen: Observation, rng: Rng) -> None:
    """Draw the hidden choices of seats that are earlier in turn order."""
    seats = state.rules.seats
    order = [(seen.first + i) % seats for i in range(seats)]
    place = order.index(seen.seat)
    if seen.actor == UNKNOWN:  # the seat has chosen, and so may have seats after it
        done = seen.gone | 1 << seen.seat
        place = 1 + max([i for i, seat in enumerate(order) if done >> seat & 1])
        lot = rng.randrange(sum([3**chosen for chosen in range(seats - place)]))
        chosen = 0
        while lot >= 3**chosen:
            lot -= 3**chosen
            chosen += 1
        place += chosen
    state.actor = order[place]
    dealt = list(state.dealt)  # one offer per seat so far, in seat order
    for seat in order[:place]:
        if dealt[seat] >> 15 == PENDING:
            dealt[seat] |= (KEPT_BOTH if rng.randrange(3) == 0 else KEPT_ONE) << 15
    state.dealt = tuple(dealt)

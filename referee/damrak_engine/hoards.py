"""Hoards: the cards that seats received unseen, recorded when something is revealed about them.

Three events reveal something. When the discards are reshuffled, the pile is empty, so all cards
that a seat does not see are in the other hands. When a seat has to pass, the pile is empty too, and
its hand cannot pay for any free route. And when wilds stay in a full row, the pile can contain only
a few other cards. Until the next reshuffle all cards come from one pile, so a *hoard* is what a
seat has received unseen since the last reshuffle, or at first since the start of the game.

With two seats an empty pile reveals the other hand, so a pass adds nothing. After a reshuffle the
floor contains that knowledge and the earlier records are discarded; hoards then contain only cards
received later.
"""

from __future__ import annotations

from typing import Final

from damrak_engine.cards import COLOURS, packed_counts, size
from damrak_engine.position import Position

# Replaces the maximum number of non-wild cards in the pile: the pile was empty, and the cards of
# the next pile are public.
RESHUFFLED: Final = 3


def certain_cards(state: Position, seat: int) -> int:
    """Return cards that the only opponent knows this seat holds, beyond the public ones."""
    return state.floor[1 - seat] if state.floor and state.rules.seats == 2 else 0


def note_hoards(state: Position, plain: int) -> None:
    """Record what every seat has received unseen since the last reshuffle, and the pile.

    The pile contains at most `plain` non-wild cards, or it is empty: `RESHUFFLED`.
    """
    noted = state.hoards
    if noted and noted[-1][-1] <= plain < RESHUFFLED:
        return  # nothing new: the pile has only shrunk since
    seats = state.rules.seats
    hoards = [received_unseen(state, seat) for seat in range(seats)]
    if plain == RESHUFFLED and not any(hoards):
        while noted and noted[-1][-1] != RESHUFFLED:
            noted = noted[:-1]
    else:
        noted = (*noted, (*hoards, packed_counts(state.pile), plain))
    state.hoards = noted
    state.hoard_sizes = tuple([size(each[seat]) for each in noted for seat in range(seats)])


def note_pass(state: Position) -> None:
    """Record which routes the passing actor was free to claim but could not pay for."""
    rules = state.rules
    if rules.may_pass or rules.seats == 2:
        return
    seat = state.actor
    free = state.open & ~state.barred[seat] & rules.within_carts[state.carts[seat]]
    shortest = [0] * COLOURS
    for claim in rules.claims:
        if claim.colour >= 0 and free & rules.bit[claim.action]:
            length = shortest[claim.colour]
            if length == 0 or claim.length < length:
                shortest[claim.colour] = claim.length
    if any(shortest):
        note_hoards(state, RESHUFFLED)
        noted = (len(state.hoards), len(state.shown), state.known[seat])
        if state.hoards:  # otherwise all hands are public
            state.passed = (*state.passed, (seat, *noted, packed_counts(shortest)))


def received_unseen(state: Position, seat: int) -> int:
    """Return what this seat has received unseen since the last reshuffle."""
    hoard = state.hands[seat] - state.known[seat] - certain_cards(state, seat)
    for payer, _, cards in state.shown:
        if payer == seat:
            hoard += cards
    for noted in state.hoards:
        if noted[-1] == RESHUFFLED:
            hoard -= noted[seat]
    return hoard

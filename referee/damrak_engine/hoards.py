"""What seats receive unseen, noted at the moments that say something about it.

Three things say something. When the discards are reshuffled the pile is empty, so all that a seat
does not see is in the other hands. When a seat has to pass it is empty too, and that hand pays for
no route that is free. And wilds that are left to lie in a full row say how few other cards the pile
can hold. Until the next reshuffle all cards come from one pile, so a *hoard* is what a seat has
received unseen since the last one, or at first since the game began.

With two seats an empty pile says what the other hand holds, so a pass says nothing more. After a
reshuffle the floor has that, and what was noted before is not needed any more. The hoards are then
of what came later.
"""

from __future__ import annotations

from typing import Final

from damrak_engine.cards import COLOURS, packed_counts, size
from damrak_engine.position import Position

# In place of how many cards other than wilds the pile held at most: it was empty, and what will be
# the next one lies open.
RESHUFFLED: Final = 3


def certain_cards(state: Position, seat: int) -> int:
    """Cards that the only other seat knows this one holds, besides those that everybody knows."""
    return state.floor[1 - seat] if state.floor and state.rules.seats == 2 else 0


def note_hoards(state: Position, plain: int) -> None:
    """Note what every seat has received unseen since the last reshuffle, and what the pile is.

    The pile holds at most `plain` cards that are no wilds, or it is empty: `RESHUFFLED`.
    """
    noted = state.hoards
    if noted and noted[-1][-1] <= plain < RESHUFFLED:
        return  # no news: the pile has only shrunk since
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
    """Note which routes the actor, who passes, would have claimed if it could have paid."""
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
        if state.hoards:  # else all hands lie open
            state.passed = (*state.passed, (seat, *noted, packed_counts(shortest)))


def received_unseen(state: Position, seat: int) -> int:
    """What this seat has received unseen since the last reshuffle."""
    hoard = state.hands[seat] - state.known[seat] - certain_cards(state, seat)
    for payer, _, cards in state.shown:
        if payer == seat:
            hoard += cards
    for noted in state.hoards:
        if noted[-1] == RESHUFFLED:
            hoard -= noted[seat]
    return hoard

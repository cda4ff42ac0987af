"""Supply of cards and contracts: pile, row, discards and contract pile."""

from __future__ import annotations

from typing import Final

from damrak_engine import dice as chance, events
from damrak_engine.cards import (
    CARDS,
    NO_CARD,
    PLAIN,
    WILD,
    counts,
    packed,
    packed_counts,
    size,
    without,
)
from damrak_engine.dice import Dice
from damrak_engine.hoards import RESHUFFLED, certain_cards, note_hoards
from damrak_engine.position import NO_CONTRACT, PENDING, ROW_SIZE, Position

FLUSH_CAP: Final = 1000  # only the option reshuffle = eager could ever approach it
FEWEST_TO_FLUSH: Final = 3  # non-wild cards that a row of five with fewer than three wilds needs


def draw(state: Position, stream: int, dice: Dice) -> int:
    """Draw a card from the pile; return NO_CARD if pile and discards are empty."""
    if state.pile_size == 0:
        reshuffle_if_empty(state)
        if state.pile_size == 0:
            return NO_CARD
    index = dice.pick(stream, state.pile_size)
    pile = state.pile
    card = 0
    for of_kind in pile:
        if index < of_kind:
            break
        index -= of_kind
        card += 1
    pile[card] -= 1
    state.pile_size -= 1
    return card


def reshuffle_if_empty(state: Position) -> None:
    """Make the discards the pile if it is empty, and record what every seat can conclude."""
    if state.pile_size > 0 or state.discards == 0:
        return
    hidden = sum(state.hands) - sum(state.known)
    state.floor = tuple(
        [hidden - state.hands[i] + state.known[i] for i in range(state.rules.seats)]
    )
    if state.rules.seats > 2:
        note_hoards(state, RESHUFFLED)
    else:  # the floor contains all of it
        state.hoards = ()
        state.hoard_sizes = ()
        state.shown = ()
    state.pile = list(counts(state.discards))
    state.pile_size = size(state.discards)
    state.discards = 0
    if state.log is not None:
        state.log.append(events.Reshuffle())


def show(state: Position, seat: int, cards: int) -> None:
    """Make these cards of a hand public, and remove them from what was known of it."""
    known = state.known[seat]
    if known:
        state.known[seat] = without(known, cards)
    if not state.floor and not state.hoards:
        return
    unexpected = without(cards, known)
    if not unexpected:
        return
    certain = certain_cards(state, seat)
    if state.floor:
        state.floor = tuple(
            [
                floor if other == seat else without(floor, unexpected)
                for other, floor in enumerate(state.floor)
            ]
        )
    loose = without(unexpected, certain)
    if state.hoards and loose:
        received = size(state.hands[seat] + cards - known - certain)
        received += sum([size(paid) for payer, _, paid in state.shown if payer == seat])
        state.shown = (*state.shown, (seat, received, loose))


def fill(state: Position, slot: int, dice: Dice) -> None:
    """Turn up a card in this slot, if any card is left."""
    card = draw(state, chance.ROW, dice)
    state.row[slot] = card
    if state.log is not None and card != NO_CARD:
        state.log.append(events.Refill(slot, CARDS[card]))
    if state.pile_size == 0 and not state.rules.lazy_reshuffle:
        reshuffle_if_empty(state)


def restore_row(state: Position, dice: Dice) -> None:
    """Fill the gaps, now that there may be discards, and flush if necessary."""
    row = state.row
    if NO_CARD in row:
        for slot in range(ROW_SIZE):
            if row[slot] == NO_CARD:
                fill(state, slot, dice)
    if row.count(WILD) >= 3:
        flush(state, dice)


def flush(state: Position, dice: Dice) -> None:
    """Turn up a new row while this one shows too many wilds and a better one exists."""
    row = state.row
    done = 0
    while row.count(WILD) >= 3 and _may_flush(state, done):
        if state.log is not None:
            state.log.append(events.Flush(tuple([CARDS[card] for card in row])))
        state.discards += packed(row)
        for slot in range(ROW_SIZE):
            row[slot] = NO_CARD
        for slot in range(ROW_SIZE):
            fill(state, slot, dice)
        done += 1
    if row.count(WILD) >= 3 and _may_say_why(state, done):
        plain = sum([card < WILD for card in row]) + size(state.discards & PLAIN)
        note_hoards(state, FEWEST_TO_FLUSH - 1 - plain)


def _may_flush(state: Position, done: int) -> bool:
    if NO_CARD in state.row or done >= FLUSH_CAP:
        return False
    limit = state.rules.flush_limit
    if limit >= 0:
        return done < limit
    pool = packed_counts(state.pile) + state.discards + packed(state.row)
    return size(pool & PLAIN) >= FEWEST_TO_FLUSH


def _may_say_why(state: Position, done: int) -> bool:
    """Return whether wilds that stay in the row reveal that few other cards are left."""
    return NO_CARD not in state.row and done < FLUSH_CAP and state.rules.flush_limit < 0


def draw_contract(state: Position, seat: int, dice: Dice) -> int:
    """Draw a contract: at random while some are undrawn, then the oldest returned one."""
    if not state.undrawn:
        contract = state.returned[0]
        state.returned = state.returned[1:]
        return contract
    skip = dice.pick(chance.CONTRACT + seat, state.undrawn.bit_count())
    mask = state.undrawn
    while skip:
        mask &= mask - 1
        skip -= 1
    state.undrawn ^= mask & -mask
    return (mask & -mask).bit_length() - 1


def put_on_offer(state: Position, seat: int, offer: list[int]) -> None:
    """Offer these contracts to a seat."""
    offers = list(state.offers)
    offers[seat] = tuple(offer)
    state.offers = tuple(offers)
    second = offer[1] if len(offer) == 2 else NO_CONTRACT
    state.dealt = (*state.dealt, seat | offer[0] << 3 | second << 9)


def settle_offer(state: Position, seat: int, answer: int) -> None:
    """Record how a seat answered its offer."""
    offers = list(state.offers)
    offers[seat] = ()
    state.offers = tuple(offers)
    dealt = list(state.dealt)
    i = len(dealt) - 1
    while dealt[i] & 7 != seat or dealt[i] >> 15 != PENDING:
        i -= 1
    dealt[i] |= answer << 15
    state.dealt = tuple(dealt)


def shuffle_returned(state: Position, dice: Dice) -> None:
    """Shuffle the contracts under the pile, for the option returned_order."""
    rest = list(state.returned)
    order: list[int] = []
    while rest:
        order.append(rest.pop(dice.pick(chance.RETURNED, len(rest))))
    state.returned = tuple(order)

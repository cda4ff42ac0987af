"""Legal actions as masks: bit a is set if action a is legal."""

from __future__ import annotations

from typing import Final

from damrak_engine.actions import (
    BLIND,
    FIRST_CLAIM,
    KEEP_BOTH,
    KEEP_FIRST,
    KEEP_SECOND,
    OFFER,
    PASS,
    TAKE,
)
from damrak_engine.cards import BITS, NO_CARD, WILD, WILD_SHIFT, Card
from damrak_engine.position import KEEP, OVER, ROW_SIZE, SECOND, SETUP, Position
from damrak_engine.rules import PAIR

ANY_SLOT: Final = 0b11111 << TAKE
BLINDLY: Final = 1 << BLIND
ANY_CARD: Final = ANY_SLOT | BLINDLY
OFFERS: Final = 1 << OFFER
GREEN_SHIFT: Final = BITS * Card.GREEN
RED_SHIFT: Final = BITS * Card.RED
KEEPS: Final = 1 << KEEP_FIRST | 1 << KEEP_SECOND | 1 << KEEP_BOTH


def legal_turn(state: Position) -> int:
    """Return the legal actions of the actor at the start of its turn."""
    rules = state.rules
    seat = state.actor
    hand = state.hands[seat]
    legal = (
        state.open
        & rules.within_carts[state.carts[seat]]
        & rules.within_wilds[hand >> WILD_SHIFT]
        & (
            rules.pay_pink_blue[hand & PAIR]
            | rules.pay_green_black[hand >> GREEN_SHIFT & PAIR]
            | rules.pay_red_orange[hand >> RED_SHIFT & PAIR]
        )
    )
    barred = state.barred[seat]
    if barred:
        legal &= ~barred
    if state.pile_size > 0 or state.discards > 0:
        legal |= ANY_CARD  # the row has gaps only when no cards are left to fill them
    else:
        for slot in range(ROW_SIZE):
            if state.row[slot] != NO_CARD:
                legal |= 1 << TAKE + slot
    if state.undrawn or state.returned:
        legal |= OFFERS
    if legal == 0 or rules.may_pass:
        legal |= 1 << PASS
    return legal


def legal_second(state: Position) -> int:
    """Return the legal actions after the first card; 0 if no second card is available."""
    row = state.row
    legal = BLINDLY if state.pile_size > 0 or state.discards > 0 else 0
    if legal and WILD not in row:
        legal = ANY_CARD
    else:
        for slot in range(ROW_SIZE):
            if row[slot] < WILD:
                legal |= 1 << TAKE + slot
    if legal:
        legal |= state.rules.stop
    return legal


def legal_keeps(state: Position) -> int:
    """Return the legal answers to the actor's offer; a single contract must be kept."""
    return KEEPS if len(state.offers[state.actor]) == 2 else 1 << KEEP_FIRST


def why_not(state: Position, action: int) -> str:
    """Return why this action is not legal, as text for people."""
    if not 0 <= action < len(state.rules.bit):
        return f"this board has the actions 0 to {len(state.rules.bit) - 1}"
    if state.phase == OVER:
        return "the game is over"
    words = state.rules.space.describe(action)
    if state.phase in (SETUP, KEEP):
        return f"cannot {words}: choose among the contracts on offer"
    if state.phase == SECOND:
        return f"cannot {words}: a second card must be drawn, no wild from the row"
    if action < FIRST_CLAIM:
        return f"cannot {words} now"
    claim = state.rules.claims[action - FIRST_CLAIM]
    if not (state.open & ~state.barred[state.actor]) & state.rules.bit[action]:
        return f"cannot {words}: the route is not open to seat {state.actor}"
    if claim.length > state.carts[state.actor]:
        return f"cannot {words}: only {state.carts[state.actor]} carts left"
    return f"cannot {words}: the hand does not hold these cards"

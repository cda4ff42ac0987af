"""Game state with the rules as methods: legal actions, their effects, and turn order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from damrak_engine import dice as chance, events
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
from damrak_engine.cards import CARDS, NO_CARD, ONE, WILD
from damrak_engine.dice import Dice, QuickDice
from damrak_engine.errors import IllegalAction, MatchError
from damrak_engine.hoards import note_pass
from damrak_engine.legal import legal_keeps, legal_second, legal_turn, why_not
from damrak_engine.position import (
    ABANDONED,
    KEEP,
    OVER,
    SECOND,
    SETUP,
    TURN,
    Position,
)
from damrak_engine.rules import Claim
from damrak_engine.supply import (
    draw,
    draw_contract,
    fill,
    flush,
    put_on_offer,
    reshuffle_if_empty,
    restore_row,
    settle_offer,
    show,
    shuffle_returned,
)

FIXED_MASK: Final = (1 << FIRST_CLAIM) - 1
FIXED_IDS: Final = [  # the action ids in each mask of non-claim actions
    [action for action in range(FIRST_CLAIM) if mask >> action & 1]
    for mask in range(FIXED_MASK + 1)
]
PLACES: Final = [[place for place in range(8) if byte >> place & 1] for byte in range(256)]
FEW_CARTS: Final = 2


class State(Position):
    """One position of one game, with the rules; `position` explains the fields."""

    __slots__ = ()

    def copy(self) -> State:
        """Return an independent state with no log."""
        new = State()
        new.rules = self.rules
        new.log = None
        new.phase = self.phase
        new.actor = self.actor
        new.first = self.first
        new.turns = self.turns
        new.pile = self.pile[:]
        new.pile_size = self.pile_size
        new.discards = self.discards
        new.row = self.row[:]
        new.hands = self.hands[:]
        new.known = self.known[:]
        new.floor = self.floor
        new.hoards = self.hoards
        new.hoard_sizes = self.hoard_sizes
        new.shown = self.shown
        new.passed = self.passed
        new.carts = self.carts[:]
        new.points = self.points[:]
        new.goods = self.goods[:]
        new.goods_left = self.goods_left
        new.owned = self.owned[:]
        new.open = self.open
        new.barred = self.barred
        new.contracts = self.contracts
        new.offers = self.offers
        new.undrawn = self.undrawn
        new.returned = self.returned
        new.dealt = self.dealt
        new.passes = self.passes
        new.last_turns = self.last_turns
        new.closing = self.closing
        new.gone = self.gone
        new.left = self.left
        new.end_reason = self.end_reason
        new.legal = self.legal
        return new

    # ---- legal actions ----------------------------------------------------------------------

    def owing(self) -> list[int]:
        """Return the seats that owe a decision now, in turn order."""
        if self.phase == OVER:
            return []
        if self.phase != SETUP or not self.rules.unseen_choice:
            return [self.actor]
        seats = self.rules.seats
        order = [(self.first + i) % seats for i in range(seats)]
        return [seat for seat in order if self.offers[seat] and not self.gone >> seat & 1]

    def legal_mask(self) -> int:
        """Return the legal actions of the actor as a mask: bit a is set if action a is legal."""
        legal = self.legal
        if legal >= 0:
            return legal
        phase = self.phase
        if phase == TURN:
            legal = legal_turn(self)
        elif phase == SECOND:
            legal = legal_second(self)
        elif phase == OVER:
            legal = 0
        else:
            legal = legal_keeps(self)
        self.legal = legal
        return legal

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the actor, ascending; none when the game is over."""
        mask = self.legal_mask()
        legal = FIXED_IDS[mask & FIXED_MASK][:]
        if mask > FIXED_MASK:
            claims = mask >> FIRST_CLAIM
            octets = claims.to_bytes((claims.bit_length() + 7) >> 3, "little")
            for i in range(len(octets)):
                octet = octets[i]
                if octet:
                    first = FIRST_CLAIM + 8 * i
                    for place in PLACES[octet]:
                        legal.append(first + place)
        return legal

    def legal_for(self, seat: int) -> list[int]:
        """Return the legal actions of a seat that owes a decision, else an empty list."""
        if seat == self.actor:
            return self.legal_actions()
        if seat in self.owing():
            return [KEEP_FIRST, KEEP_SECOND, KEEP_BOTH]
        return []

    def random_action(self, random: Callable[[], float]) -> int:
        """Return a legal action of the actor, each equally likely."""
        mask = self.legal
        if mask < 0:
            mask = self.legal_mask()
        fixed = FIXED_IDS[mask & FIXED_MASK]
        skip = int(random() * mask.bit_count())
        if skip < len(fixed):
            return fixed[skip]
        skip -= len(fixed)
        bit = self.rules.bit
        while skip:
            mask ^= bit[mask.bit_length() - 1]
            skip -= 1
        return mask.bit_length() - 1

    # ---- effects ----------------------------------------------------------------------------

    def apply(self, action: int, dice: Dice) -> None:
        """Play an action of the actor.

        Raises:
            IllegalAction: with the reason; the state has not changed.
        """
        legal = self.legal
        if legal < 0:
            legal = self.legal_mask()
        if action < 0 or not legal >> action & 1:
            raise IllegalAction(action, why_not(self, action))
        self._play(action, dice)

    def _play(self, action: int, dice: Dice) -> None:
        self.legal = -1
        if action >= FIRST_CLAIM:
            self._claim(self.rules.claims[action - FIRST_CLAIM], dice)
        elif action == BLIND:
            self._blind(dice)
        elif action < OFFER:
            self._take(action - TAKE, dice)
        elif action == OFFER:
            self._offer(dice)
        elif action == PASS:
            self._pass(dice)
        else:
            self._keep(action - OFFER, dice)

    def _claim(self, claim: Claim, dice: Dice) -> None:
        seat = self.actor
        self.passes = 0
        self.hands[seat] -= claim.cost
        self.discards += claim.cost
        show(self, seat, claim.cost)
        self.owned[seat] |= 1 << claim.route
        self.carts[seat] -= claim.length
        self.points[seat] += claim.points
        self.open &= claim.leaves
        if claim.bars:
            barred = list(self.barred)
            barred[seat] |= claim.bars
            self.barred = tuple(barred)
        goods = claim.goods and (self.goods_left > 0 or self.rules.virtual_goods)
        if goods:
            self.goods[seat] += 1
            self.goods_left -= 1
        if self.log is not None:
            colour = CARDS[claim.colour] if claim.colour >= 0 else None
            self.log.append(
                events.Claim(seat, route=claim.route, colour=colour, wilds=claim.wilds, goods=goods)
            )
        restore_row(self, dice)
        self._end_turn(dice)

    def _blind(self, dice: Dice) -> None:
        seat = self.actor
        self.passes = 0
        card = draw(self, chance.BLIND + seat, dice)
        self.hands[seat] += ONE[card]
        if self.log is not None:
            self.log.append(events.Blind(seat, card=CARDS[card]))
        if self.pile_size == 0 and not self.rules.lazy_reshuffle:
            reshuffle_if_empty(self)
        self._after_card(dice)

    def _take(self, slot: int, dice: Dice) -> None:
        seat = self.actor
        self.passes = 0
        row = self.row
        card = row[slot]
        row[slot] = NO_CARD
        self.hands[seat] += ONE[card]
        self.known[seat] += ONE[card]
        if self.log is not None:
            self.log.append(events.Take(seat, slot=slot, card=CARDS[card]))
        fill(self, slot, dice)
        if row.count(WILD) >= 3:
            flush(self, dice)
        if card == WILD:
            self._end_turn(dice)
        else:
            self._after_card(dice)

    def _after_card(self, dice: Dice) -> None:
        if self.phase == TURN:
            self.phase = SECOND
            self.legal = legal_second(self)
            if self.legal:
                return
        self._end_turn(dice)

    def _offer(self, dice: Dice) -> None:
        seat = self.actor
        self.passes = 0
        offer = [draw_contract(self, seat, dice)]
        if self.undrawn or self.returned:
            offer.append(draw_contract(self, seat, dice))
        put_on_offer(self, seat, offer)
        self.phase = KEEP
        if self.log is not None:
            self.log.append(events.Offer(seat, contracts=tuple(offer)))

    def _keep(self, kept: int, dice: Dice) -> None:
        seat = self.actor
        offer = self.offers[seat]
        chosen = tuple([offer[i] for i in range(len(offer)) if kept >> i & 1])
        contracts = list(self.contracts)
        for contract in chosen:
            contracts[seat] |= 1 << contract
        self.contracts = tuple(contracts)
        rejected = tuple([contract for contract in offer if contract not in chosen])
        self.returned = self.returned + rejected
        settle_offer(self, seat, kept)
        if self.log is not None:
            self.log.append(events.Keep(seat, contracts=chosen))
        if self.phase == SETUP:
            self._next_first_choice(dice)
        else:
            self._end_turn(dice)

    def _pass(self, dice: Dice) -> None:
        if self.log is not None:
            self.log.append(events.Pass(self.actor))
        if self.phase == TURN:
            note_pass(self)
            self.passes += 1
            if self.passes == self.seats_at_table():
                self._end("stalemate")
                return
        self._end_turn(dice)

    # ---- turn order -------------------------------------------------------------------------

    def _end_turn(self, dice: Dice) -> None:
        seat = self.actor
        self.turns += 1
        if self.last_turns:
            self.last_turns &= ~(1 << seat)
            if self.last_turns == 0:
                self._end("carts")
                return
        elif self.carts[seat] <= FEW_CARTS and not self.closing:
            if self.log is not None:
                self.log.append(events.LastRound(seat))
            if self.rules.equal_turns:
                self.closing = True
            else:
                self.last_turns = self._present()
        if self.turns == self.rules.turn_limit:
            self._end("turn_limit")
        else:
            self._next_turn()

    def _present(self) -> int:
        return ((1 << self.rules.seats) - 1) & ~self.gone

    def _next_turn(self) -> None:
        seats = self.rules.seats
        seat = (self.actor + 1) % seats
        while self.gone >> seat & 1:
            seat = (seat + 1) % seats
        if self.closing and (seat - self.first) % seats <= (self.actor - self.first) % seats:
            self.closing = False  # the round is complete
            self.last_turns = self._present()
        self.actor = seat
        self.phase = TURN
        self.legal = -1

    def _next_first_choice(self, dice: Dice) -> None:
        seats = self.rules.seats
        following = (self.actor + 1) % seats
        self.legal = -1
        if following != self.first:
            self.actor = following
            return
        if self.rules.options.returned_order == "shuffled":
            shuffle_returned(self, dice)
        self._next_turn()

    def _end(self, reason: str) -> None:
        self.phase = OVER
        self.actor = -1
        self.end_reason = reason
        self.legal = 0
        if self.log is not None:
            self.log.append(events.End(reason))

    def leave(self, seat: int, reason: str, detail: str, dice: Dice) -> None:
        """Remove a seat that owes a decision; `reason` is one of `events.FAULTS`.

        At set-up, seats must leave in turn order unless only one seat remains.

        Raises:
            MatchError: this seat owes no decision now, or it is not the next one at set-up.
        """
        if seat not in self.owing():
            raise MatchError(f"seat {seat} owes no decision and cannot leave now")
        forfeit = self.seats_at_table() == 2
        if seat != self.actor and not forfeit:
            raise MatchError(f"at set-up seat {self.actor} comes before seat {seat}")
        self.gone |= 1 << seat
        self.left = (*self.left, (seat, reason))
        self.passes = 0
        hand = self.hands[seat]
        self.hands[seat] = 0
        self.discards += hand
        show(self, seat, hand)
        if self.log is not None:
            self.log.append(events.Fault(seat, reason, detail))
        if self.offers[seat]:
            self.returned = self.returned + self.offers[seat]
            settle_offer(self, seat, ABANDONED)
        if forfeit:
            self._end("forfeit")
            return
        restore_row(self, dice)
        if self.last_turns:
            self.last_turns &= ~(1 << seat)
            if self.last_turns == 0:
                self._end("carts")
                return
        if self.phase == SETUP:
            self._next_first_choice(dice)
        else:
            self._next_turn()


def rollout(state: State, random: Callable[[], float]) -> int:
    """Play a game to its end with random legal actions and quick dice; return their number."""
    dice = QuickDice(random)
    played = 0
    while state.phase != OVER:
        state._play(state.random_action(random), dice)  # always legal, so not checked
        played += 1
    return played

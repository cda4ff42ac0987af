"""The state of a game, and the rules as its methods.

Small and mutable, made to be copied by the thousand: counts packed into integers, sets as bit
masks, and tuples (shared by copies) for what seldom changes. It holds no future: undrawn cards
and contracts have no order, and chance is asked of the dice that `apply` is given.

Seats know some cards of other seats. `known` and `floor` keep exactly what follows from the cards
everyone saw: `known[s]` are cards that seat s certainly holds, having taken them from the row;
`floor[s]` are further cards that seat s knows to be in the other hands taken together, because
the pile was empty when the discards were last reshuffled. `dealt` is the history of contracts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from damrak_engine import actions, dice as chance, events
from damrak_engine.actions import FIRST_CLAIM, KEEP_BOTH, KEEP_FIRST, KEEP_SECOND, OFFER, PASS, TAKE
from damrak_engine.cards import (
    BITS,
    CARDS,
    NO_CARD,
    ONE,
    WILD,
    WILD_SHIFT,
    counts,
    packed,
    packed_counts,
    size,
    without,
)
from damrak_engine.dice import Dice, QuickDice
from damrak_engine.errors import IllegalAction, MatchError
from damrak_engine.events import Event
from damrak_engine.rules import PAIR, Claim, Rules

SETUP: Final = 0  # every seat owes the choice of its first contracts
TURN: Final = 1
SECOND: Final = 2  # a first card was drawn, a second must follow
KEEP: Final = 3  # contracts are on offer
OVER: Final = 4

ROW_SIZE: Final = 5
FIXED_MASK: Final = (1 << FIRST_CLAIM) - 1
FIXED_IDS: Final = [  # the actions in each set of actions that are no claims
    [action for action in range(FIRST_CLAIM) if mask >> action & 1]
    for mask in range(FIXED_MASK + 1)
]
ANY_SLOT: Final = 0b11111 << TAKE
KEEPS: Final = 1 << KEEP_FIRST | 1 << KEEP_SECOND | 1 << KEEP_BOTH
FLUSH_CAP: Final = 1000  # only the option reshuffle = eager could ever come near it
FEW_CARTS: Final = 2

# `dealt`: one integer an offer, seat | first << 3 | second << 9 (63: none) | kept << 15
NO_CONTRACT: Final = 63
PENDING: Final = 0
ABANDONED: Final = 4  # the seat left with the offer unanswered; 1, 2, 3 = first, second, both


class State:
    """One position of one game."""

    __slots__ = (
        "actor",
        "barred",
        "carts",
        "closing",
        "contracts",
        "dealt",
        "discards",
        "end_reason",
        "first",
        "floor",
        "gone",
        "goods",
        "goods_left",
        "hands",
        "known",
        "last_turns",
        "left",
        "legal",
        "log",
        "offers",
        "open",
        "owned",
        "passes",
        "phase",
        "pile",
        "pile_size",
        "points",
        "returned",
        "row",
        "rules",
        "turns",
        "undrawn",
    )

    rules: Rules
    log: list[Event] | None
    phase: int
    actor: int  # the seat that decides now; -1 when the game is over
    first: int
    turns: int
    pile: list[int]  # how many of each kind
    pile_size: int
    discards: int
    row: list[int]
    hands: list[int]
    known: list[int]
    floor: tuple[int, ...]  # empty before the first reshuffle
    carts: list[int]
    points: list[int]
    goods: list[int]
    goods_left: int
    owned: list[int]  # a mask of routes a seat
    open: int  # the claims open to everyone
    barred: tuple[int, ...]  # the claims closed to one seat, because it owns the twin
    contracts: tuple[int, ...]  # a mask of contracts a seat
    offers: tuple[tuple[int, ...], ...]  # what each seat has to choose from now
    undrawn: int  # a mask of the contracts nobody has drawn yet
    returned: tuple[int, ...]  # those under the pile, oldest first
    dealt: tuple[int, ...]
    passes: int  # in a row
    last_turns: int  # a mask of the seats that still have their last turn; 0 before that
    closing: bool  # option equal_turns: the round is being finished before the last one
    gone: int  # a mask of the seats that left
    left: tuple[tuple[int, str], ...]  # who left and why, in order
    end_reason: str
    legal: int  # the legal set once it has been asked for, else -1

    def __init__(self) -> None:
        """A blank for `copy` and `new_game`, which set every field."""

    def copy(self) -> State:
        """An independent state with no log."""
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

    # ---- what may be done -------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.phase == OVER

    def owing(self) -> list[int]:
        """The seats that owe a decision now, in turn order."""
        if self.phase == OVER:
            return []
        if self.phase != SETUP or not self.rules.unseen_choice:
            return [self.actor]
        seats = self.rules.seats
        order = [(self.first + i) % seats for i in range(seats)]
        return [seat for seat in order if self.offers[seat] and not self.gone >> seat & 1]

    def legal_mask(self) -> int:
        """The legal actions of the actor as a mask: bit a is set if action a is legal."""
        legal = self.legal
        if legal >= 0:
            return legal
        phase = self.phase
        if phase == TURN:
            legal = self._legal_turn()
        elif phase == SECOND:
            legal = self._legal_second()
        elif phase == OVER:
            legal = 0
        else:
            legal = KEEPS if len(self.offers[self.actor]) == 2 else 1 << KEEP_FIRST
        self.legal = legal
        return legal

    def _legal_turn(self) -> int:
        rules = self.rules
        seat = self.actor
        hand = self.hands[seat]
        legal = (
            self.open
            & rules.within_carts[self.carts[seat]]
            & rules.within_wilds[hand >> WILD_SHIFT]
            & (
                rules.pay_pink_blue[hand & PAIR]
                | rules.pay_green_black[hand >> 2 * BITS & PAIR]
                | rules.pay_red_orange[hand >> 4 * BITS & PAIR]
            )
        )
        barred = self.barred[seat]
        if barred:
            legal &= ~barred
        if self.pile_size > 0 or self.discards > 0:
            legal |= ANY_SLOT | 1  # a row with a gap means that there is nothing to fill it with
        else:
            for slot in range(ROW_SIZE):
                if self.row[slot] != NO_CARD:
                    legal |= 1 << TAKE + slot
        if self.undrawn or self.returned:
            legal |= 1 << OFFER
        if legal == 0 or rules.may_pass:
            legal |= 1 << PASS
        return legal

    def _legal_second(self) -> int:
        row = self.row
        legal = 1 if self.pile_size > 0 or self.discards > 0 else 0
        if legal and WILD not in row:
            legal |= ANY_SLOT
        else:
            for slot in range(ROW_SIZE):
                if row[slot] < WILD:
                    legal |= 1 << TAKE + slot
        if legal:
            legal |= self.rules.stop
        return legal

    def legal_actions(self) -> list[int]:
        """The legal actions of the actor, ascending; none when the game is over."""
        mask = self.legal_mask()
        bit = self.rules.bit
        claims: list[int] = []
        while mask > FIXED_MASK:
            action = mask.bit_length() - 1
            claims.append(action)
            mask ^= bit[action]
        claims.reverse()
        return FIXED_IDS[mask] + claims

    def legal_for(self, seat: int) -> list[int]:
        """The legal actions of a seat that owes a decision, else none."""
        if seat == self.actor:
            return self.legal_actions()
        if seat in self.owing():
            return [KEEP_FIRST, KEEP_SECOND, KEEP_BOTH]
        return []

    def random_action(self, random: Callable[[], float]) -> int:
        """A legal action of the actor, every one equally likely."""
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

    def _why_not(self, action: int) -> str:
        if not 0 <= action < len(self.rules.bit):
            return f"this board has the actions 0 to {len(self.rules.bit) - 1}"
        if self.phase == OVER:
            return "the game is over"
        words = self.rules.space.describe(action)
        if self.phase in (SETUP, KEEP):
            return f"cannot {words}: choose among the contracts on offer"
        if self.phase == SECOND:
            return f"cannot {words}: a second card must be drawn, no wild from the row"
        if action < FIRST_CLAIM:
            return f"cannot {words} now"
        claim = self.rules.claims[action - FIRST_CLAIM]
        if not (self.open & ~self.barred[self.actor]) & self.rules.bit[action]:
            return f"cannot {words}: the route is not open to seat {self.actor}"
        if claim.length > self.carts[self.actor]:
            return f"cannot {words}: only {self.carts[self.actor]} carts left"
        return f"cannot {words}: the hand does not hold these cards"

    # ---- what is done -----------------------------------------------------------------------

    def apply(self, action: int, dice: Dice) -> None:
        """Play an action of the actor.

        Raises:
            IllegalAction: saying why; the state has not changed.
        """
        legal = self.legal
        if legal < 0:
            legal = self.legal_mask()
        if action < 0 or not legal >> action & 1:
            raise IllegalAction(action, self._why_not(action))
        self.legal = -1
        if action >= FIRST_CLAIM:
            self._claim(self.rules.claims[action - FIRST_CLAIM], dice)
        elif action == actions.BLIND:
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
        self._show(seat, claim.cost)
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
        self._restore_row(dice)
        self._end_turn(dice)

    def _blind(self, dice: Dice) -> None:
        seat = self.actor
        self.passes = 0
        card = self._draw(chance.BLIND + seat, dice)
        self.hands[seat] += ONE[card]
        if self.log is not None:
            self.log.append(events.Blind(seat, card=CARDS[card]))
        if self.pile_size == 0 and not self.rules.lazy_reshuffle:
            self._reshuffle_if_empty()
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
        self._fill(slot, dice)
        if row.count(WILD) >= 3:
            self._flush(dice)
        if card == WILD:
            self._end_turn(dice)
        else:
            self._after_card(dice)

    def _after_card(self, dice: Dice) -> None:
        if self.phase == TURN:
            self.phase = SECOND
            self.legal = self._legal_second()
            if self.legal:
                return
        self._end_turn(dice)

    def _offer(self, dice: Dice) -> None:
        seat = self.actor
        self.passes = 0
        offer = [self._draw_contract(seat, dice)]
        if self.undrawn or self.returned:
            offer.append(self._draw_contract(seat, dice))
        self._put_on_offer(seat, offer)
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
        self._settle_offer(seat, kept)
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
            self.passes += 1
            if self.passes == self.seats_at_table():
                self._end("stalemate")
                return
        self._end_turn(dice)

    # ---- whose turn it is -------------------------------------------------------------------

    def seats_at_table(self) -> int:
        """How many seats have not left."""
        return self.rules.seats - self.gone.bit_count()

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
            self._shuffle_returned(dice)
        self._next_turn()

    def _end(self, reason: str) -> None:
        self.phase = OVER
        self.actor = -1
        self.end_reason = reason
        self.legal = 0
        if self.log is not None:
            self.log.append(events.End(reason))

    def leave(self, seat: int, reason: str, detail: str, dice: Dice) -> None:
        """Take a seat that owes a decision from the table; `reason` is one of `events.FAULTS`.

        At set-up the seats are dealt with in turn order, unless only one is left by this.

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
        self._show(seat, hand)
        if self.log is not None:
            self.log.append(events.Fault(seat, reason, detail))
        if self.offers[seat]:
            self.returned = self.returned + self.offers[seat]
            self._settle_offer(seat, ABANDONED)
        if forfeit:
            self._end("forfeit")
            return
        self._restore_row(dice)
        if self.last_turns:
            self.last_turns &= ~(1 << seat)
            if self.last_turns == 0:
                self._end("carts")
                return
        if self.phase == SETUP:
            self._next_first_choice(dice)
        else:
            self._next_turn()

    # ---- cards and contracts ----------------------------------------------------------------

    def _draw(self, stream: int, dice: Dice) -> int:
        """A card from the pile, or NO_CARD if there is none anywhere."""
        if self.pile_size == 0:
            self._reshuffle_if_empty()
            if self.pile_size == 0:
                return NO_CARD
        index = dice.pick(stream, self.pile_size)
        pile = self.pile
        card = 0
        for of_kind in pile:
            if index < of_kind:
                break
            index -= of_kind
            card += 1
        pile[card] -= 1
        self.pile_size -= 1
        return card

    def _reshuffle_if_empty(self) -> None:
        if self.pile_size > 0 or self.discards == 0:
            return
        self.pile = list(counts(self.discards))
        self.pile_size = size(self.discards)
        self.discards = 0
        hidden = sum(self.hands) - sum(self.known)
        self.floor = tuple(
            [hidden - self.hands[i] + self.known[i] for i in range(self.rules.seats)]
        )
        if self.log is not None:
            self.log.append(events.Reshuffle())

    def _show(self, seat: int, cards: int) -> None:
        """These cards of a hand become public: what was known of it has to shrink."""
        known = self.known[seat]
        if known:
            self.known[seat] = without(known, cards)
        if self.floor:
            unexpected = without(cards, known)
            self.floor = tuple(
                [
                    floor if other == seat else without(floor, unexpected)
                    for other, floor in enumerate(self.floor)
                ]
            )

    def _fill(self, slot: int, dice: Dice) -> None:
        card = self._draw(chance.ROW, dice)
        self.row[slot] = card
        if self.log is not None and card != NO_CARD:
            self.log.append(events.Refill(slot, CARDS[card]))
        if self.pile_size == 0 and not self.rules.lazy_reshuffle:
            self._reshuffle_if_empty()

    def _restore_row(self, dice: Dice) -> None:
        """Fill the gaps, now that there may be discards, and flush if it must be."""
        row = self.row
        if NO_CARD in row:
            for slot in range(ROW_SIZE):
                if row[slot] == NO_CARD:
                    self._fill(slot, dice)
        if row.count(WILD) >= 3:
            self._flush(dice)

    def _flush(self, dice: Dice) -> None:
        """Turn up a new row while this one shows too many wilds and a better one exists."""
        row = self.row
        done = 0
        while row.count(WILD) >= 3 and self._may_flush(done):
            if self.log is not None:
                self.log.append(events.Flush(tuple([CARDS[card] for card in row])))
            self.discards += packed(row)
            for slot in range(ROW_SIZE):
                row[slot] = NO_CARD
            for slot in range(ROW_SIZE):
                self._fill(slot, dice)
            done += 1

    def _may_flush(self, done: int) -> bool:
        if NO_CARD in self.row or done >= FLUSH_CAP:
            return False
        limit = self.rules.flush_limit
        if limit >= 0:
            return done < limit
        pool = packed_counts(self.pile) + self.discards + packed(self.row)
        wilds = pool >> WILD_SHIFT
        return size(pool) - wilds >= 3

    def _draw_contract(self, seat: int, dice: Dice) -> int:
        if not self.undrawn:
            contract = self.returned[0]
            self.returned = self.returned[1:]
            return contract
        skip = dice.pick(chance.CONTRACT + seat, self.undrawn.bit_count())
        mask = self.undrawn
        while skip:
            mask &= mask - 1
            skip -= 1
        self.undrawn ^= mask & -mask
        return (mask & -mask).bit_length() - 1

    def _put_on_offer(self, seat: int, offer: list[int]) -> None:
        offers = list(self.offers)
        offers[seat] = tuple(offer)
        self.offers = tuple(offers)
        second = offer[1] if len(offer) == 2 else NO_CONTRACT
        self.dealt = (*self.dealt, seat | offer[0] << 3 | second << 9)

    def _settle_offer(self, seat: int, answer: int) -> None:
        offers = list(self.offers)
        offers[seat] = ()
        self.offers = tuple(offers)
        dealt = list(self.dealt)
        i = len(dealt) - 1
        while dealt[i] & 7 != seat or dealt[i] >> 15 != PENDING:
            i -= 1
        dealt[i] |= answer << 15
        self.dealt = tuple(dealt)

    def _shuffle_returned(self, dice: Dice) -> None:
        rest = list(self.returned)
        order: list[int] = []
        while rest:
            order.append(rest.pop(dice.pick(chance.RETURNED, len(rest))))
        self.returned = tuple(order)


def rollout(state: State, random: Callable[[], float]) -> int:
    """Play a game to its end with random legal actions and quick dice; how many there were."""
    dice = QuickDice(random)
    played = 0
    while state.phase != OVER:
        state.apply(state.random_action(random), dice)
        played += 1
    return played

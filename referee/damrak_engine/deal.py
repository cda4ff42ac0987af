"""Set-up of a game (R8 to R14), up to the first decision."""

from __future__ import annotations

from damrak_engine import dice as chance, events
from damrak_engine.cards import CARDS, NO_CARD, ONE
from damrak_engine.dice import Dice
from damrak_engine.errors import OptionsError
from damrak_engine.events import Event
from damrak_engine.position import ROW_SIZE, SETUP
from damrak_engine.rules import Rules
from damrak_engine.state import State
from damrak_engine.supply import draw, draw_contract, fill, put_on_offer, restore_row


def new_game(
    rules: Rules, dice: Dice, log: list[Event] | None = None, first: int | None = None
) -> State:
    """Return a freshly dealt game in which every seat owes the choice of its first contracts.

    `first` is the first player; pass it if and only if the option first_player is `rotate`.
    If `log` is given, it receives every event from the deal on.
    """
    seats = rules.seats
    state = blank(rules)
    state.first = _first_player(rules, dice, first)
    state.actor = state.first
    hands: list[list[int]] = [[] for _ in range(seats)]
    for _ in range(2):
        for seat in range(seats):
            card = draw(state, chance.HAND + seat, dice)
            hands[seat].append(card)
            state.hands[seat] += ONE[card]
    for slot in range(ROW_SIZE):
        fill(state, slot, dice)
    contracts: list[list[int]] = [[] for _ in range(seats)]
    for _ in range(2):
        for seat in range(seats):
            contracts[seat].append(draw_contract(state, seat, dice))
    for seat in range(seats):
        put_on_offer(state, seat, contracts[seat])
    state.log = log
    if log is not None:
        log.append(
            events.Deal(
                first=state.first,
                hands=tuple([tuple([CARDS[card] for card in hand]) for hand in hands]),
                row=tuple([CARDS[card] for card in state.row]),
                contracts=tuple([tuple(pair) for pair in contracts]),
            )
        )
    restore_row(state, dice)
    return state


def blank(rules: Rules) -> State:
    """Return a state before the deal: the whole deck in the pile, nothing on the table."""
    board = rules.board
    seats = rules.seats
    state = State()
    state.rules = rules
    state.log = None
    state.phase = SETUP
    state.actor = 0
    state.first = 0
    state.turns = 0
    state.pile = list(rules.deck)
    state.pile_size = board.deck_size
    state.discards = 0
    state.row = [NO_CARD] * ROW_SIZE
    state.hands = [0] * seats
    state.known = [0] * seats
    state.floor = ()
    state.hoards = ()
    state.hoard_sizes = ()
    state.shown = ()
    state.passed = ()
    state.carts = [board.carts] * seats
    state.points = [0] * seats
    state.goods = [0] * seats
    state.goods_left = board.goods_cards
    state.owned = [0] * seats
    state.open = rules.open_at_start
    state.barred = (0,) * seats
    state.contracts = (0,) * seats
    state.offers = ((),) * seats
    state.undrawn = (1 << len(board.contracts)) - 1
    state.returned = ()
    state.dealt = ()
    state.passes = 0
    state.last_turns = 0
    state.closing = False
    state.gone = 0
    state.left = ()
    state.end_reason = ""
    state.legal = -1
    return state


def _first_player(rules: Rules, dice: Dice, named: int | None) -> int:
    choice = rules.options.first_player
    if (choice == "rotate") != (named is not None):
        raise OptionsError("the first player is named exactly when first_player is 'rotate'")
    if named is None:
        if choice == "random":
            return dice.pick(chance.FIRST, rules.seats)
        named = int(choice.removeprefix("seat "))
    if not 0 <= named < rules.seats:
        raise OptionsError(f"first_player: there is no seat {named} at a table of {rules.seats}")
    return named

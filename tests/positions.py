"""Positions for tests, specified card by card, and dice with given results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

from damrak_engine import dice as chance
from damrak_engine.actions import BLIND, KEEP_BOTH, OFFER, TAKE, ClaimRoute
from damrak_engine.board import Board, parse_board
from damrak_engine.boards import load_board
from damrak_engine.cards import CARD_OF_WORD, NO_CARD, WORDS, counts, packed, unpacked
from damrak_engine.deal import blank, new_game
from damrak_engine.dice import CallDice
from damrak_engine.events import Event
from damrak_engine.options import parse_options
from damrak_engine.position import OVER, TURN
from damrak_engine.rules import Rules, rules_for
from damrak_engine.state import State

AMSTERDAM = load_board("amsterdam")
GAP = "-"
PLAIN_ROW = "pink blue green black red"


# ---- boards ------------------------------------------------------------------------------------


def _route(
    number: int, ends: str, length: int, colour: str, goods: bool = False, twin: int | None = None
) -> dict[str, Any]:
    a, b = ends
    return {
        "id": number,
        "from": a,
        "to": b,
        "length": length,
        "colour": colour,
        "goods": goods,
        "twin": twin,
    }


SMALL: dict[str, Any] = {
    "format": "damrak-board/1",
    "id": "small",
    "name": "Small",
    "players": [2, 4],
    "carts_per_player": 6,
    "colours": ["pink", "blue", "green", "black", "red", "orange"],
    "cards_per_colour": 3,
    "wild_cards": 4,
    "goods_cards": 2,
    "route_points": {"1": 1, "2": 2, "3": 4, "4": 7},
    "goods_bonus": {"2": [8, 4], "3": [8, 5, 2], "4": [8, 6, 4, 2]},
    "locations": [
        {"id": name, "name": name.upper(), "x": 10 * x, "y": 10 * (x % 2)}
        for x, name in enumerate("abcdef")
    ],
    "routes": [
        _route(0, "ab", 2, "pink", goods=True, twin=1),
        _route(1, "ab", 2, "grey", goods=True, twin=0),
        _route(2, "bc", 1, "blue"),
        _route(3, "cd", 3, "green", goods=True),
        _route(4, "de", 1, "black", twin=5),
        _route(5, "ed", 1, "red", twin=4),
        _route(6, "ef", 2, "orange", goods=True),
        _route(7, "fa", 4, "grey"),
        _route(8, "cf", 1, "grey"),
    ],
    "contracts": [
        {"id": i, "from": ends[0], "to": ends[1], "points": points}
        for i, (ends, points) in enumerate(
            [
                ("ac", 3),
                ("ad", 6),
                ("ae", 7),
                ("af", 4),
                ("bd", 4),
                ("be", 5),
                ("bf", 2),
                ("cf", 1),
                ("df", 3),
                ("ce", 4),
            ]
        )
    ],
}


def small_board(**changes: Any) -> Board:
    """Return a synthetic board of nine routes, with these fields changed."""
    return parse_board(deepcopy(SMALL) | changes)


def scant_board(**changes: Any) -> Board:
    """Return a board on which cards and contracts run out and seats have to pass."""
    scant = {
        "id": "scant",
        "cards_per_colour": 2,
        "wild_cards": 2,
        "contracts": SMALL["contracts"][:8],
        "routes": [
            _route(0, "ab", 2, "pink"),
            _route(1, "bc", 2, "blue"),
            _route(2, "cd", 3, "grey", twin=3),
            _route(3, "cd", 3, "grey", twin=2),
            _route(4, "de", 2, "green"),
            _route(5, "ef", 3, "red", goods=True),
            _route(6, "fa", 4, "grey"),
        ],
    }
    return small_board(**scant | changes)


# ---- cards -------------------------------------------------------------------------------------


def kinds(words: str) -> list[int]:
    """Return the cards of a line such as `red red wild`; `-` is a gap of the row."""
    return [NO_CARD if word == GAP else int(CARD_OF_WORD[word]) for word in words.split()]


def pack(words: str) -> int:
    """Return the packed multiset of a line such as `red red wild`."""
    return packed(kinds(words))


def words(pack: int) -> str:
    """Return the cards of a packed multiset in one line, pink first."""
    return " ".join(card.word for card in unpacked(pack))


def hand(state: State, seat: int) -> str:
    """Return the hand of a seat in one line."""
    return words(state.hands[seat])


def row(state: State) -> str:
    """Return the row in one line, slot by slot."""
    return " ".join(GAP if card == NO_CARD else WORDS[card] for card in state.row)


def pile(state: State) -> str:
    """Return the pile in one line."""
    return words(packed([kind for kind in range(7) for _ in range(state.pile[kind])]))


# ---- chance ------------------------------------------------------------------------------------


class Fate:
    """Dice that return these cards and contracts in this order, and then always the first."""

    def __init__(
        self, cards: str = "", contracts: Iterable[int] = (), others: Iterable[int] = ()
    ) -> None:
        self.cards = kinds(cards)
        self.contracts = list(contracts)
        self.others = list(others)
        self.asked: list[tuple[str, int]] = []
        self.pile: list[int] = []
        self.undrawn: list[int] = []
        self.state: State | None = None

    def watch(self, state: State) -> CallDice:
        """Return dice for this state."""
        self.state = state
        return CallDice(self._choose)

    def before(self, rules: Rules) -> CallDice:
        """Return dice for a deal, before a state exists."""
        self.pile = list(rules.deck)
        self.undrawn = list(range(len(rules.board.contracts)))
        return CallDice(self._choose)

    def _choose(self, stream: int, n: int) -> int:
        name = chance.STREAMS[stream]
        self.asked.append((name, n))
        if name.startswith("contract"):
            return self._contract()
        if name.startswith(("row", "hand", "blind")):
            return self._card(n)
        return self.others.pop(0) if self.others else 0

    def _card(self, n: int) -> int:
        if self.state is not None:
            self.pile = list(self.state.pile)
        assert sum(self.pile) == n, "the dice were asked about another pile"
        kind = self.cards.pop(0) if self.cards else next(k for k in range(7) if self.pile[k])
        assert self.pile[kind], f"no {WORDS[kind]} in the pile"
        index = sum(self.pile[:kind])
        self.pile[kind] -= 1
        return index

    def _contract(self) -> int:
        if self.state is not None:
            self.undrawn = [i for i in range(60) if self.state.undrawn >> i & 1]
        wanted = self.contracts.pop(0) if self.contracts else self.undrawn[0]
        index = self.undrawn.index(wanted)
        self.undrawn.remove(wanted)
        return index


# ---- positions ---------------------------------------------------------------------------------


def game_rules(
    seats: int = 2, options: dict[str, Any] | None = None, board: Board = AMSTERDAM
) -> Rules:
    """Return the tables of a game, with options by their names in files."""
    return rules_for(board, seats, parse_options(options or {}))


def deal(
    seats: int = 2,
    *,
    cards: str = "",
    contracts: Iterable[int] = (),
    first: int = 0,
    options: dict[str, Any] | None = None,
    board: Board = AMSTERDAM,
) -> State:
    """Return a dealt game: the cards in the order dealt (hands card by card, then the row)."""
    rules = game_rules(seats, options, board)
    log: list[Event] = []
    named = first if rules.options.first_player == "rotate" else None
    return new_game(rules, Fate(cards, contracts, [first]).before(rules), log, named)


def position(
    seats: int = 2,
    *,
    hands: Sequence[str] = (),
    row: str = PLAIN_ROW,
    discards: str = "",
    pile: str | None = None,
    rest: str | int = "discards",
    actor: int = 0,
    first: int = 0,
    carts: Sequence[int] = (),
    contracts: Sequence[Iterable[int]] = (),
    undrawn: Iterable[int] | None = None,
    returned: Sequence[int] = (),
    options: dict[str, Any] | None = None,
    board: Board = AMSTERDAM,
) -> State:
    """Return a position at the start of `actor`'s turn, with a log.

    Cards not named are in the pile; if the pile is named too, `rest` is their place: the discards,
    or the hand of that seat.
    """
    rules = game_rules(seats, options, board)
    state = blank(rules)
    state.phase = TURN
    state.actor, state.first = actor, first
    _lay_out(state, hands, row, discards, pile, rest)
    for seat, number in enumerate(carts):
        state.carts[seat] = number
    held = [sum(1 << i for i in ids) for ids in contracts]
    state.contracts = (*held, *(0,) * (seats - len(held)))
    state.returned = tuple(returned)
    everything = set(range(len(rules.board.contracts))) - set(returned)
    drawable = everything - {i for ids in contracts for i in ids} if undrawn is None else undrawn
    state.undrawn = sum(1 << i for i in drawable)
    state.log = []
    return state


def in_play(
    seats: int = 2,
    *,
    hands: Sequence[str] = (),
    row: str = PLAIN_ROW,
    discards: str = "",
    pile: str | None = None,
    rest: str | int = "discards",
    options: dict[str, Any] | None = None,
    board: Board = AMSTERDAM,
) -> State:
    """Return a game with these cards at its first turn; each seat has kept both contracts."""
    state = deal(seats, options=options, board=board)
    for _ in range(seats):
        play(state, KEEP_BOTH)
    _lay_out(state, hands, row, discards, pile, rest)
    state.legal = -1
    return state


def _lay_out(
    state: State,
    hands: Sequence[str],
    row: str,
    discards: str,
    pile: str | None,
    rest: str | int,
) -> None:
    state.hands = [pack(cards) for cards in (*hands, *[""] * (state.rules.seats - len(hands)))]
    state.row = kinds(row)
    state.discards = pack(discards)
    shown = packed([card for card in state.row if card != NO_CARD])
    left = packed(k for k in range(7) for _ in range(state.rules.deck[k])) - shown
    left -= sum(state.hands) + state.discards
    state.pile = list(counts(left if pile is None else pack(pile)))
    state.pile_size = sum(state.pile)
    assert max(state.pile) <= max(state.rules.deck), "more cards were named than there are"
    if pile is None:
        return
    left -= pack(pile)
    if isinstance(rest, int):
        state.hands[rest] += left
    else:
        state.discards += left


# ---- moves -------------------------------------------------------------------------------------


def play(state: State, action: int, cards: str = "", contracts: Iterable[int] = ()) -> list[Event]:
    """Play an action with these draws and return the events."""
    before = len(state.log or [])
    state.apply(action, Fate(cards, contracts).watch(state))
    return (state.log or [])[before:]


def blind(state: State, card: str, cards: str = "") -> list[Event]:
    """Draw this card blind."""
    return play(state, BLIND, f"{card} {cards}")


def take(state: State, slot: int, cards: str = "") -> list[Event]:
    """Take the card of a slot; the row is refilled with these."""
    return play(state, TAKE + slot, cards)


def offer(state: State, *contracts: int) -> list[Event]:
    """Draw contracts, these if they are undrawn."""
    return play(state, OFFER, contracts=contracts)


def payment(state: State, route: int, colour: str | None, wilds: int = 0) -> int:
    """Return the action that claims a route with this payment."""
    card = None if colour is None else CARD_OF_WORD[colour]
    return state.rules.space.id_of(ClaimRoute(route, card, wilds))


def claim(
    state: State, route: int, colour: str | None, wilds: int = 0, cards: str = ""
) -> list[Event]:
    """Claim a route; the row is refilled with these."""
    return play(state, payment(state, route, colour, wilds), cards)


def payments(state: State, route: int) -> set[tuple[str | None, int]]:
    """Return the actor's possible payments for a route, as (colour, wilds)."""
    found = set()
    for action in state.legal_actions():
        form = state.rules.space.typed(action)
        if isinstance(form, ClaimRoute) and form.route == route:
            found.add((form.colour.word if form.colour is not None else None, form.wilds))
    return found


def leave(state: State, seat: int, reason: str = "crash", cards: str = "") -> list[Event]:
    """Let a seat leave the table; the row is refilled with these."""
    before = len(state.log or [])
    state.leave(seat, reason, "", Fate(cards).watch(state))
    return (state.log or [])[before:]


def give_routes(state: State, seat: int, *routes: int) -> None:
    """Let a seat own these routes already; its carts and points do not change."""
    for number in routes:
        claim = next(c for c in state.rules.claims if c.route == number)
        state.owned[seat] |= 1 << number
        state.open &= claim.leaves
        barred = list(state.barred)
        barred[seat] |= claim.bars
        state.barred = tuple(barred)


def finish(state: State, reason: str = "carts") -> State:
    """Return the position as if the game had just ended."""
    state.phase, state.actor, state.end_reason = OVER, -1, reason
    return state


def kinds_of(events: Sequence[Event]) -> list[str]:
    """Return the kinds of these events."""
    return [event.kind for event in events]

"""The engine's verdicts on moves of the learner: the effect of a move, or why it is illegal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from damrak_engine.actions import FIRST_CLAIM
from damrak_engine.cards import COLOURS, GREY, WILD, counts, packed
from damrak_engine.dice import SeedDice
from damrak_engine.events import Decision
from damrak_engine.scoring import split_contracts
from damrak_engine.state import State
from damrak_ladder.web.learn.course import LEARNER, SEED


class Reason(Enum):
    """Why a move is not allowed."""

    TAKEN = "taken"
    TWIN = "twin"
    OWN_TWIN = "own twin"
    CARTS = "carts"
    CARDS = "cards"


@dataclass(frozen=True, slots=True)
class Allowed:
    """A legal move and its immediate effects."""

    action: int
    event: Decision
    fulfilled: tuple[int, ...]  # contracts
    has_goods: bool
    is_last_round: bool  # the move announces it


@dataclass(frozen=True, slots=True)
class Refused:
    """A move that the rules do not allow; `needed` and `held` are numbers of cards."""

    reason: Reason
    needed: int = 0
    held: int = 0


Verdict = Allowed | Refused


def of_actions(state: State, actions: Sequence[int], route: int = -1) -> Verdict:
    """Return the verdict on the first legal one of these actions; all of them claim `route`."""
    legal = state.legal_mask()
    for action in actions:
        if legal >> action & 1:
            return _effects(state, action)
    return _refusal(state, route)


def of_route(state: State, route: int) -> Verdict:
    """Return the verdict on claiming this route, paid with as few wilds as possible."""
    claims = [claim for claim in state.rules.claims if claim.route == route]
    claims.sort(key=lambda claim: (claim.wilds, -_held(state, claim.colour)))
    return of_actions(state, [claim.action for claim in claims], route)


def of_payment(state: State, route: int, cards: Sequence[int]) -> Verdict:
    """Return the verdict on paying exactly these cards (kinds) for the route."""
    cost = packed(cards)
    claims = [c for c in state.rules.claims if c.route == route and c.cost == cost]
    if claims:
        return of_actions(state, [claims[0].action], route)
    colour = state.rules.board.routes[route].colour
    matching = [kind for kind in cards if kind in (colour, WILD)]
    return Refused(Reason.CARDS, state.rules.board.routes[route].length, len(matching))


def _effects(state: State, action: int) -> Allowed:
    after = state.copy()
    after.log = []
    after.apply(action, SeedDice(SEED))  # the effects below do not depend on chance
    event = next(event for event in after.log if isinstance(event, Decision))
    board = state.rules.board
    before, now = (
        set(split_contracts(board, one.owned[LEARNER], one.contracts[LEARNER])[0])
        for one in (state, after)
    )
    return Allowed(
        action,
        event,
        tuple(sorted(now - before)) if action >= FIRST_CLAIM else (),
        after.goods[LEARNER] > state.goods[LEARNER],
        bool(after.last_turns) and not state.last_turns,
    )


def _refusal(state: State, route: int) -> Refused:
    board = state.rules.board
    claimed = board.routes[route]
    bit = 1 << route
    if any(owned & bit for owned in state.owned):
        return Refused(Reason.TAKEN)
    claims = [claim for claim in state.rules.claims if claim.route == route]
    if not any((state.open & ~state.barred[LEARNER]) >> claim.action & 1 for claim in claims):
        is_own = claimed.twin is not None and state.owned[LEARNER] >> claimed.twin & 1
        return Refused(Reason.OWN_TWIN if is_own else Reason.TWIN)
    if claimed.length > state.carts[LEARNER]:
        return Refused(Reason.CARTS, claimed.length, state.carts[LEARNER])
    hand = counts(state.hands[LEARNER])
    plain = max(hand[:COLOURS]) if claimed.colour == GREY else hand[claimed.colour]
    return Refused(Reason.CARDS, claimed.length, plain + hand[WILD])


def _held(state: State, colour: int) -> int:
    return counts(state.hands[LEARNER])[colour] if colour >= 0 else 0

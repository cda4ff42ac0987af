"""The six steps of the course: the question, the moves to try, and what each of them teaches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from damrak_engine.actions import BLIND, KEEP_BOTH, KEEP_FIRST, KEEP_SECOND, TAKE
from damrak_engine.cards import Card
from damrak_engine.state import State
from damrak_ladder.web.learn.verdicts import Verdict, of_actions, of_payment, of_route

Try = Callable[[State], Verdict]


@dataclass(frozen=True, slots=True)
class Choice:
    """A move to try, and the comment on it; `is_good` marks the moves that solve the step."""

    judge: Try
    lesson: Promise | str
    is_good: bool = False
    route: int = -1  # a claim of this route
    cards: tuple[Card, ...] = ()  # the payment, if it is the question


@dataclass(frozen=True, slots=True)
class Step:
    """A position of the game (before this decision) with a question."""

    decision: int
    title: Promise
    text: Promise
    question: Promise
    choices: tuple[Choice, ...]
    has_row: bool = False  # whether the row matters
    is_on_board: bool = False  # whether every route of the board can be tried


def _action(number: int) -> Try:
    return lambda state: of_actions(state, [number])


def _route(number: int, lesson: Promise | str = "", *, is_good: bool = False) -> Choice:
    return Choice(lambda state: of_route(state, number), lesson, is_good, number)


def _payment(route: int, cards: tuple[Card, ...], lesson: Promise | str, is_good: bool) -> Choice:
    return Choice(lambda state: of_payment(state, route, cards), lesson, is_good, cards=cards)


STEPS: Final = (
    Step(
        0,
        _("Your contracts"),
        _(
            "You are Yellow, and Purple is your opponent. A contract names two places. If your own "
            "routes connect them at the end, you get its points; otherwise you lose them."
        ),
        _("Two contracts are offered. Which do you keep?"),
        (
            Choice(
                _action(KEEP_FIRST),
                _("A good start: the two places are close, and two short routes connect them."),
                True,
            ),
            Choice(
                _action(KEEP_SECOND),
                _("It is worth more, but its places lie at opposite ends of the board."),
            ),
            Choice(
                _action(KEEP_BOTH),
                _("You may keep both. More points to win, and more to lose."),
            ),
        ),
    ),
    Step(
        2,
        _("Drawing cards"),
        _(
            "In each turn you do one thing. Often you draw two cards, one after the other: from "
            "the open row, or unseen from the pile. The route from Lange Kraan to Reigersteiger "
            "has two blue spaces, and you hold one blue card."
        ),
        _("Which card do you take first?"),
        (
            Choice(
                _action(TAKE + 3),
                _("Now you have two blue cards. A new card fills the row, and you draw once more."),
                True,
            ),
            Choice(
                _action(TAKE),
                _("A wild replaces any colour, but taken from the row it ends your turn."),
            ),
            Choice(
                _action(BLIND),
                _("Allowed: you may be lucky. But the blue card lies there for you to take."),
            ),
        ),
        has_row=True,
    ),
    Step(
        5,
        _("Building a route"),
        _(
            "To build a route, pay one card of its colour for each space. On grey routes, all "
            "cards have the same colour of your choice. Your carts mark the route as yours, and "
            "it scores at once: 1, 2, 4 or 7 points for 1, 2, 3 or 4 spaces."
        ),
        _("Build a route that your contract needs. Tap any route of the board to try it."),
        (
            _route(9, _("Half of your contract is built, and you have two points."), is_good=True),
            _route(0),
            _route(5, _("It is part of your way, too, but the longer route scores more.")),
        ),
        is_on_board=True,
    ),
    Step(
        11,
        _("Fulfilling a contract"),
        _(
            "Purple has built a route from Lange Kraan to Hoge Wal. Some places are joined by two "
            "parallel routes. With two players, one of them closes as soon as the other is built. "
            "You hold a wild: it can replace a card of any colour."
        ),
        _("Which route connects Vlasbrug and Reigersteiger?"),
        (
            _route(4, _("Your routes now connect both places of the contract."), is_good=True),
            _route(14),
            _route(10, _("A good route, but it does not lead to Vlasbrug.")),
        ),
        is_on_board=True,
    ),
    Step(
        17,
        _("Wilds and goods"),
        _(
            "The route from Stille Sluis to Mosterdmarkt has three orange spaces. The small carts "
            "on it stand for a goods card. At the end, the players with the most goods cards get "
            "extra points."
        ),
        _("How do you pay for it?"),
        (
            _payment(
                1,
                (Card.ORANGE, Card.ORANGE, Card.WILD),
                _(
                    "Four points and a goods card. You have two carts left, so the last round "
                    "begins: each player has one more turn."
                ),
                True,
            ),
            _payment(
                1,
                (Card.ORANGE, Card.ORANGE, Card.RED),
                _("A red card does not match. Only wilds replace other colours."),
                False,
            ),
            _payment(1, (Card.ORANGE, Card.ORANGE), "", False),
        ),
    ),
    Step(
        19,
        _("The last turn"),
        _(
            "Purple has had its last turn, and this is yours. Afterwards the contracts are opened "
            "and the goods cards are counted. Cards in the hand are worth nothing."
        ),
        _("What is your last move?"),
        (
            _route(11, _("One more point, and the game is over."), is_good=True),
            _route(5),
            Choice(
                _action(BLIND),
                _("Allowed, but there is no turn left in which you could pay with the cards."),
            ),
        ),
        is_on_board=True,
    ),
)

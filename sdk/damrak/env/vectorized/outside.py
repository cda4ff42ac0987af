"""Opponents that the games cannot play themselves: bots in Python, and policies for whole batches.

Bots and policies run in this process and are trusted; their exceptions propagate.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from damrak.bot import Bot
from damrak.env.opponents import Opponent, maker_of
from damrak.env.vectorized.chance import key_of
from damrak.env.vectorized.conversion import Replayed
from damrak.env.vectorized.plan import AS_ACTOR, Array, Arrays, Control, Plan
from damrak_engine.events import Event
from damrak_engine.scoring import result
from damrak_engine.state import State

Policy = Callable[[Array, Array], Any]
"""A function of observations and masks, one row per decision, that returns an action for each."""

Given = str | type[Bot] | Policy
"""The name of a house bot, a class derived from `Bot`, or a policy."""

BUILT_IN = {"random": Control.RANDOM, "greedy": Control.GREEDY}


class Games(Protocol):
    """The part of a batch of games that opponents need."""

    @property
    def plan(self) -> Plan: ...
    @property
    def arrays(self) -> Arrays: ...
    @property
    def actor(self) -> Array: ...
    @property
    def learner(self) -> Array: ...
    @property
    def is_waiting(self) -> Array: ...
    @property
    def deals(self) -> Array: ...
    def origin(self, row: int) -> State | None: ...
    def played(self, row: int) -> Sequence[int]: ...
    def check(self, select: bool = False) -> int: ...
    def play(self) -> None: ...
    def show(
        self, viewer: int, observations: Array | None, masks: Array | None, seats: Array | None
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Entrant:
    """One opponent as given: who decides for it, and how a bot is made or a policy called."""

    name: str
    control: Control
    make: Callable[[], Bot] | None = None
    policy: Policy | None = None


def entrants_of(given: Given | Sequence[Given] | None, players: int) -> tuple[Entrant, ...]:
    """Return the opponents, clockwise from the learner; one alone sits in all other seats.

    Raises:
        ValueError: there is no such house bot, or the number of opponents is wrong.
    """
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Sequence):
        return (_entrant(given),) * (players - 1)
    entrants = tuple(_entrant(it) for it in given)
    if len(entrants) != players - 1:
        raise ValueError(f"{players} players need {players - 1} opponents, not {len(entrants)}")
    return entrants


def _entrant(given: object) -> Entrant:
    if isinstance(given, str):
        make = maker_of(given)
        control = BUILT_IN.get(given, Control.OUTSIDE)
        return Entrant(given, control, make if control == Control.OUTSIDE else None)
    if inspect.isclass(given) and issubclass(given, Bot):
        return Entrant(given.name, Control.OUTSIDE, given)
    if isinstance(given, Bot) or not callable(given):
        kinds = "the name of a house bot, a class derived from Bot, or a policy"
        raise ValueError(f"an opponent must be {kinds}, not {given!r}")
    return Entrant(getattr(given, "__name__", "policy"), Control.OUTSIDE, policy=given)


class _Table:
    """A game in which bots play: followed by the engine, with the events that bots see."""

    def __init__(self, games: Games, entrants: tuple[Entrant, ...], row: int) -> None:
        log: list[Event] = []
        self.game = Replayed(games, row, log)
        state, seats = self.game.state, games.plan.rules.seats
        key = key_of(int(games.arrays.seeds[row]), row, self.game.deal)
        learner = int(games.learner[row])
        self.bots: dict[int, Opponent] = {}
        for i, entrant in enumerate(entrants, start=1):
            if entrant.make is not None:
                seat = (learner + i) % seats
                self.bots[seat] = Opponent(entrant.make(), state, seat, key ^ seat)

    def decide(self) -> int:
        """Return the action of the bot that is to act."""
        state = self.game.advance()
        return self.bots[state.actor].decide(state)

    def finish(self) -> None:
        """Pass the result to all bots."""
        ended = result(self.game.advance(), self.game.dice)
        for bot in self.bots.values():
            bot.finish(ended)


class Outside:
    """The opponents of a batch that play outside of it."""

    def __init__(self, games: Games, entrants: tuple[Entrant, ...]) -> None:
        self._games = games
        self._entrants = entrants
        self._control = np.array([Control.LEARNER, *[it.control for it in entrants]])
        self._tables: dict[int, _Table] = {}
        observations, masks = games.arrays.observations, games.arrays.masks
        assert observations is not None
        assert masks is not None
        self._observations = np.zeros_like(observations)
        self._masks = np.zeros_like(masks)

    def forget(self, rows: Array) -> None:
        """Forget the bots of these rows, because the numbering of their deals begins again."""
        for row in np.flatnonzero(rows).tolist():
            self._tables.pop(row, None)

    def play(self) -> None:
        """Let the opponents decide until the learner decides in every row, or its game is over.

        Raises:
            ValueError: an opponent chose an illegal action.
        """
        games, select = self._games, self._games.arrays.select
        while True:
            self._finish()
            turn = (games.actor - games.learner) % games.plan.rules.seats
            is_theirs = (self._control[turn] == Control.OUTSIDE) & ~games.is_waiting
            if not is_theirs.any():
                return
            for i, entrant in enumerate(self._entrants, start=1):
                rows = np.flatnonzero(is_theirs & (turn == i))
                if len(rows):
                    games.arrays.actions[rows] = self._actions(entrant, rows)
            select[:] = is_theirs
            wrong = games.check(select=True)
            if wrong >= 0:
                entrant = self._entrants[int(turn[wrong]) - 1]
                action = int(games.arrays.actions[wrong])
                problem = f"the opponent {entrant.name} chose the illegal action {action}"
                raise ValueError(f"{problem} in row {wrong}; reset() begins anew")
            games.play()

    def _actions(self, entrant: Entrant, rows: Array) -> Array:
        if entrant.policy is None:
            return np.array([self._table(int(row)).decide() for row in rows])
        games, select = self._games, self._games.arrays.select
        select.fill(0)
        select[rows] = 1
        games.show(AS_ACTOR, self._observations, self._masks, None)
        actions = np.asarray(entrant.policy(self._observations[rows], self._masks[rows]))
        if actions.shape != rows.shape or actions.dtype.kind not in "iu":
            problem = f"{len(rows)} whole numbers, not {actions.dtype} of shape {actions.shape}"
            raise ValueError(f"the policy {entrant.name} must return {problem}")
        return actions

    def _table(self, row: int) -> _Table:
        table = self._tables.get(row)
        if table is None or table.game.deal != self._games.deals[row]:
            table = self._tables[row] = _Table(self._games, self._entrants, row)
        return table

    def _finish(self) -> None:
        for row in np.flatnonzero(self._games.is_waiting).tolist():
            table = self._tables.pop(row, None)
            if table is not None and table.game.deal == self._games.deals[row]:
                table.finish()

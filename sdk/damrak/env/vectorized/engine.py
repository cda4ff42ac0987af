"""Games played by the engine, one after the other: the reference, and slower than the core.

The same interface as `native.NativeGames`, with the same results for the same seeds and actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from damrak.bots.greedy import GreedyBot
from damrak.env.encode import encoder_for
from damrak.env.opponents import STANDING_CLOCK
from damrak.env.rewards import by_margin, by_place
from damrak.env.vectorized.chance import choice, draws_of, key_of
from damrak.env.vectorized.conversion import first_of
from damrak.env.vectorized.plan import (
    ALL_SEATS,
    AS_SEATED,
    RANDOM_SEAT,
    Array,
    Arrays,
    Autoreset,
    Control,
    Plan,
    Reward,
)
from damrak.view import View
from damrak_engine.deal import new_game
from damrak_engine.dice import QuickDice
from damrak_engine.observation import observe
from damrak_engine.position import OVER
from damrak_engine.scoring import result
from damrak_engine.state import State

_GREEDY: Final = GreedyBot()


class _Row:
    """One game."""

    def __init__(self, key: int) -> None:
        self.key = key
        self.draws, self.lots = draws_of(key)
        self.dice = QuickDice(self.draws.random)
        self.state = State()
        self.learner = -1
        self.last = 0
        self.actions: list[int] = []
        self.origin: State | None = None


class EngineGames:
    """A batch of games as states of the engine."""

    is_native: Final = False

    def __init__(self, plan: Plan, arrays: Arrays) -> None:
        self.plan = plan
        self.arrays = arrays
        self._encoder = encoder_for(plan.rules)
        self._rows = [_Row(0) for _ in range(plan.rows)]
        self.phase = np.full(plan.rows, OVER, np.int8)
        self.actor = np.full(plan.rows, -1, np.int8)
        self.learner = np.full(plan.rows, -1, np.int8)
        self.is_waiting = np.zeros(plan.rows, np.bool_)
        self.draws = np.zeros(plan.rows, np.uint32)
        self.deals = np.zeros(plan.rows, np.uint32)
        self.logged = np.zeros(plan.rows, np.uint32)  # actions since the deal

    def close(self) -> None:
        """Do nothing, because the engine uses no threads."""

    # ---- play -------------------------------------------------------------------------------

    def check(self, select: bool = False) -> int:
        """Return the first row whose action is not legal, or -1: of all rows, or of the selected.

        Without `select`, rows that wait for the next game are left out.
        """
        for i in self._selected(select):
            action = int(self.arrays.actions[i])
            if self.is_waiting[i] and not select and self.plan.autoreset != Autoreset.NEVER:
                continue
            if action < 0 or not self._rows[i].state.legal_mask() >> action & 1:
                return i
        return -1

    def step(self) -> None:
        """Play an action in every row, with all that follows from it."""
        arrays, same = self.arrays, self.plan.autoreset == Autoreset.SAME_STEP
        arrays.rewards.fill(0)
        arrays.seat_rewards.fill(0)
        arrays.terminals.fill(0)
        for i in range(self.plan.rows):
            if self.is_waiting[i]:
                self._deal(i)
            else:
                self._play(i)
            if self.is_waiting[i] and same:
                self._show([i], AS_SEATED, arrays.final_observations, None, None)
                self._deal(i)
        rows = range(self.plan.rows)
        self._show(rows, AS_SEATED, arrays.observations, arrays.masks, arrays.seats)

    def play(self) -> None:
        """Play the actions of the selected rows."""
        for i in self._selected():
            self._play(i)

    def deal(self) -> None:
        """Deal a new game in the selected rows."""
        for i in self._selected():
            self._deal(i)

    def resume(self) -> None:
        """Let built-in bots play on in the selected rows, after `load`."""
        for i in self._selected():
            self._let_bots_play(i)

    def show(
        self, viewer: int, observations: Array | None, masks: Array | None, seats: Array | None
    ) -> None:
        """Write the selected rows of these arrays."""
        self._show(self._selected(), viewer, observations, masks, seats)

    def choose(self) -> None:
        """Set the actions of all rows to random legal ones."""
        for i, row in enumerate(self._rows):
            legal = row.state.legal_actions()
            at = choice(row.key, len(row.actions), len(legal))
            self.arrays.actions[i] = legal[at] if legal else 0

    def _selected(self, select: bool = True) -> Sequence[int]:
        if not select:
            return range(self.plan.rows)
        selected: list[int] = np.flatnonzero(self.arrays.select).tolist()
        return selected

    def _play(self, i: int) -> None:
        self._apply(i, int(self.arrays.actions[i]))
        self._let_bots_play(i)

    def _apply(self, i: int, action: int) -> None:
        row = self._rows[i]
        row.last = row.state.actor
        row.state.apply(action, row.dice)
        row.actions.append(action)

    def _let_bots_play(self, i: int) -> None:
        row, seats = self._rows[i], self.plan.rules.seats
        state = row.state
        while not state.is_over and row.learner >= 0:
            control = self.plan.control[(state.actor - row.learner) % seats]
            if control == Control.RANDOM:
                self._apply(i, _random_action(row))
            elif control == Control.GREEDY:
                self._apply(i, greedy_action(state))
            else:
                break
        if state.is_over and not self.is_waiting[i]:
            self._finish(i)
        self._note(i)

    def _finish(self, i: int) -> None:
        row, arrays, reward = self._rows[i], self.arrays, self.plan.reward
        ended = result(row.state, row.dice)
        for seat, it in enumerate(ended.seats):
            of_goods = it.total - it.routes - it.contracts
            values = (it.total, it.place, it.routes, it.contracts, of_goods, len(it.fulfilled))
            arrays.outcomes[i, seat] = values
        self.is_waiting[i] = True
        arrays.terminals[i] = 1
        if reward != Reward.CALLER:
            arrays.seat_rewards[i] = (by_place if reward == Reward.PLACE else by_margin)(ended)
            mine = row.learner if row.learner >= 0 else row.last
            arrays.rewards[i] = arrays.seat_rewards[i, mine]

    def _deal(self, i: int) -> None:
        plan = self.plan
        self.deals[i] += 1
        deal = int(self.deals[i])
        row = self._rows[i] = _Row(key_of(int(self.arrays.seeds[i]), i, deal))
        seats = plan.rules.seats
        row.learner = row.lots.below(seats) if plan.learner == RANDOM_SEAT else plan.learner
        row.state = new_game(plan.rules, row.dice, None, first_of(plan.rules, deal))
        row.last = row.state.first
        self.is_waiting[i] = False
        self._let_bots_play(i)

    def _show(
        self,
        rows: Sequence[int],
        viewer: int,
        observations: Array | None,
        masks: Array | None,
        seats: Array | None,
    ) -> None:
        shown = [(self._rows[i].state, self._viewer(self._rows[i], viewer)) for i in rows]
        if observations is not None and shown:
            seen = [observe(state, seat) for state, seat in shown]
            vectors = np.empty((len(seen), self._encoder.size), observations.dtype)
            self._encoder.encode_rows(seen, vectors)
            observations[rows] = vectors
        if masks is not None and shown:
            legal = [state.legal_mask() if seat == state.actor else 0 for state, seat in shown]
            masks[rows] = self._encoder.mask_rows(legal)
        if seats is not None:
            seats[rows] = [seat for _, seat in shown]

    def _viewer(self, row: _Row, viewer: int) -> int:
        if viewer == AS_SEATED and row.learner >= 0:
            return row.learner
        if viewer < 0:
            return row.last if row.state.is_over else row.state.actor
        return viewer

    def _note(self, i: int) -> None:
        row = self._rows[i]
        self.phase[i], self.actor[i] = row.state.phase, row.state.actor
        self.learner[i], self.draws[i] = row.learner, row.draws.number
        self.logged[i] = len(row.actions)

    # ---- games ------------------------------------------------------------------------------

    def restart(self, rows: Array) -> None:
        """Begin the numbering of deals in these rows again, as after a seed."""
        self.deals[rows] = 0

    def origin(self, row: int) -> State | None:
        """Return the state that was loaded into this row, or None if its game was dealt."""
        return self._rows[row].origin

    def played(self, row: int) -> Sequence[int]:
        """Return the actions in this row since it was dealt or loaded."""
        return self._rows[row].actions

    def load(self, rows: Sequence[int], state: State, learner: int | None = None) -> None:
        """Continue from this state in these rows, each with chance of its own."""
        for i in rows:
            self.deals[i] += 1
            row = _Row(key_of(int(self.arrays.seeds[i]), i, int(self.deals[i])))
            row.learner = int(self.learner[i]) if learner is None else learner
            row.state, row.origin, row.last = state.copy(), state, state.actor
            self._rows[i] = row
            self.is_waiting[i] = False
            self._note(i)

    def set_up(self, states: Sequence[State], times: int) -> None:
        """Continue from all of these states `times` times, one after the other from row 0 on.

        The rows of the same state have the same chance, which makes actions comparable.
        """
        number = len(states)
        for i, state in enumerate(states):
            self.load([i], state, ALL_SEATS)
        for i in range(number, number * times):
            first = self._rows[i % number]
            row = self._rows[i] = _Row(first.key)
            row.learner, row.state, row.origin = ALL_SEATS, first.state.copy(), first.origin
            row.last = first.last
            self.is_waiting[i] = False
            self._note(i)


def greedy_action(state: State) -> int:
    """Return what the house bot `greedy` chooses."""
    view = View(observe(state, state.actor), state.legal_actions(), (), STANDING_CLOCK)
    return view.id_of(_GREEDY.choose(view))


def _random_action(row: _Row) -> int:
    legal = row.state.legal_actions()
    return legal[row.lots.below(len(legal))]

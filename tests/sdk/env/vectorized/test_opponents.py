"""Opponents of a learner: built-in bots, bots in Python, and policies for batches."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from damrak import Bot, Event, MatchInfo, Result, View
from damrak.bots.greedy import GreedyBot
from damrak.env import encoder_for, vector
from damrak.env.vectorized.engine import EngineGames, greedy_action
from damrak.env.vectorized.native import NativeGames
from damrak.env.vectorized.plan import Control, Plan, arrays_for
from damrak_engine.boards import board_names, load_board
from damrak_engine.events import Deal, End
from damrak_engine.observation import observe
from damrak_engine.rules import rules_for

pytestmark = pytest.mark.usefixtures("native")


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("board", board_names())
def test_built_in_greedy_chooses_what_the_house_bot_chooses(board: str, seats: int) -> None:
    rules = rules_for(load_board(board), seats)
    plan = Plan(rules, 40, 0, (Control.LEARNER, *[Control.GREEDY] * (seats - 1)))
    games = NativeGames(plan, arrays_for(plan)), EngineGames(plan, arrays_for(plan))
    decisions = Counter[int]()
    for each in games:
        each.arrays.seeds.fill(8)
        each.arrays.select.fill(1)
        each.deal()
    for _ in range(60):
        core, engine = games
        for row in range(40):
            assert list(core.played(row)) == list(engine.played(row))
        core.choose()
        # The learner plays greedily in half of the rows, so that games are not one-sided.
        for row in range(0, 40, 2):
            if not engine.is_waiting[row]:
                core.arrays.actions[row] = greedy_action(engine._rows[row].state)
        engine.arrays.actions[:] = core.arrays.actions
        core.step()
        engine.step()
        decisions.update(min(a, 11) for row in range(40) for a in engine.played(row))
    assert decisions.keys() >= {0, 1, 2, 3, 4, 5, 7, 8, 11}


def test_greedy_as_a_bot_in_python_plays_the_same_games() -> None:
    class Same(GreedyBot):
        name = "same"

    runs = []
    for opponents in ("greedy", Same):
        envs = vector(16, opponents=opponents)
        envs.reset(seed=4)
        seen = []
        for _ in range(60):
            seen.append([envs.observations.copy(), envs.rewards.copy(), envs.seats.copy()])
            envs.step(envs.random_actions())
        runs.append(seen)
    for one, other in zip(*runs, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_built_in_random_chooses_uniformly() -> None:
    games = 20_000
    plan = Plan(rules_for(load_board("amsterdam"), 2), games, 1, (Control.LEARNER, Control.RANDOM))
    batch = NativeGames(plan, arrays_for(plan, bare=True))
    batch.arrays.select.fill(1)
    batch.deal()
    first = Counter(batch.played(row)[0] for row in range(games) if batch.logged[row])
    assert first.keys() == {7, 8, 9}
    total = sum(first.values())
    assert all(abs(number - total / 3) < 5 * (total * 2 / 9) ** 0.5 for number in first.values())


class Witness(Bot):
    """Plays at random and records what it sees."""

    games: list[Witness]

    def __init__(self) -> None:
        self.games.append(self)
        self.seen: list[Event] = []
        self.results: list[Result] = []
        self.turns: list[tuple[int, int]] = []

    def start(self, match: MatchInfo) -> None:
        self.match = match

    def saw(self, event: Event) -> None:
        self.seen.append(event)

    def choose(self, view: View) -> int:
        assert view.seat == self.match.seat
        self.turns.append((view.turns, len(view.legal)))
        return self.rng.choice(view.legal)

    def finish(self, result: Result) -> None:
        self.results.append(result)


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("opponents", [Witness, ("greedy", Witness), (Witness, "random", Witness)])
def test_bots_live_through_whole_games(mode: Any, opponents: Any) -> None:
    Witness.games = []
    players = 2 if opponents is Witness else 1 + len(opponents)
    envs = vector(4, players=players, opponents=opponents, autoreset_mode=mode)
    envs.reset(seed=1)
    ended = 0
    totals = []
    while ended < 6:
        *_, info = envs.step(envs.random_actions())
        ended += envs.terminals.sum()
        totals += info["total"][envs.terminals].tolist() if envs.terminals.any() else []
    finished = [bot for bot in Witness.games if bot.results]
    assert len(finished) >= ended
    for bot in finished:
        [result] = bot.results
        assert isinstance(bot.seen[0], Deal)
        assert isinstance(bot.seen[-1], End)
        assert [seat.total for seat in result.seats] in totals
        assert bot.turns == sorted(bot.turns, key=lambda it: it[0])
    assert all(len(bot.results) <= 1 for bot in Witness.games)


def test_policies_get_the_rows_of_their_seats_at_once() -> None:
    calls: list[int] = []

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        assert observations.shape == (len(masks), encoder.size)
        assert (observations[:, actor.start] == 1).all()  # the decision is the observing seat's
        assert masks.any(axis=1).all()
        calls.append(len(masks))
        return masks.argmax(axis=1)

    envs = vector(64, players=3, opponents=(policy, "greedy"))
    encoder = encoder_for(envs.rules)
    actor = encoder.parts["actor"]
    envs.reset(seed=1)
    for _ in range(50):
        envs.step(envs.random_actions())
    assert max(calls) > 20
    assert all(seat in range(3) for seat in envs.seats)


def test_opponents_sit_clockwise_from_the_learner() -> None:
    seats: list[tuple[int, int]] = []

    class First(Witness):
        def start(self, match: MatchInfo) -> None:
            super().start(match)
            seats.append((1, match.seat))

    class Second(Witness):
        def start(self, match: MatchInfo) -> None:
            super().start(match)
            seats.append((2, match.seat))

    Witness.games = []
    envs = vector(1, players=3, opponents=(First, Second), seat=2)
    envs.reset(seed=1)
    assert sorted(seats) == [(1, 0), (2, 1)]
    assert envs.seats.tolist() == [2]


def test_bots_see_only_what_they_may() -> None:
    class Curious(Bot):
        def choose(self, view: View) -> int:
            own = [bool(event.hands[view.seat][0] is not None) for event in view.events[:1]]  # type: ignore[union-attr]
            assert own == [True]
            other = 1 - view.seat
            assert view.events[0].hands[other][0] is None  # type: ignore[union-attr]
            return view.legal[0]

    envs = vector(4, opponents=Curious)
    envs.reset(seed=1)
    for _ in range(30):
        envs.step(envs.random_actions())
    for row, state in enumerate(envs.states()):
        expected = envs.encoder.encode(observe(state, int(envs.seats[row])))
        assert np.array_equal(envs.observations[row], expected)

"""Wrong input: a clear error before anything is written."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from damrak import Bot
from damrak.env import rollouts, simulate, vector
from damrak_engine.board import parse_board
from damrak_engine.boards import load_board
from damrak_engine.errors import IllegalAction

pytestmark = pytest.mark.usefixtures("native")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"num_envs": 0}, "num_envs must be from 1 to 1048576, not 0"),
        ({"num_envs": 2.0}, "num_envs must be a whole number, not 2.0"),
        ({"num_envs": True}, "num_envs must be a whole number"),
        ({"board": "paris"}, "no board 'paris'; there are: amsterdam"),
        ({"players": 5}, "players must be from 2 to 4, not 5"),
        ({"players": "2"}, "players must be a whole number, not '2'"),
        ({"opponents": "strong"}, "no house bot 'strong'; there are: random, greedy"),
        ({"opponents": ("greedy", "greedy")}, "2 players need 1 opponents, not 2"),
        ({"opponents": (7,)}, "an opponent must be the name of a house bot"),
        ({"opponents": 7}, "an opponent must be the name of a house bot"),
        ({"opponents": "greedy", "seat": 2}, "there is no seat 2 at a table of 2"),
        ({"opponents": "greedy", "seat": -1}, "there is no seat -1"),
        ({"opponents": "greedy", "seat": "first"}, "there is no seat 'first'"),
        ({"reward": "win"}, "no reward 'win'; there are: place, margin, or a function"),
        ({"dtype": "int8"}, "no dtype 'int8'; there are: float32, uint8"),
        ({"dtype": 5}, "no dtype 5"),
        ({"threads": 0}, "threads must be from 1 to 256"),
        ({"autoreset_mode": "Never"}, "no autoreset mode 'Never'; there are: NextStep, SameStep"),
        ({"options": {"colour": "red"}}, "no option 'colour'"),
        ({"options": {"reshuffle": "never"}}, "option reshuffle: 'never' is not one of: lazy"),
        ({"options": {"first_player": "seat 2"}}, "there is no seat 2 at a table of 2"),
    ],
)
def test_arguments(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=f".*{problem}"):
        vector(**{"num_envs": 4, **given})


@pytest.mark.parametrize(
    ("name", "array", "problem"),
    [
        ("rewards", [0.0] * 4, "must be a numpy array, not list"),
        ("rewards", np.zeros(4), "must be of type float32, not float64"),
        ("rewards", np.zeros(5, np.float32), r"must have the shape \(4,\), not \(5,\)"),
        ("rewards", np.zeros(8, np.float32)[::2], "must have contiguous rows"),
        ("observations", np.zeros((4, 732), np.float32)[:, ::2], "must have contiguous rows"),
        ("observations", np.zeros((4, 366), np.float32)[::-1], "must have contiguous rows"),
        ("observations", np.broadcast_to(np.zeros(366, np.float32), (4, 366)), "contiguous rows"),
        ("masks", np.zeros((4, 315), np.int64), "must be of type int8, not int64"),
        ("prizes", np.zeros(4), "no buffer 'prizes'; there are: observations, masks"),
    ],
)
def test_buffers(name: str, array: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        vector(4, buffers={name: array})


def test_read_only_and_shared_buffers() -> None:
    fixed = np.zeros(4, np.float32)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="must be aligned and writable"):
        vector(4, buffers={"rewards": fixed})
    same = np.zeros(4, np.bool_)
    with pytest.raises(ValueError, match="terminals and truncations must not share memory"):
        vector(4, buffers={"terminals": same, "truncations": same})


def test_counts_too_large_for_bytes() -> None:
    source = {**load_board("amsterdam").source, "cards_per_colour": 40}
    with pytest.raises(ValueError, match="dtype uint8 is too small: counts on the board"):
        vector(4, parse_board(source), dtype="uint8")


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        (np.zeros(3, np.int64), ValueError),
        (np.zeros((4, 1), np.int64), ValueError),
        (np.zeros(4), ValueError),
        (np.zeros(4, np.bool_), ValueError),
        (None, ValueError),
        ("abcd", ValueError),
        ([[7]] * 4, ValueError),
        (np.array([7, 7, 7, 315]), IllegalAction),
        (np.array([7, 7, -1, 7]), IllegalAction),
        (np.array([7, 7, 7, 1 << 62]), IllegalAction),
        (np.array([7, 7, 7, (1 << 64) - 1], np.uint64), IllegalAction),
        (np.array([7, 0, 7, 7]), IllegalAction),
    ],
)
@pytest.mark.parametrize("opponents", [None, "greedy", lambda seen, masks: masks.argmax(axis=1)])
def test_wrong_actions_change_nothing(actions: Any, error: type[Exception], opponents: Any) -> None:
    envs = vector(4, opponents=opponents)
    envs.reset(seed=1)
    arrays = (envs.observations, envs.masks, envs.rewards, envs.terminals, envs.seats)
    before = [array.copy() for array in arrays]
    states = [state.turns for state in envs.states()]
    with pytest.raises(error, match=r"actions must|row \d: "):
        envs.step(actions)
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))
    assert [state.turns for state in envs.states()] == states
    envs.step(envs.random_actions())


def test_an_illegal_action_is_explained() -> None:
    envs = vector(2)
    envs.reset(seed=1)
    with pytest.raises(IllegalAction, match="row 0: cannot draw blind: choose among the contracts"):
        envs.step(np.array([0, 7]))


def test_calls_out_of_order() -> None:
    envs = vector(2)
    for call in (lambda: envs.step(np.array([7, 7])), envs.random_actions, lambda: envs.state(0)):
        with pytest.raises(ValueError, match=r"call reset\(\)"):
            call()
    with pytest.raises(ValueError, match="the first reset is of all rows"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset(seed=1)
    envs.close()
    envs.close()
    with pytest.raises(ValueError, match="the environment is closed"):
        envs.step(np.array([7, 7]))


@pytest.mark.parametrize(
    ("seed", "problem"),
    [
        (-1, "seed must be from 0"),
        ("a", "expected a seed or 2"),
        ([1], "not 1"),
        ([1, None], "seed"),
    ],
)
def test_seeds(seed: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        vector(2).reset(seed=seed)


@pytest.mark.parametrize("mask", [[True, False], np.zeros(2), np.zeros(3, np.bool_)])
def test_reset_masks(mask: Any) -> None:
    envs = vector(2)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="reset_mask must"):
        envs.reset(options={"reset_mask": mask})


def test_rows_seats_and_states() -> None:
    envs = vector(2)
    envs.reset(seed=1)
    state = envs.state(0)
    for call, problem in (
        (lambda: envs.state(2), "row must be from 0 to 1, not 2"),
        (lambda: envs.load(-1, state), "row must be from 0 to 1, not -1"),
        (lambda: envs.load(0, "state"), "expected a State, not str"),
        (lambda: envs.load(0, state, seat=0), "every seat learns here"),
        (lambda: envs.load(0, vector_state(3)), "another board, number of players or options"),
        (lambda: envs.view(2, envs.observations.copy()), "there is no seat 2"),
        (lambda: envs.view(0, np.zeros(3, np.float32)), "must have the shape"),
        (lambda: rollouts([]), "expected at least one state"),
        (lambda: rollouts([state], 0), "expected a positive whole number, not 0"),
        (lambda: rollouts([state], policy="best"), "no policy 'best'; there are: random, greedy"),
        (lambda: simulate(state.rules, -1), "expected a positive whole number"),
    ):
        with pytest.raises(ValueError, match=problem):
            call()


def vector_state(players: int) -> Any:
    envs = vector(1, players=players)
    envs.reset(seed=1)
    return envs.state(0)


@pytest.mark.parametrize(
    "policy", [lambda seen, masks: masks.argmax(1) * 0, lambda seen, masks: None]
)
def test_a_policy_that_errs_is_named(policy: Any) -> None:
    envs = vector(4, opponents=policy)
    with pytest.raises(ValueError, match=r"(the opponent|the policy) <lambda>"):
        envs.reset(seed=1)
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        envs.step(envs.masks.argmax(1))


class Failing(Bot):
    def choose(self, view: Any) -> int:
        raise LookupError("no idea")


def test_exceptions_of_bots_propagate() -> None:
    with pytest.raises(LookupError, match="no idea"):
        vector(4, opponents=Failing).reset(seed=1)
    with pytest.raises(ValueError, match="an opponent must be"):
        vector(4, opponents=(Failing(),))


def test_only_one_thread_at_a_time() -> None:
    entered, leave = threading.Event(), threading.Event()

    def policy(seen: np.ndarray, masks: np.ndarray) -> np.ndarray:
        entered.set()
        leave.wait(60)
        return masks.argmax(axis=1)

    envs = vector(4, opponents=policy, seat=1)
    thread = threading.Thread(target=envs.reset, kwargs={"seed": 1})
    thread.start()
    entered.wait(60)
    with pytest.raises(RuntimeError, match="in use by another thread"):
        envs.reset(seed=1)
    leave.set()
    thread.join()


def test_a_finished_state_cannot_be_loaded() -> None:
    envs = vector(1, autoreset_mode="Disabled")
    envs.reset(seed=1)
    while not envs.terminals[0]:
        envs.step(envs.random_actions())
    over = envs.state(0)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="the game of this state is over"):
        envs.load(0, over)

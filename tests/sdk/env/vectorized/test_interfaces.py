"""The interfaces of other libraries on the same games."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

from damrak.env import DamrakAEC, DamrakParallel
from damrak_engine.errors import IllegalAction

pytestmark = pytest.mark.usefixtures("native")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_official_check(players: int, capsys: pytest.CaptureFixture[str]) -> None:
    parallel_api_test(DamrakParallel(players=players))
    assert "Passed Parallel API test" in capsys.readouterr().out


def test_spaces_are_those_of_the_other_environment() -> None:
    ours, theirs = DamrakParallel(players=3), DamrakAEC(players=3)
    assert ours.possible_agents == theirs.possible_agents
    for agent in ours.possible_agents:
        assert ours.observation_space(agent) == theirs.observation_space(agent)
        assert ours.action_space(agent) == theirs.action_space(agent)


def test_one_agent_decides_at_a_time() -> None:
    env = DamrakParallel(players=3, reward="margin")
    seen, infos = env.reset(seed=4)
    rewards: dict[str, float] = {}
    while env.agents:
        [agent] = [agent for agent in env.agents if seen[agent]["action_mask"].any()]
        assert all(seen[it] in env.observation_space(it) for it in env.agents)
        assert infos[agent]["action_mask"] is seen[agent]["action_mask"]
        legal = np.flatnonzero(seen[agent]["action_mask"])
        seen, rewards, over, cut, infos = env.step({agent: int(legal[-1])})
        assert not any(cut.values())
        assert all(over.values()) == (not env.agents)
    assert sum(rewards.values()) == pytest.approx(0, abs=1e-4)
    totals = [infos[agent]["total"] for agent in env.possible_agents]
    assert rewards["player_0"] == pytest.approx(totals[0] - (totals[1] + totals[2]) / 2)


def test_wrong_calls() -> None:
    env = DamrakParallel()
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        env.step({})
    seen, _ = env.reset(seed=1)
    [agent] = [agent for agent in env.agents if seen[agent]["action_mask"].any()]
    with pytest.raises(ValueError, match=f"the action of {agent} is missing"):
        env.step({})
    with pytest.raises(IllegalAction):
        env.step({agent: 0})
    env.step({agent: 7})


class PufferEnv:
    """The buffers and spaces of PufferLib 3, which needs torch and a download to be installed."""

    def __init__(self, buf: Any = None) -> None:
        rows, space = self.num_agents, self.single_observation_space  # type: ignore[attr-defined]
        buf = buf or {
            "observations": np.zeros((rows, *space.shape), space.dtype),
            "rewards": np.zeros(rows, np.float32),
            "terminals": np.zeros(rows, np.bool_),
            "truncations": np.zeros(rows, np.bool_),
            "masks": np.ones(rows, np.bool_),
            "actions": np.zeros(rows, np.int32),
        }
        vars(self).update(buf)


@pytest.fixture
def puffer(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The adapter on PufferLib if it is installed, otherwise on the buffers it would provide."""
    try:
        import pufferlib  # noqa: F401
    except ImportError:
        library = ModuleType("pufferlib")
        library.PufferEnv = PufferEnv  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "pufferlib", library)
        monkeypatch.delitem(sys.modules, "damrak.env.vectorized.puffer", raising=False)
    from damrak.env.vectorized.puffer import DamrakPuffer

    yield DamrakPuffer
    sys.modules.pop("damrak.env.vectorized.puffer", None)


def test_puffer_buffers_are_written_in_place(puffer: Any) -> None:
    rows = 16
    observations = np.full((rows, 366 + 315), 99, np.uint8)
    buffers = {
        "observations": observations,
        "rewards": np.zeros(rows, np.float32),
        "terminals": np.zeros(rows, np.bool_),
        "truncations": np.ones(rows, np.bool_),
        "masks": np.ones(rows, np.bool_),
        "actions": np.zeros(rows, np.int32),
    }
    envs = puffer(buf=buffers, seed=3, num_envs=rows)
    seen, infos = envs.reset()
    assert seen is observations
    assert infos == []
    assert envs.size == 366
    games = 0
    for _ in range(80):
        assert (observations[:, envs.size :].max(axis=1) == 1).all()
        actions = observations[:, envs.size :].argmax(axis=1).astype(np.int32)
        _, rewards, terminals, truncations, infos = envs.step(actions)
        assert rewards is buffers["rewards"]
        assert terminals is buffers["terminals"]
        assert not truncations.any()
        assert len(infos) == terminals.any()
        games += terminals.sum()
    assert games > 16
    assert buffers["masks"].all()
    envs.close()

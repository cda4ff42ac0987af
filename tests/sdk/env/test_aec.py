"""The PettingZoo environment."""

import re
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from damrak.env import DamrakAEC, aec_env
from damrak_engine.errors import IllegalAction, OptionsError

# PettingZoo recognises dictionaries with an action mask by a list of its own environments' names.
DICTIONARY = [
    pytest.mark.filterwarnings(f"ignore:^{re.escape(text)}:UserWarning:pettingzoo")
    for text in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box",
    )
]


def masked(test: Any) -> Any:
    for mark in DICTIONARY:
        test = mark(test)
    return test


def play(env: Any, seed: int) -> dict[str, float]:
    """Play a random game to its end and return the reward of every agent."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        shown, reward, over, cut, _ = env.last()
        rewards[agent] += reward
        assert not cut
        env.step(None if over else int(rng.choice(np.flatnonzero(shown["action_mask"]))))
    return rewards


@masked
@pytest.mark.parametrize("players", [2, 3, 4])
def test_official_api(players: int) -> None:
    api_test(aec_env(players=players), num_cycles=300)


@masked
@pytest.mark.parametrize("options", [{"pass": "voluntary"}, {"first_player": "rotate"}])
def test_official_api_with_options(options: dict[str, str]) -> None:
    api_test(aec_env(options=options, reward="margin"), num_cycles=100)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_official_seeds(players: int) -> None:
    seed_test(lambda: aec_env(players=players), num_cycles=200)


def test_official_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: aec_env(render_mode=render_mode))
    assert "cards in the pile" in capsys.readouterr().out


def test_name() -> None:
    assert str(aec_env()) == "damrak_v0"


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("reward", ["place", "margin"])
def test_rewards_add_up_to_nothing(players: int, reward: str) -> None:
    for seed in range(5):
        rewards = play(aec_env(players=players, reward=reward), seed)
        assert sum(rewards.values()) == pytest.approx(0)
        assert any(rewards.values())


def test_rewards_follow_places_and_totals() -> None:
    for reward in ("place", "margin"):
        env = DamrakAEC(players=3, reward=reward)
        rng = np.random.default_rng(3)
        env.reset(seed=3)
        while not any(env.terminations.values()):
            mask = env.infos[env.agent_selection]["action_mask"]
            env.step(rng.choice(np.flatnonzero(mask)))
        places = {agent: info["place"] for agent, info in env.infos.items()}
        totals = {agent: info["total"] for agent, info in env.infos.items()}
        for agent, got in env.rewards.items():
            others = [other for other in env.agents if other != agent]
            beaten = [np.sign(places[other] - places[agent]) for other in others]
            ahead = [totals[agent] - totals[other] for other in others]
            assert got == pytest.approx(np.mean(beaten if reward == "place" else ahead))


def test_only_the_agent_asked_has_a_mask_and_info_has_it_too() -> None:
    env = aec_env(players=3)
    env.reset(seed=1)
    for agent in env.agent_iter(60):
        asked = env.observe(agent)["action_mask"]
        assert asked.any()
        assert (env.infos[agent]["action_mask"] == asked).all()
        for other in set(env.agents) - {agent}:
            assert not env.observe(other)["action_mask"].any()
            assert not env.infos[other]["action_mask"].any()
        env.step(int(np.flatnonzero(asked)[-1]))


def test_observations_lie_in_their_space() -> None:
    env = aec_env()
    env.reset(seed=1)
    for agent in env.agents:
        assert env.observation_space(agent).contains(env.observe(agent))


def test_choices_at_set_up_are_hidden_from_others() -> None:
    shown = []
    for keep in (7, 8, 9):
        env = aec_env(players=3)
        env.reset(seed=4)
        env.step(keep)
        env.step(keep)
        shown.append(env.last()[0]["observation"])
    assert (shown[0] == shown[1]).all()
    assert (shown[0] == shown[2]).all()


@pytest.mark.parametrize(("reward", "penalty"), [("place", -1), ("margin", -100)])
def test_an_illegal_action_ends_the_game(
    reward: str, penalty: float, caplog: pytest.LogCaptureFixture
) -> None:
    env = aec_env(players=3, reward=reward)
    env.reset(seed=2)
    culprit = env.agent_selection
    env.step(0)  # a card, although contracts have to be chosen
    assert env.rewards == {agent: penalty * (agent == culprit) for agent in env.possible_agents}
    assert all(env.terminations.values())
    for _ in env.agent_iter():
        env.step(None)
    assert env.agents == []


def test_an_action_outside_of_the_space_is_refused() -> None:
    env = aec_env()
    env.reset(seed=2)
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(100_000)


def test_without_wrappers_an_illegal_action_raises_and_changes_nothing() -> None:
    env = DamrakAEC()
    env.reset(seed=2)
    before = env.observe(env.agent_selection)
    with pytest.raises(IllegalAction, match="choose among the contracts"):
        env.step(0)
    with pytest.raises(ValueError, match="None is only for a game that is over"):
        env.step(None)
    after = env.observe(env.agent_selection)
    assert all((before[key] == after[key]).all() for key in before)


def test_a_seed_gives_the_same_game_and_continuing_another() -> None:
    assert play(aec_env(), 1) == play(aec_env(), 1)
    env = aec_env()
    hands = []
    for seed in (5, None, 5):
        env.reset(seed=seed)
        hands.append(env.observe("player_0")["observation"])
    assert (hands[0] == hands[2]).all()
    assert (hands[0] != hands[1]).any()


def test_first_player_rotates_when_asked_to() -> None:
    env = aec_env(players=3, options={"first_player": "rotate"})
    firsts = []
    for seed in (1, None, None, None, 1):
        env.reset(seed=seed)
        firsts.append(env.agent_selection)
    assert firsts == ["player_0", "player_1", "player_2", "player_0", "player_0"]


def test_mistakes_in_the_call_are_named() -> None:
    with pytest.raises(ValueError, match="no render mode 'rgb_array'; there are: ansi, human"):
        aec_env(render_mode="rgb_array")
    with pytest.raises(ValueError, match="no reward 'score'; there are: place, margin"):
        aec_env(reward="score")
    with pytest.raises(KeyError, match="no board 'rotterdam'"):
        aec_env("rotterdam")
    with pytest.raises(OptionsError, match="2 to 4 players, not 5"):
        aec_env(players=5)
    with pytest.raises(OptionsError, match="no option 'dice'"):
        aec_env(options={"dice": "loaded"})

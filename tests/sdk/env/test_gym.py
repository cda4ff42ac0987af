"""The Gymnasium environment."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from damrak import Bot, Event, MatchInfo, Result, View
from damrak.env import DamrakEnv, register
from damrak_engine.events import Claim, Deal, End, Keep, seen_by


class Witness(Bot):
    """Plays at random and records its callbacks; the last instance is `latest`."""

    name = "witness"
    games: list["Witness"]

    def __init__(self) -> None:
        self.games.append(self)
        self.seen: list[Event] = []
        self.views: list[View] = []
        self.results: list[Result] = []
        self.lengths: list[int] = []

    def start(self, match: MatchInfo) -> None:
        self.match = match

    def saw(self, event: Event) -> None:
        self.seen.append(event)

    def choose(self, view: View) -> int:
        self.views.append(view)
        self.lengths.append(len(self.seen))
        return self.rng.choice(view.legal)

    def finish(self, result: Result) -> None:
        self.results.append(result)


@pytest.fixture
def witnesses() -> Iterator[list[Witness]]:
    Witness.games = []
    yield Witness.games
    del Witness.games


def play(env: Any, seed: int | None = None) -> tuple[list[np.ndarray], float, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    shown, info = env.reset(seed=seed)
    vectors = [shown]
    over = False
    while not over:
        shown, reward, over, cut, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        assert not cut
        assert over or reward == 0
        vectors.append(shown)
    return vectors, reward, info


@pytest.mark.parametrize("opponents", [("random",), ("greedy", "random"), ("random",) * 3])
def test_official_check(opponents: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    register()
    register()  # registering twice has no effect
    made = gymnasium.make("Damrak-v0", opponents=opponents, reward="margin", seat=0)
    check_env(made.unwrapped)
    assert "cards in the pile" in capsys.readouterr().out


def test_the_same_seed_is_the_same_game() -> None:
    env = DamrakEnv(opponents=("random", "greedy"))
    first = [play(env, seed) for seed in (1, 2)]
    again = [play(env, seed) for seed in (1, 2)]
    for (vectors, reward, info), (others, same, other_info) in zip(first, again, strict=True):
        assert np.array_equal(vectors, others)
        assert reward == same
        assert (info["place"], info["total"]) == (other_info["place"], other_info["total"])
    assert not np.array_equal(first[0][0], first[1][0])


def test_masks_by_method_and_by_info() -> None:
    env = DamrakEnv(opponents=("random",))
    assert not env.action_masks().any()
    _, info = env.reset(seed=3)
    assert (env.action_masks() == info["action_mask"]).all()
    assert np.flatnonzero(env.action_masks()).tolist() == [7, 8, 9]
    _, _, info = play(env)
    assert not info["action_mask"].any()


def test_an_illegal_action_ends_the_game_with_its_reason() -> None:
    for reward, penalty in (("place", -1.0), ("margin", -100.0)):
        env = DamrakEnv(opponents=("random",), reward=reward)
        env.reset(seed=3)
        _, got, over, _, info = env.step(0)
        assert (got, over) == (penalty, True)
        assert "choose among the contracts" in info["illegal"]
        assert not info["action_mask"].any()
        with pytest.raises(ResetNeeded):
            env.step(7)


def test_no_step_before_reset_or_after_the_end() -> None:
    env = DamrakEnv(opponents=("random",))
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(7)
    play(env, 1)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(7)


def test_opponents_sit_clockwise_from_the_learner(witnesses: list[Witness]) -> None:
    class Other(Witness):
        name = "other"

    env = DamrakEnv(opponents=(Witness, Other), seat=1)
    play(env, 1)
    assert env.seat == 1
    assert {type(bot).name: bot.match.seat for bot in witnesses} == {"witness": 2, "other": 0}


def test_the_learner_is_moved_about(witnesses: list[Witness]) -> None:
    env = DamrakEnv(opponents=(Witness, Witness))
    env.reset(seed=1)
    seats = set()
    for _ in range(30):
        env.reset()
        seats.add(env.seat)
    assert seats == {0, 1, 2}
    assert len(witnesses) == 62  # new ones for every game


def test_a_bot_completes_a_whole_match(witnesses: list[Witness]) -> None:
    env = DamrakEnv(opponents=(Witness,), seat=0, reward="margin")
    _, reward, info = play(env, 5)
    (bot,) = witnesses
    (result,) = bot.results
    assert bot.match.seats == 2
    assert isinstance(bot.seen[0], Deal)
    assert isinstance(bot.seen[-1], End)
    assert any(isinstance(event, Claim) for event in bot.seen)
    assert info["total"] == result.seats[0].total
    assert reward == result.seats[0].total - result.seats[1].total
    for view, length in zip(bot.views, bot.lengths, strict=True):
        assert view.legal
        assert list(view.events) == bot.seen[:length]
        assert view.events[-1] == bot.seen[length - 1]
        assert view.events[1:3] == bot.seen[1:length][:2]


def test_a_bot_sees_only_what_its_seat_may(witnesses: list[Witness]) -> None:
    play(DamrakEnv(opponents=(Witness,), seat=0), 5)
    (bot,) = witnesses
    assert bot.seen == [seen_by(event, 1) for event in bot.seen]
    deal = bot.seen[0]
    assert isinstance(deal, Deal)
    assert set(deal.hands[0]) == {None}


def test_bots_choose_first_contracts_unseen(witnesses: list[Witness]) -> None:
    for seat in (0, 1):
        env = DamrakEnv(opponents=(Witness,), seat=seat, options={"first_player": "seat 0"})
        play(env, 1)
    for bot in witnesses:
        assert not any(isinstance(event, Keep) for event in bot.views[0].events)
        assert sum(isinstance(event, Keep) for event in bot.views[1].events) == 2


def test_a_broken_bot_is_reported() -> None:
    class Broken(Bot):
        def choose(self, view: View) -> int:
            raise RuntimeError("no idea")

    with pytest.raises(RuntimeError, match="no idea"):
        play(DamrakEnv(opponents=(Broken,)), 1)


def test_works_in_a_vector_of_environments() -> None:
    made = [lambda: DamrakEnv(opponents=("random",)) for _ in range(2)]
    vector = gymnasium.vector.SyncVectorEnv(made)
    _, info = vector.reset(seed=1)
    for _ in range(100):
        actions = np.array(
            [np.flatnonzero(mask)[0] if mask.any() else 0 for mask in info["action_mask"]]
        )
        _, _, _, _, info = vector.step(actions)
    vector.close()


def test_mistakes_in_the_call_are_named() -> None:
    with pytest.raises(ValueError, match="no house bot 'gredy'; there are: random, greedy"):
        DamrakEnv(opponents=("gredy",))
    with pytest.raises(ValueError, match="no seat 2 at a table of 2"):
        DamrakEnv(seat=2)
    with pytest.raises(ValueError, match="no render mode 'rgb_array'"):
        DamrakEnv(render_mode="rgb_array")

"""The checks of `damrak.testing` on correct and on faulty bots."""

from __future__ import annotations

import time

import pytest

from damrak import Bot, Event, KeepContracts, MatchInfo, Result, View
from damrak.bots.greedy import GreedyBot
from damrak.bots.random_ import RandomBot
from damrak.testing import ScriptedBot, ask, assert_bot_survives, play_match, sample_views
from damrak_engine.actions import BLIND, KEEP_BOTH, KEEP_FIRST, PASS
from damrak_engine.clock import TimeControl
from damrak_engine.events import Blind, Deal, End, Keep


class Honest(Bot):
    """Records its news."""

    def start(self, match: MatchInfo) -> None:
        self.diary: list[str] = ["start"]
        self.events: list[Event] = []
        self.result: Result | None = None

    def saw(self, event: Event) -> None:
        self.events.append(event)

    def choose(self, view: View) -> int:
        assert list(view.events) == self.events
        self.diary.append("choose")
        return self.rng.choice(view.legal)

    def finish(self, result: Result) -> None:
        self.diary.append("finish")
        self.result = result


class Illegal(Bot):
    def choose(self, view: View) -> int:
        return KEEP_FIRST if view.is_offer else PASS


class Nonsense(Bot):
    def choose(self, view: View) -> int:
        return "north"  # type: ignore[return-value]


class Raises(Bot):
    def choose(self, view: View) -> int:
        return view.legal[999]


class Breaks(Bot):
    def choose(self, view: View) -> int:
        assert len(view.opponents) == 1, "made for two players"
        return view.legal[0]


class Slow(Bot):
    def choose(self, view: View) -> int:
        time.sleep(0.03)
        return view.legal[0]


def test_a_good_bot_survives() -> None:
    assert_bot_survives(RandomBot)
    assert_bot_survives(GreedyBot, games=1)
    assert_bot_survives(Honest, games=1)


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        (Illegal, ["'a turn'", "Illegal in seat", "cannot pass", "legal were: 0 (draw blind), 1"]),
        (Nonsense, ["'north' is no action on the board amsterdam", "7 (keep the first contract)"]),
        (Raises, ["choose() raised IndexError", "decision 1,"]),
        (Breaks, ["3 seats", "made for two players"]),
    ],
)
def test_a_bad_bot_gets_an_error_with_cause_and_place(bot: type[Bot], words: list[str]) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_bot_survives(bot)
    for word in words:
        assert word in str(caught.value)


def test_the_cause_is_kept_for_the_debugger() -> None:
    with pytest.raises(AssertionError) as caught:
        ask(Raises(), sample_views()["a turn"])
    assert isinstance(caught.value.__cause__, IndexError)


def test_a_slow_bot_is_reported_with_its_time() -> None:
    control = TimeControl(decision_ms=10)
    with pytest.raises(AssertionError, match=r"took \d+\.\d\d s of 0\.01 s allowed"):
        play_match([Slow(), RandomBot()], control=control)


def test_a_match_calls_the_hooks_in_order_with_the_seats_own_events() -> None:
    bots = [Honest(), Honest()]
    result = play_match(bots, seed=3)
    for seat, bot in enumerate(bots):
        assert bot.diary[0] == "start"
        assert bot.diary[-1] == "finish"
        assert set(bot.diary[1:-1]) == {"choose"}
        assert bot.result == result
        assert isinstance(bot.events[0], Deal)
        assert isinstance(bot.events[-1], End)
        for event in bot.events:
            if isinstance(event, Blind):
                assert (event.card is None) == (event.seat != seat)
            elif isinstance(event, Keep):
                assert (None in event.contracts) == (event.seat != seat)


def test_equal_seeds_are_equal_matches_and_others_are_not() -> None:
    same = [play_match([RandomBot(), GreedyBot()], seed=seed) for seed in (1, 1, 2)]
    assert same[0] == same[1] != same[2]


def test_a_script_is_played_and_then_the_other_bot() -> None:
    script = ScriptedBot([KeepContracts(True, True), BLIND, BLIND], then=Honest())
    play_match([script, RandomBot()], seed=1)
    assert script.played == 3
    assert isinstance(script.then, Honest)
    assert len(script.then.diary) > 2


def test_an_unplayable_script_is_reported_with_the_place() -> None:
    script = ScriptedBot([KEEP_BOTH, BLIND, PASS])
    with pytest.raises(AssertionError, match="step 2 of the script: cannot pass; legal were: 0"):
        play_match([script, RandomBot()], seed=1)


def test_sample_views_are_fresh_and_complete() -> None:
    views = sample_views()
    assert {view.seats for view in views.values()} == {2, 3, 4}
    assert all(view.legal and view.events and view.time_left.us > 0 for view in views.values())
    assert views["the second card"].is_second_card
    assert views["the last round"].is_last_round
    assert None in views["a row with a gap"].row
    assert any(it.has_left for it in views["a seat that has left"].opponents)

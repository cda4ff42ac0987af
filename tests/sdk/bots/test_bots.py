"""The house bots: they finish games on every table, are deterministic, and keep their ranking."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import assume, given

from damrak import MatchInfo, testing
from damrak.bots import HOUSE_BOTS, house_bot, mcts, parameters
from damrak.bots.greedy import GreedyBot
from damrak.bots.mcts import MctsBot
from damrak.testing import ask, assert_bot_survives, play_match, sample_views
from damrak.view import View
from damrak_engine.board import parse_board
from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.options import parse_options
from samples import examples
from strategies import Plan, board_of, plans

QUICK = ("random", "greedy", "planner", "mcts:iterations=2")


def score(a: str, b: str, blocks: int) -> float:
    """Return the mean score of a against b over mirrored blocks."""
    points = 0.0
    for seed in range(blocks):
        for seat in (0, 1):
            bots = [house_bot(b), house_bot(b)]
            bots[seat] = house_bot(a)
            winners = play_match(bots, seed=seed).winners
            points += (seat in winners) / len(winners)
    return points / (2 * blocks)


@pytest.mark.parametrize("spec", QUICK)
def test_it_survives(spec: str) -> None:
    assert_bot_survives(lambda: house_bot(spec), games=1)


@examples(25)
@given(plans(faults=False))
def test_mixed_tables_end_under_any_options(plan: Plan) -> None:
    options = parse_options(dict(plan.options))
    assume(options.first_player != "rotate")
    specs = [QUICK[(plan.number + i) % len(QUICK)] for i in range(plan.seats)]
    bots = [house_bot(spec) for spec in specs]
    seed = plan.number
    result = play_match(bots, seed=seed, board=board_of(plan), options=options)
    assert len(result.seats) == plan.seats
    assert all(seat.fault is None for seat in result.seats)


@pytest.mark.parametrize("carts", [1, 2])
def test_where_every_turn_announces_the_last_round_they_play_too(carts: int) -> None:
    board = parse_board({**load_board("amsterdam").source, "carts_per_player": carts})
    result = play_match([house_bot(spec) for spec in QUICK], board=board)
    assert result.reason == "carts"


@pytest.mark.parametrize("spec", QUICK)
def test_equal_seeds_give_equal_games(spec: str) -> None:
    games = [play_match([house_bot(spec), house_bot("planner")], seed=5) for _ in range(2)]
    assert games[0] == games[1]


@pytest.mark.parametrize(("better", "worse"), [("greedy", "random"), ("planner", "greedy")])
def test_each_quick_bot_beats_the_one_before_it(better: str, worse: str) -> None:
    assert score(better, worse, blocks=15) > 0.7


class Turning:
    """A clock that advances by a tick whenever it is read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tick: float) -> None:
        self.seconds = 0.0
        self._tick = tick
        clock = SimpleNamespace(monotonic=self.look, monotonic_ns=lambda: int(self.look() * 1e9))
        for module in (mcts, testing):
            monkeypatch.setattr(module, "time", clock)

    def look(self) -> float:
        self.seconds += self._tick
        return self.seconds


@pytest.mark.parametrize("bank_ms", [1, 20, 200])
def test_the_search_stays_within_a_short_bank(
    bank_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = sample_views()["a turn"]
    view = View(view.observation, view.legal, view.events, TimeLeft(None, 1000 * bank_ms))
    bot = MctsBot()
    bot.start(MatchInfo(view.board, view.rules, view.seats, view.seat, TimeControl()))
    clock = Turning(monkeypatch, tick=bank_ms / 20_000)
    bot.choose(view)
    assert clock.seconds <= bank_ms / 1000


def test_the_search_completes_a_match_of_half_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Turning(monkeypatch, tick=0.001)
    control = TimeControl(decision_ms=100, bank_ms=500, increment_ms=5)
    result = play_match([MctsBot(), house_bot("planner")], control=control)
    assert result.reason == "carts"


def test_the_search_takes_no_time_when_there_is_no_choice() -> None:
    view = sample_views()["nothing to do but pass"]
    assert ask(MctsBot(), view) == view.legal[0]


@pytest.mark.parametrize("spec", ["mcts:ms=30", "mcts:ms=30,iterations=2", "mcts:iterations=2"])
def test_a_spec_sets_the_parameters_and_names_the_bot(spec: str) -> None:
    bot = house_bot(spec)
    assert isinstance(bot, MctsBot)
    assert bot.name == spec
    assert (bot.ms == 30) == ("ms=30" in spec)
    assert (bot.iterations == 2) == ("iterations=2" in spec)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("nobody", "no house bot 'nobody'; there are: random, greedy, planner, mcts"),
        ("greedy:ms=3", "greedy has no parameter 'ms'; it takes none"),
        ("mcts:s=3", "mcts has no parameter 's'; it takes: ms, iterations"),
        ("mcts:ms=fast", "mcts: ms must be a whole number, not 'fast'"),
        ("mcts:ms=-3", "mcts: ms must be a whole number, not '-3'"),
        ("mcts:ms", "mcts: ms must be a whole number, not ''"),
    ],
)
def test_a_wrong_spec_is_reported_in_one_line(spec: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(complaint)}$"):
        house_bot(spec)


def test_every_house_bot_is_known_by_its_name() -> None:
    assert {name: bot.name for name, bot in HOUSE_BOTS.items()} == {n: n for n in HOUSE_BOTS}
    assert {name: parameters(bot) for name, bot in HOUSE_BOTS.items() if parameters(bot)} == {
        "mcts": {"ms": 0, "iterations": 0}
    }


def test_the_document_shows_greedy_as_it_is() -> None:
    source = inspect.getsource(inspect.getmodule(GreedyBot) or GreedyBot)
    document = Path(__file__).parents[3] / "docs" / "house-bots.md"
    assert f"```python\n{source}```" in document.read_text("utf-8")

"""Local play: the record of a game, its reproducibility, and fair clocks."""

from dataclasses import replace

import pytest

from damrak import Bot, Result, View
from damrak.bots import HOUSE_BOTS
from damrak.hosting import shared, trusted
from damrak.hosting.driver import Question
from damrak.local import GamePlan, chance_of, play_game
from damrak.specs import parse_spec
from damrak_engine.clock import TimeControl
from damrak_engine.errors import OptionsError
from damrak_engine.events import Decision
from damrak_engine.options import parse_options
from damrak_engine.replay import to_bytes
from damrak_engine.verify import verify
from sdk.hostile import BOARD, BOTS, SEED, play

HONEST = "honest.py:Honest"


class Watch:
    """The clock of house bots: it advances only when one of them thinks."""

    ns = 0

    def __call__(self) -> int:
        return self.ns


class Sleepy(Bot):
    """A bot that takes time."""

    name = "sleepy"
    watch: Watch
    pause_ms = 50

    def choose(self, view: View) -> int:
        if view.is_setup:
            self.watch.ns += self.pause_ms * 1_000_000
        return view.legal[0]


class Broken(Bot):
    """A house bot with a bug."""

    name = "broken"

    def choose(self, view: View) -> int:
        if view.turns > 3:
            raise ZeroDivisionError("a bug in the house")
        return view.legal[0]


class BrokenAtTheEnd(Bot):
    """A house bot with a bug at the end of the game."""

    name = "late"

    def choose(self, view: View) -> int:
        return self.rng.choice(view.legal)

    def finish(self, result: Result) -> None:
        raise ZeroDivisionError


@pytest.fixture(autouse=True)
def _more_house_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    for bot in (Sleepy, Broken, BrokenAtTheEnd):
        monkeypatch.setitem(HOUSE_BOTS, bot.name, bot)
    monkeypatch.setattr(Sleepy, "watch", Watch(), raising=False)
    monkeypatch.setattr(trusted, "monotonic_ns", Sleepy.watch)


# ---- the record --------------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_replay_of_a_game_is_valid(seats: int) -> None:
    record = play(*[HONEST, "random", "greedy", "random"][:seats])
    verify(to_bytes(record.replay))
    assert record.replay.result == record.result


@pytest.mark.process
def test_replay_of_a_game_with_faults_is_valid() -> None:
    record = play("raises.py:InChoose", HONEST, "broken", "nonsense.py:Text")
    assert [fault.seat for fault in record.faults] != []
    verify(to_bytes(record.replay))


@pytest.mark.process
def test_record_names_the_players() -> None:
    record = play(HONEST, "random")
    player, house = record.replay.seats
    assert (player.bot, player.owner) == ("Honest Jan", "local")
    assert player.version == parse_spec(str(BOTS / "honest.py")).version
    assert house.bot == "random"
    assert record.names == ("Honest Jan", "random")
    assert record.replay.match is record.replay.block is record.replay.ladder is None


@pytest.mark.process
def test_bot_that_never_spoke_is_called_by_its_file() -> None:
    assert play("raises_on_import.py", "random").names[0] == "raises_on_import"


def test_record_counts_decisions_and_seconds() -> None:
    record = play("sleepy", "random", control=TimeControl())
    made = [e for e in record.replay.events if isinstance(e, Decision)]
    assert record.decisions == tuple(sum(e.seat == s for e in made) for s in (0, 1))
    assert record.seconds == (Sleepy.pause_ms / 1000, 0.0)


@pytest.mark.process
def test_notes_are_in_the_replay() -> None:
    record = play(HONEST, "random")
    notes = [e.note for e in record.replay.events if isinstance(e, Decision) and e.seat == 0]
    assert all(note and "events" in note for note in notes)


@pytest.mark.process
def test_events_of_a_bot_add_up() -> None:
    record = play(HONEST, HONEST)
    assert record.faults == ()  # the bot asserts that its news match the view


@pytest.mark.process
def test_output_is_there_without_a_fault() -> None:
    assert "finished by carts" in play(HONEST, "random").output[0]


# ---- reproducibility -----------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.parametrize("bot", [HONEST, "honest.py:ByHash", "random"])
def test_same_seed_is_the_same_game(bot: str) -> None:
    first, second = play(bot, "greedy"), play(bot, "greedy")
    assert first.replay.events == second.replay.events
    assert first.result == second.result
    assert _notes(first.replay.events) == _notes(second.replay.events)


def _notes(events: tuple[object, ...]) -> list[str | None]:
    return [event.note for event in events if isinstance(event, Decision)]


@pytest.mark.process
def test_other_seed_is_another_game() -> None:
    first, second = play(HONEST, "random"), play(HONEST, "random", seed=bytes(32))
    assert first.replay.events != second.replay.events


def test_random_numbers_of_bots_do_not_repeat() -> None:
    chances = {chance_of(seed, seat) for seed in (SEED, bytes(32)) for seat in range(4)}
    assert len(chances) == 8


def test_first_player_is_as_planned() -> None:
    specs = (parse_spec("random"), parse_spec("random"))
    options = parse_options({"first_player": "rotate"})
    for first in (0, 1):
        record = play_game(GamePlan(BOARD, specs, SEED, options, first=first))
        deal = record.replay.events[0]
        assert getattr(deal, "first") == first  # noqa: B009 - an Event has none
        verify(to_bytes(record.replay))


def test_plan_that_cannot_be_played_is_refused() -> None:
    with pytest.raises(OptionsError):
        play_game(GamePlan(BOARD, (parse_spec("random"),) * 5, SEED))


# ---- clocks ------------------------------------------------------------------------------------


def test_thinking_of_others_is_not_charged() -> None:
    """All are asked for their first contracts at once."""
    control = TimeControl(decision_ms=80, bank_ms=80, increment_ms=0)
    record = play("sleepy", "sleepy", "sleepy", "sleepy", control=control)
    assert record.faults == ()
    keeps = [e for e in record.replay.events if isinstance(e, Decision)][:4]
    assert [e.ms for e in keeps] == [50] * 4


def test_house_bot_that_is_too_slow_is_a_timeout() -> None:
    record = play("sleepy", "random", control=TimeControl(decision_ms=20))
    assert [fault.reason for fault in record.faults] == ["timeout"]


# ---- house bots --------------------------------------------------------------------------------


@pytest.mark.process
def test_bug_in_a_house_bot_is_its_fault() -> None:
    record = play("random", "broken")
    (fault,) = record.faults
    assert (fault.seat, fault.reason) == (1, "crash")
    assert fault.detail == "ZeroDivisionError: a bug in the house"
    assert "test_local.py" in fault.traceback


def test_bug_in_a_house_bot_after_the_end_changes_nothing() -> None:
    record = play("late", "greedy")
    assert record.faults == ()
    assert [fault.reason for fault in record.late_faults] == ["crash"]


def test_house_bots_start_no_process() -> None:
    shared.discard_launcher()
    play("random", "greedy")
    assert not shared.is_running()


# ---- interruption --------------------------------------------------------------------------------


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise Ctrl-C in the middle of a game."""

    class Interrupted(Bot):
        name = "interrupted"

        def choose(self, view: View) -> int:
            if view.turns < 5:
                return view.legal[0]
            raise KeyboardInterrupt

    monkeypatch.setitem(HOUSE_BOTS, "interrupted", Interrupted)


@pytest.mark.process
@pytest.mark.usefixtures("_impatient")
def test_ctrl_c_ends_the_game_and_the_next_one_is_played() -> None:
    with pytest.raises(KeyboardInterrupt):
        play(HONEST, "interrupted")
    assert play(HONEST, "random").faults == ()


def test_question_is_a_value() -> None:
    record = play("broken", "random")
    question = record.faults[0].bundle.steps[-1].question
    assert isinstance(question, Question)
    assert replace(question, decision=question.decision) == question

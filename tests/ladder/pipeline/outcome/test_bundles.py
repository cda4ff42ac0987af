"""Authors can download what is required to reproduce a fault of the ladder locally."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from damrak.bundle import bundle_from_json, bundle_to_json, read_bundle
from damrak.local import GameRecord
from damrak.repro import rerun
from damrak.specs import parse_spec
from damrak_engine.replay import to_bytes
from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.attempts import Trouble, start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import Blame, Purpose, Seat, SeatLog
from damrak_ladder.matches.record import Report, record
from damrak_ladder.pipeline.outcome.bundles import NoBundle, bundle_bytes, bundle_of
from damrak_ladder.replays.storage import keep
from damrak_ladder.replays.stores import replay_store
from damrak_referee.runner.settings import RunnerSettings
from ladder.bot_versions import some_bot, some_version
from ladder.games import replay_of
from ladder.people import NOW
from ladder.tables import PATIENCE, SEED
from sdk.hostile import BOTS, QUICK, play

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("database")]


def recorded(game: GameRecord) -> Seat:
    """Return the first bot's seat in a ladder match with the course of this game."""
    versions = tuple(
        some_version(some_bot(f"bot-{at}"), f"{at}", Kind.UPLOADED)
        for at in range(len(game.replay.seats))
    )
    control = {
        "decision_ms": QUICK.decision_ms,
        "bank_ms": QUICK.bank_ms,
        "increment_ms": QUICK.increment_ms,
    }
    table = Table(versions, "amsterdam", Purpose.QUALIFICATION, "qualification", control=control)
    block = book(table, SEED, NOW)
    start(block.pk, 0, "alpha", NOW, PATIENCE)
    matches = list(block.matches.order_by("number"))
    outcomes = [keep(to_bytes(game.replay)), *(keep(replay_of(one)) for one in matches[1:])]
    fault = game.faults[0]
    trouble = Trouble(Blame.BOT, fault.reason, fault.detail, 0, fault.seat)
    record(Report(block.pk, 1, tuple(outcomes), (trouble,)), NOW)
    seat = Seat.objects.get(match=matches[0], number=fault.seat)
    SeatLog.objects.create(seat=seat, attempt=1, traceback=fault.traceback, output=fault.output)
    return Seat.objects.select_related("match__block", "version__bot").get(pk=seat.pk)


@pytest.mark.parametrize(
    ("bot", "others"),
    [
        ("raises.py:InChoose", ("random",)),
        ("raises.py:InChoose", ("greedy", "random")),
        ("raises.py:InStart", ("random",)),
        ("nonsense.py:Illegal", ("random",)),
    ],
)
def test_fault_of_the_ladder_is_reproduced_from_its_bundle(
    bot: str, others: tuple[str, ...], tmp_path: Path
) -> None:
    game = play(bot, *others)
    file = tmp_path / "fault.json"
    file.write_bytes(bundle_bytes(recorded(game), 1))
    bundle = read_bundle(file)
    assert (bundle.fault.reason, bundle.fault.traceback) == (
        game.faults[0].reason,
        game.faults[0].traceback,
    )
    assert bundle.output == game.faults[0].output
    again = rerun(bundle, bot=parse_spec(str(BOTS / bot)))
    assert again.repeats(bundle)


def test_bundle_has_the_limits_of_the_sandbox_and_the_bots_chance() -> None:
    game = play("hungry.py:Memory", "random")
    seat = recorded(game)
    made = bundle_of(seat, 1)
    defaults = RunnerSettings(run=Path(), store=Path())
    assert made["limits"]["memory_bytes"] == defaults.memory_mb << 20
    assert made["chance"] == hex(game.faults[0].bundle.plan.chance)
    SeatLog.objects.update(memory_bytes=200 << 20)  # its limit, because it ran out of memory
    bundle = bundle_from_json(json.loads(bundle_bytes(seat, 1)))
    assert bundle.limits.memory_bytes == 200 << 20
    assert rerun(bundle, bot=parse_spec(str(BOTS / "hungry.py:Memory"))).repeats(bundle)


def test_it_repeats_the_questions_of_the_game() -> None:
    game = play("raises.py:InChoose", "greedy", "random")
    made = bundle_of(recorded(game), 1)
    then = bundle_to_json(game.faults[0].bundle)
    assert json.loads(json.dumps(made["board"])) == then["board"]
    assert len(made["steps"]) == len(then["steps"]) >= 3
    for ours, theirs in zip(made["steps"], then["steps"], strict=True):
        for name in ("decision", "events", "observation", "legal", "answer"):
            assert ours[name] == theirs[name], name


def test_seat_without_a_fault_has_no_bundle() -> None:
    seat = recorded(play("raises.py:InChoose", "random"))
    other = Seat.objects.select_related("match__block", "version__bot").get(
        match=seat.match, number=1
    )
    with pytest.raises(NoBundle, match="played the match to its end"):
        bundle_of(other, 1)
    with pytest.raises(NoBundle, match="not recorded"):
        bundle_of(seat, 2)


def test_program_in_another_language_has_no_bundle() -> None:
    seat = recorded(play("raises.py:InChoose", "random"))
    seat.version.language = "JavaScript"
    with pytest.raises(NoBundle, match="cannot run a program in JavaScript"):
        bundle_of(seat, 1)


def test_lost_replay_is_reported() -> None:
    seat = recorded(play("raises.py:InChoose", "random"))
    store = replay_store()
    assert store.get(seat.match.replay)
    seat.match.replay = "0" * 64
    with pytest.raises(NoBundle, match="replay 0000"):
        bundle_of(seat, 1)

"""Whatever is killed while a block is played costs time and nothing else."""

from __future__ import annotations

import os
import signal

from damrak_ladder.bots.models import Kind, State, Version
from damrak_ladder.bots.standing import advance
from damrak_ladder.bots.submission import Submission, upload
from damrak_ladder.matches.models import (
    Attempt,
    Blame,
    Block,
    BlockState,
    Fault,
    Outcome,
    SeatLog,
    SeatResult,
)
from ladder_django.lines import some_bot
from pipeline.blocks import block_of, house_block, new_version
from pipeline.plant import PATIENCE, Plant, now, wait_until
from sandboxes import archive_of, need_isolation

SLOW = ("mcts:ms=15", "mcts:ms=15")
"""Some seconds to a block: time enough to be in the middle of it."""

TALKER = """
from damrak import Action, Bot, View

class Talker(Bot):
    def choose(self, view: View) -> int | Action:
        print("zero: \\0, \\udcff".encode("utf-8", "replace").decode())
        return view.legal[0]
"""


def in_the_middle(plant: Plant, block: Block) -> None:
    """Let it begin; its referee is at work on it then."""
    before = Block.objects.get(pk=block.pk).attempt
    plant.send(block.pk, before)
    wait_until(lambda: plant.machine.referee.status().running, plant.logs)


def check_counted_once(block: Block) -> list[Attempt]:
    """It is recorded, by its last attempt, and by no other one; its attempts."""
    assert block.state == BlockState.RECORDED, block.trouble
    attempts = list(Attempt.objects.filter(block=block).order_by("number"))
    assert [attempt.number for attempt in attempts] == list(range(1, block.attempt + 1))
    assert all(attempt.ended for attempt in attempts)
    assert [one.outcome for one in attempts].index(Outcome.RECORDED) == len(attempts) - 1
    seats = block.matches.count()
    results = SeatResult.objects.filter(seat__match__block=block)
    assert results.count() == seats * seats
    assert {result.attempt for result in results} == {block.attempt}
    assert all(match.replay for match in block.matches.all())
    return attempts


def test_referee_killed_voids_the_attempt_at_no_cost_of_points(plant: Plant) -> None:
    block = house_block(*SLOW)
    in_the_middle(plant, block)
    plant.machine.kill_referee()
    wait_until(lambda: Attempt.objects.get(block=block).ended, plant.logs)
    assert not SeatResult.objects.filter(seat__match__block=block).exists()
    assert {fault.owner for fault in Fault.objects.filter(attempt__block=block)} == {Blame.HOST}
    plant.machine.restart_referee()
    (block,) = plant.drive([block])
    first, *_ = check_counted_once(block)
    assert first.outcome == Outcome.VOID
    results = SeatResult.objects.filter(seat__match__block=block)
    assert not any(result.fault for result in results)


def test_block_waits_for_a_referee_that_is_away_without_an_attempt(plant: Plant) -> None:
    block = house_block()
    plant.machine.kill_referee()
    plant.send(block.pk, 0)
    wait_until(lambda: Block.objects.get(pk=block.pk).due > block.due, plant.logs)
    plant.machine.restart_referee()
    (block,) = plant.drive([block])
    assert len(check_counted_once(block)) == 1
    assert block.tries == 1


def test_draining_referee_finishes_what_runs_and_takes_nothing_more(plant: Plant) -> None:
    running, late = house_block(*SLOW), house_block()
    in_the_middle(plant, running)
    plant.machine.referee.process.send_signal(signal.SIGTERM)
    wait_until(lambda: plant.machine.referee.status().draining)
    plant.send(late.pk, 0)
    wait_until(lambda: Block.objects.get(pk=late.pk).due > late.due, plant.logs)
    assert plant.machine.referee.process.wait(PATIENCE) == 0
    plant.machine.referee.__exit__(None, None, None)
    plant.machine.restart_referee()
    for block in plant.drive([running, late]):
        assert len(check_counted_once(block)) == 1


def test_worker_child_killed(plant: Plant) -> None:
    block = house_block(*SLOW)
    in_the_middle(plant, block)
    for child in plant.machine.worker.children:
        os.kill(child, signal.SIGKILL)
    (block,) = plant.drive([block])
    first, *_ = check_counted_once(block)
    assert first.outcome == Outcome.EXPIRED


def test_worker_killed(plant: Plant) -> None:
    block = house_block(*SLOW)
    in_the_middle(plant, block)
    plant.machine.worker.kill()
    plant.machine.restart_worker()
    (block,) = plant.drive([block])
    first, *_ = check_counted_once(block)
    assert first.outcome == Outcome.EXPIRED


def test_worker_that_is_asked_to_stop_finishes_its_block(plant: Plant) -> None:
    block = house_block(*SLOW)
    in_the_middle(plant, block)
    assert plant.machine.worker.stop() == 0, plant.logs()
    plant.machine.restart_worker()
    block.refresh_from_db()
    assert len(check_counted_once(block)) == 1


def test_broker_that_forgets_everything(plant: Plant) -> None:
    blocks = [house_block(*SLOW), house_block()]
    in_the_middle(plant, blocks[0])
    plant.send(blocks[1].pk, 0)
    plant.broker.flush()
    for block in plant.drive(blocks):
        assert len(check_counted_once(block)) == 1


def test_broker_killed(plant: Plant) -> None:
    blocks = [house_block(*SLOW), house_block()]
    in_the_middle(plant, blocks[0])
    plant.broker.kill()
    plant.broker.start()
    for block in plant.drive(blocks):
        assert len(check_counted_once(block)) == 1


def test_message_that_comes_many_times(plant: Plant) -> None:
    block = house_block()
    for latest in [0, 0, 0, 1, 7]:
        plant.send(block.pk, latest)
    (block,) = plant.drive([block])
    assert len(check_counted_once(block)) == 1


def test_block_that_nobody_can_play_says_why(plant: Plant) -> None:
    block = house_block("greedy", "nobody")
    plant.send(block.pk, 0)
    wait_until(lambda: Block.objects.get(pk=block.pk).trouble, plant.logs)
    block.refresh_from_db()
    assert "nobody" in block.trouble
    assert block.state == BlockState.WAITING
    Block.objects.filter(pk=block.pk).update(state=BlockState.DEAD, due=now())


def uploaded(code: str) -> Version:
    """A version that was uploaded and has qualified."""
    bot = some_bot("talker")
    version = upload(bot, archive_of({"bot.py": code}), Submission(Kind.UPLOADED), now())
    advance(version.pk, State.CHECKING, State.QUALIFYING, now())
    advance(version.pk, State.QUALIFYING, State.QUALIFIED, now())
    return version


def test_uploaded_bot_plays_in_a_sandbox_and_may_print_anything(plant: Plant) -> None:
    need_isolation(plant.machine.referee.status())
    (block,) = plant.drive([block_of(uploaded(TALKER), new_version())])
    check_counted_once(block)
    logs = SeatLog.objects.filter(seat__match__block=block, seat__version__kind=Kind.UPLOADED)
    assert len(logs) == 2
    for log in logs:
        assert "zero: \N{REPLACEMENT CHARACTER}" in log.output
        assert log.cpu_us
        assert log.memory_bytes


def test_each_bot_begins_as_often_where_the_first_player_rotates(plant: Plant) -> None:
    (block,) = plant.drive([house_block(options={"first_player": "rotate"}, rotations=2)])
    begun = SeatResult.objects.filter(seat__match__block=block, turn=0)
    versions = list(begun.values_list("seat__version", flat=True))
    assert len(versions) == 4
    assert {versions.count(version) for version in versions} == {2}

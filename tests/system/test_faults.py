"""Processes that are killed while a block is played cost time and nothing else."""

from __future__ import annotations

import os
import signal
from functools import partial

import grpc

from damrak_ladder.bots.lifecycle import advance
from damrak_ladder.bots.models import Kind, State, Version
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
from damrak_ladder.message_codes.wording import english
from ladder.bot_versions import some_bot
from referee_process import RefereeProcess
from sandboxes import archive_of, need_isolation
from system.blocks import block_of, house_block, new_version
from system.plant import PATIENCE, Plant, now, wait_until

SLOW = ("mcts:ms=15", "mcts:ms=15")
"""Blocks take some seconds, so that they can be interrupted."""

TALKER = """
from damrak import Action, Bot, View

class Talker(Bot):
    def choose(self, view: View) -> int | Action:
        print("zero: \\0, \\udcff".encode("utf-8", "replace").decode())
        return view.legal[0]
"""


def under_way(plant: Plant) -> Block:
    """Return a block that is being played.

    It may end before the test interrupts it; then the test needs another one.
    """
    block = house_block(*SLOW)
    plant.send(block.pk, 0)
    wait_until(lambda: is_over(block) or plant.machine.referee.status().running, plant.logs)
    return block


def is_over(block: Block) -> bool:
    """Return whether its only attempt has ended."""
    return Attempt.objects.filter(block=block, ended__isnull=False).exists()


def is_put_off(block: Block) -> bool:
    """Return whether it is to be offered again later."""
    return Block.objects.get(pk=block.pk).due > block.due


def drains(referee: RefereeProcess) -> bool:
    """Terminate the referee; return whether it was seen draining."""
    referee.process.send_signal(signal.SIGTERM)
    try:
        wait_until(lambda: referee.status().draining)
    except grpc.RpcError:
        return False  # it has already exited
    return True


def check_counted_once(block: Block) -> list[Attempt]:
    """Check that a block was recorded once, by its last attempt; return its attempts."""
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
    while True:
        block = under_way(plant)
        plant.machine.kill_referee()
        wait_until(partial(is_over, block), plant.logs)
        plant.machine.restart_referee()
        if Attempt.objects.get(block=block).outcome != Outcome.RECORDED:
            break
    assert not SeatResult.objects.filter(seat__match__block=block).exists()
    assert {fault.owner for fault in Fault.objects.filter(attempt__block=block)} == {Blame.HOST}
    (block,) = plant.drive([block])
    first, *_ = check_counted_once(block)
    assert first.outcome == Outcome.VOID
    results = SeatResult.objects.filter(seat__match__block=block)
    assert not any(result.fault for result in results)


def test_block_waits_for_a_referee_that_is_away_without_an_attempt(plant: Plant) -> None:
    block = house_block()
    plant.machine.kill_referee()
    plant.send(block.pk, 0)
    wait_until(partial(is_put_off, block), plant.logs)
    plant.machine.restart_referee()
    (block,) = plant.drive([block], is_reaped=False)
    assert len(check_counted_once(block)) == 1
    assert block.tries == 1


def test_draining_referee_finishes_what_runs_and_takes_nothing_more(plant: Plant) -> None:
    while True:
        running, late = under_way(plant), house_block()
        is_seen = drains(plant.machine.referee)
        plant.send(late.pk, 0)
        wait_until(partial(is_put_off, late), plant.logs)
        assert plant.machine.referee.process.wait(PATIENCE) == 0
        plant.machine.referee.__exit__(None, None, None)
        plant.machine.restart_referee()
        if is_seen:
            break
    for block in plant.drive([running, late], is_reaped=False):
        assert len(check_counted_once(block)) == 1


def test_worker_child_killed(plant: Plant) -> None:
    while True:
        begun = under_way(plant)
        for child in plant.machine.worker.children:
            os.kill(child, signal.SIGKILL)
        (block,) = plant.drive([begun])
        first, *_ = check_counted_once(block)
        if first.outcome != Outcome.RECORDED:
            break
    assert first.outcome == Outcome.EXPIRED


def test_worker_killed(plant: Plant) -> None:
    while True:
        begun = under_way(plant)
        plant.machine.worker.kill()
        plant.machine.restart_worker()
        (block,) = plant.drive([begun])
        first, *_ = check_counted_once(block)
        if first.outcome != Outcome.RECORDED:
            break
    assert first.outcome == Outcome.EXPIRED


def test_worker_that_is_asked_to_stop_finishes_its_block(plant: Plant) -> None:
    block = under_way(plant)
    assert plant.machine.worker.stop() == 0, plant.logs()
    plant.machine.restart_worker()
    block.refresh_from_db()
    assert len(check_counted_once(block)) == 1


def test_broker_that_forgets_everything(plant: Plant) -> None:
    blocks = [under_way(plant), house_block()]
    plant.send(blocks[1].pk, 0)
    plant.broker.flush()
    for block in plant.drive(blocks, is_reaped=False):
        assert len(check_counted_once(block)) == 1


def test_broker_killed(plant: Plant) -> None:
    blocks = [under_way(plant), house_block()]
    plant.broker.kill()
    plant.broker.start()
    for block in plant.drive(blocks, is_reaped=False):
        assert len(check_counted_once(block)) == 1


def test_message_that_comes_many_times(plant: Plant) -> None:
    block = house_block()
    for latest in [0, 0, 0, 1, 7]:
        plant.send(block.pk, latest)
    (block,) = plant.drive([block], is_reaped=False)
    assert len(check_counted_once(block)) == 1


def test_unplayable_block_states_the_reason(plant: Plant) -> None:
    block = house_block("greedy", "nobody")
    plant.send(block.pk, 0)
    wait_until(lambda: Block.objects.get(pk=block.pk).trouble, plant.logs)
    block.refresh_from_db()
    assert "nobody" in english(block.trouble)
    assert block.state == BlockState.WAITING
    Block.objects.filter(pk=block.pk).update(state=BlockState.DEAD, due=now())


def uploaded(code: str) -> Version:
    """Return a version that was uploaded and has qualified."""
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

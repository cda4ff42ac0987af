"""A bucket that cannot be reached costs time and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import override_settings

from damrak_ladder.installation.buckets import Bucket
from damrak_ladder.matches.models import Attempt, Block, BlockState, Fault, Outcome
from damrak_ladder.replays.keeping import load
from damrak_ladder.replays.models import StoredReplay
from ladder_django.buckets import KEY, SECRET, running_object_server
from pipeline.blocks import house_block
from pipeline.plant import Machine, Plant, now, wait_until
from ports import free_port

PREFIX = "DAMRAK_LADDER_"
SLOW = ("mcts:ms=15", "mcts:ms=15")


def variables_of(bucket: Bucket) -> dict[str, str]:
    """The settings that lead there."""
    assert bucket.endpoint is not None
    return {
        PREFIX + "REPLAY_STORE": "s3",
        PREFIX + "S3_BUCKET": bucket.name,
        PREFIX + "S3_ENDPOINT": bucket.endpoint,
        PREFIX + "S3_KEY": KEY,
        PREFIX + "S3_SECRET": SECRET,
        PREFIX + "S3_PREFIX": bucket.prefix,
    }


def hurry(block: Block) -> int:
    """Let it wait no longer; its latest attempt."""
    Block.objects.filter(pk=block.pk).update(due=now())
    block.refresh_from_db()
    return block.attempt


def is_recorded_before(
    plant: Plant, machine: Machine, block: Block, folder: Path, port: int
) -> bool:
    """Take the bucket away while the block is played; whether it was through by then."""
    attempts = Attempt.objects.filter(block=block)
    with running_object_server(folder, port):
        plant.send(block.pk, hurry(block), machine)
        wait_until(attempts.exists, plant.logs)
    wait_until(attempts.filter(ended__isnull=False).exists, plant.logs)
    return attempts.filter(outcome=Outcome.RECORDED).exists()


@pytest.mark.parametrize("plant", ["sqlite"], indirect=True)
def test_block_waits_for_the_bucket_and_loses_nothing(plant: Plant, tmp_path: Path) -> None:
    port = free_port()
    with running_object_server(tmp_path, port) as server:
        bucket = server.bucket("replays")
    plant.variables |= variables_of(bucket)
    machine = plant.add_machine("bucketed")

    # It is away before the block begins: not even an attempt is made.
    block = house_block(*SLOW)
    plant.send(block.pk, 0, machine)
    wait_until(lambda: Block.objects.get(pk=block.pk).due > block.due, plant.logs)
    assert not Attempt.objects.filter(block=block).exists()

    # It goes away while the block is played: the attempt does not count.
    while is_recorded_before(plant, machine, block, tmp_path, port):
        block = house_block(*SLOW)
    block.refresh_from_db()
    assert (block.state, block.tries) == (BlockState.WAITING, 0)
    assert f"bucket {bucket.name}" in block.trouble
    assert Attempt.objects.get(block=block).outcome == Outcome.VOID
    assert not Fault.objects.filter(attempt__block=block).exists()

    # It is back.
    with running_object_server(tmp_path, port):
        plant.send(block.pk, hurry(block), machine)
        wait_until(lambda: Block.objects.get(pk=block.pk).state == BlockState.RECORDED, plant.logs)
        with override_settings(DAMRAK_REPLAY_STORE="s3", DAMRAK_BUCKET=bucket):
            assert all(load(match.replay) for match in block.matches.all())
    assert not StoredReplay.objects.exists()
    assert Block.objects.get(pk=block.pk).tries == 1

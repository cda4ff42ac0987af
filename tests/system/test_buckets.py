"""An unreachable bucket costs time and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import override_settings

from damrak_ladder.installation.buckets import Bucket
from damrak_ladder.matches.models import Attempt, Block, BlockState, Fault, Outcome
from damrak_ladder.message_codes.wording import english
from damrak_ladder.replays.models import StoredReplay
from damrak_ladder.replays.storage import load
from ladder.buckets import KEY, SECRET, running_object_server
from ports import free_port
from system.blocks import house_block
from system.plant import Machine, Plant, now, wait_until

PREFIX = "DAMRAK_LADDER_"
SLOW = ("mcts:ms=15", "mcts:ms=15")


def variables_of(bucket: Bucket) -> dict[str, str]:
    """Return the settings of this bucket."""
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
    """Make the block due now and return its latest attempt."""
    Block.objects.filter(pk=block.pk).update(due=now())
    block.refresh_from_db()
    return block.attempt


def is_recorded_before(
    plant: Plant, machine: Machine, block: Block, folder: Path, port: int
) -> bool:
    """Stop the store while the block is played; return whether it was recorded before."""
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

    # Unavailable before the block starts: no attempt is made.
    block = house_block(*SLOW)
    plant.send(block.pk, 0, machine)
    wait_until(lambda: Block.objects.get(pk=block.pk).due > block.due, plant.logs)
    assert not Attempt.objects.filter(block=block).exists()

    # Unavailable during the block: the attempt does not count.
    while is_recorded_before(plant, machine, block, tmp_path, port):
        block = house_block(*SLOW)
    block.refresh_from_db()
    assert (block.state, block.tries) == (BlockState.WAITING, 0)
    assert f"bucket {bucket.name}" in english(block.trouble)
    assert Attempt.objects.get(block=block).outcome == Outcome.VOID
    assert not Fault.objects.filter(attempt__block=block).exists()

    # Available again.
    with running_object_server(tmp_path, port):
        plant.send(block.pk, hurry(block), machine)
        wait_until(lambda: Block.objects.get(pk=block.pk).state == BlockState.RECORDED, plant.logs)
        with override_settings(DAMRAK_REPLAY_STORE="s3", DAMRAK_BUCKET=bucket):
            assert all(load(match.replay) for match in block.matches.all())
    assert not StoredReplay.objects.exists()
    assert Block.objects.get(pk=block.pk).tries == 1

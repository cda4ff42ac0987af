"""Several machines share a database and a broker, and one of them is lost while it plays."""

from __future__ import annotations

from damrak_ladder.matches.models import Attempt, Block, BlockState, Host, Outcome, SeatResult
from system.blocks import house_block
from system.plant import Plant, wait_until

SLOW, FAST = 4, 4


def test_the_other_machine_plays_what_a_lost_one_had(plant: Plant) -> None:
    two = plant.add_machine("two")
    assert {host.name for host in Host.objects.all()} == {"one", "two"}
    blocks: list[Block] = []
    lost = Attempt.objects.filter(host__name="two", outcome=Outcome.EXPIRED)
    while not lost.exists():  # a block may end before it is interrupted
        slow = [house_block("mcts:ms=10", "mcts:ms=10") for _ in range(SLOW)]
        blocks += slow + [house_block() for _ in range(FAST)]
        for number, block in enumerate(slow):
            plant.send(block.pk, 0, [plant.machine, two][number % 2])
        begun = Attempt.objects.filter(block__in=slow, host__name="two")
        wait_until(begun.exists, plant.logs)
        two.worker.kill()
        plant.machines = [plant.machine]
        for block in plant.drive(blocks):
            assert block.state == BlockState.RECORDED
        two.restart_worker()
        plant.machines.append(two)
    attempts = Attempt.objects.filter(block__in=blocks)
    assert attempts.filter(outcome=Outcome.RECORDED).count() == len(blocks)
    assert SeatResult.objects.filter(seat__match__block__in=blocks).count() == 4 * len(blocks)

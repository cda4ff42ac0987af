"""Several machines share a database and a broker, and one of them is lost on the way."""

from __future__ import annotations

from damrak_ladder.matches.models import Attempt, BlockState, Host, Outcome, SeatResult
from pipeline.blocks import house_block
from pipeline.plant import Plant, wait_until

SLOW, FAST = 4, 4
BLOCKS = SLOW + FAST


def test_the_other_machine_plays_what_a_lost_one_had(plant: Plant) -> None:
    two = plant.add_machine("two")
    assert {host.name for host in Host.objects.all()} == {"one", "two"}
    blocks = [house_block("mcts:ms=10", "mcts:ms=10") for _ in range(SLOW)]
    blocks += [house_block() for _ in range(FAST)]

    def begun(name: str) -> bool:
        return Attempt.objects.filter(block__in=blocks, host__name=name, ended=None).exists()

    for number, block in enumerate(blocks[:SLOW]):
        plant.send(block.pk, 0, plant.machines[number % 2])
    wait_until(lambda: begun("one") and begun("two"), plant.logs)
    two.worker.kill()
    plant.machines.remove(two)
    for block in plant.drive(blocks):
        assert block.state == BlockState.RECORDED
    attempts = Attempt.objects.filter(block__in=blocks)
    assert attempts.filter(outcome=Outcome.RECORDED).count() == BLOCKS
    assert attempts.filter(host__name="two", outcome=Outcome.EXPIRED).exists()
    assert SeatResult.objects.filter(seat__match__block__in=blocks).count() == 4 * BLOCKS

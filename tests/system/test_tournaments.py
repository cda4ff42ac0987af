"""Tournaments of house bots go through the real thing: broker, worker, referee, database."""

from __future__ import annotations

from typing import Any

import pytest

from damrak_ladder.bots.house import house_version
from damrak_ladder.matches.models import Block, BlockState, Purpose
from damrak_ladder.pipeline.outcome.settlement import settle_leftovers
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.queue.scheduler import schedule
from damrak_ladder.pipeline.upkeep.expiry import reap
from damrak_ladder.replays.inspection import inspect
from damrak_ladder.tournaments import desk, journal
from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.duties import run_duties
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.tables import table_of
from damrak_ladder.tournaments.models import PairingBlock, Tournament
from ladder.people import somebody
from system.plant import Plant, now, wait_until

BOTS = ("greedy", "planner", "random", *(f"mcts:iterations={count}" for count in range(1, 6)))


def started(slug: str, stage: dict[str, Any]) -> Tournament:
    """Return a tournament of eight house bots that has started."""
    rules = {"stages": [stage], "boards": ["practice"], "seeding": "entry"}
    made = create(somebody(slug), Plan(slug, slug, rules), now(), is_platform=True)
    desk.perform(made, desk.Request(Kind.OPEN), now())
    for spec in BOTS:
        slug = house_version(spec, now()).bot.slug
        desk.perform(made, desk.Request(Kind.ENTER, {"slug": slug}), now())
    desk.perform(made, desk.Request(Kind.CLOSE), now())
    desk.perform(made, desk.Request(Kind.START), now())
    return made


def run(plant: Plant, tournament: Tournament, *, kills: int = 0) -> None:
    """Do what clerks do until the tournament is over; kill the worker in between."""
    left = [kills]

    def is_over() -> bool:
        schedule(now())
        dispatch(now(), lambda host, block, latest: plant.send(block, latest))
        settle_leftovers(now())
        reap(now())
        run_duties(now())
        tournament.refresh_from_db()
        if left[0] and Block.objects.filter(state=BlockState.RUNNING).exists():
            left[0] -= 1
            plant.machine.worker.kill()
            plant.machine.restart_worker()
        return tournament.phase == "over"

    wait_until(is_over, lambda: f"{plant.logs()}\n{list(Block.objects.values('state', 'trouble'))}")


@pytest.mark.parametrize(
    ("stage", "pairings"),
    [
        ({"format": "swiss", "rounds": 3}, range(12, 13)),
        ({"format": "double-elimination"}, range(14, 16)),
    ],
)
def test_tournament_of_house_bots_is_played_to_the_end_although_workers_die(
    plant: Plant, stage: dict[str, Any], pairings: range
) -> None:
    tournament = started(f"cup-{stage['format']}", stage)
    run(plant, tournament, kills=2)
    state, course = journal.state_of(tournament), journal.course_of(tournament)
    assert len([one for _, one in state.pairings() if not one.is_bye]) in pairings
    rows = PairingBlock.objects.filter(pairing__round__stage__tournament=tournament)
    blocks = Block.objects.filter(pk__in=rows.values("block"), purpose=Purpose.TOURNAMENT)
    assert {block.state for block in blocks} == {BlockState.RECORDED}
    assert rows.filter(result=None).count() == 0
    for block in blocks[:3]:
        assert all(inspect(match) is None for match in block.matches.all())
    table = table_of(state, course, state.stages[0])
    assert [row.place for row in table][:1] == [1]
    assert len(table) == len(BOTS)

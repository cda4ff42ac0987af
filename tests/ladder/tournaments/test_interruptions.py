"""A process that stops between any two statements loses and repeats nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.models import Block
from damrak_ladder.matches.record import record
from damrak_ladder.pipeline.outcome.settlement import settle
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.queue.scheduler import schedule
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.duties import run_duties
from damrak_ladder.tournaments.models import (
    Act,
    BlockResult,
    Pairing,
    PairingBlock,
    Round,
    Tournament,
)
from damrak_ladder.tournaments.records import key_of
from ladder.flow import some_host, tokens_of
from ladder.interruptions import is_dead_after, statements_of
from ladder.people import NOW
from ladder.tables import PATIENCE, report_of
from ladder.tournaments.cups import act, started

pytestmark = pytest.mark.usefixtures("committed")


def check(tournament: Tournament) -> None:
    """Check that rows and log agree, and that nothing exists twice."""
    tournament.refresh_from_db()
    state = journal.state_of(tournament)
    serials = Act.objects.filter(tournament=tournament).order_by("serial")
    assert [row.serial for row in serials] == list(range(1, tournament.serial + 1))
    current = Round.objects.filter(is_current=True)
    keys = set(current.values_list("stage__number", "number", "generation"))
    assert keys == {tuple(made.key) for made in state.rounds()}
    assert Pairing.objects.filter(round__is_current=True).count() == len(list(state.pairings()))
    rows = PairingBlock.objects.select_related("pairing__round__stage")
    blocks = [key_of(one) for one in rows]
    assert len(blocks) == len(set(blocks)) == Block.objects.count()


def dies_everywhere(tournament: Tournament, do: Callable[[], object], *, within: int = 60) -> int:
    """Stop a process after every number of statements until it lives; return the deaths."""
    deaths = 0
    for after in range(within):
        if not is_dead_after(do, after):
            break
        deaths += 1
        check(tournament)
    check(tournament)
    return deaths


def play_waiting(skip_settling: bool = False) -> list[int]:
    played = []
    for block in Block.objects.filter(state="waiting").order_by("pk"):
        begun = start(block.pk, block.attempt, "worker", NOW, PATIENCE)
        assert begun is not None
        record(report_of(begun, begun.attempt), NOW)
        played.append(block.pk)
        if not skip_settling:
            settle(block.pk, NOW)
    return played


def test_pairing_a_round() -> None:
    tournament, _ = started(4, "swiss", rounds=2)
    some_host(workers=9)
    schedule(NOW, tokens_of(1))
    play_waiting()
    assert dies_everywhere(tournament, lambda: run_duties(NOW)) > 10
    assert Round.objects.count() == 2
    assert run_duties(NOW) == 0


def test_booking_blocks() -> None:
    tournament, _ = started(4, blocks=2)
    some_host(workers=9)
    tokens = tokens_of(1)
    assert dies_everywhere(tournament, lambda: schedule(NOW, tokens), within=200) > 20
    assert Block.objects.count() == 4
    assert schedule(NOW, tokens) == 0


def test_settling_a_block() -> None:
    tournament, _ = started(4)
    some_host(workers=9)
    schedule(NOW, tokens_of(1))
    for block in play_waiting(skip_settling=True):
        assert dies_everywhere(tournament, lambda block=block: settle(block, NOW)) > 3
        assert not settle(block, NOW)
    assert BlockResult.objects.count() == 2


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("replay_round", {"round": 1}),
        ("disqualify", {"entrant": 1, "ruling": "void"}),
        ("release", {"round": 1, "level": "hidden"}),
    ],
)
def test_acts(kind: str, payload: dict[str, Any]) -> None:
    tournament, user = started(4, "swiss", rounds=2)
    some_host(workers=9)
    schedule(NOW, tokens_of(1))
    dispatch(NOW, lambda *order: None)
    serial = tournament.serial
    assert statements_of(lambda: Tournament.objects.count()) == 1

    def do() -> None:
        act(Tournament.objects.get(pk=tournament.pk), user, kind, payload, key="once")

    assert dies_everywhere(tournament, do, within=80) > 5
    tournament.refresh_from_db()
    assert tournament.serial == serial + 1
    do()
    tournament.refresh_from_db()
    assert tournament.serial == serial + 1
    run_duties(NOW)
    schedule(NOW, tokens_of(2))
    check(tournament)
    play_waiting()
    run_duties(NOW)
    check(tournament)

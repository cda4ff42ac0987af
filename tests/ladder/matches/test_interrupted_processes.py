"""A crash between any two statements leaves the tables in the state before or after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.attempts import Trouble, give_up, reap, renew, requeue, start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import Blame, Block, BlockState, Purpose
from damrak_ladder.matches.record import record
from damrak_ladder.message_codes.block_codes import ReportedVoid
from ladder.concurrent_writes import meddling
from ladder.interruptions import is_dead_after, statements_of
from ladder.people import NOW
from ladder.tables import (
    PATIENCE,
    SEED,
    check_counted_once,
    report_of,
    some_block,
    some_versions,
)

LATER = NOW + timedelta(hours=1)


@dataclass(frozen=True)
class Step:
    """An operation on a block, and its preparation."""

    prepare: Callable[[Block], object]
    act: Callable[[Block], object]


def begin(block: Block) -> None:
    assert start(block.pk, 0, "worker", NOW, PATIENCE)


def kill(block: Block) -> None:
    begin(block)
    Block.objects.filter(pk=block.pk).update(state=BlockState.DEAD, lease_until=None)


def give_up_first(block: Block) -> bool:
    faults = [Trouble(Blame.HOST, "sandbox", "", match=1, seat=0)]
    return give_up(block.pk, 1, ReportedVoid("no memory"), faults, LATER, PATIENCE)


STEPS = {
    "start": Step(lambda block: None, begin),
    "renew": Step(begin, lambda block: renew(block.pk, 1, LATER, PATIENCE)),
    "record": Step(begin, lambda block: record(report_of(block, 1), LATER)),
    "give up": Step(begin, give_up_first),
    "reap": Step(begin, lambda block: reap(LATER, PATIENCE)),
    "requeue": Step(kill, lambda block: requeue(block.pk, LATER)),
}


def everything() -> dict[str, list[dict[str, Any]]]:
    """Return all rows of the tables about blocks."""
    return {
        model.__name__: list(model.objects.order_by("pk").values())
        for model in apps.get_app_config("matches").get_models()
    }


def without_keys(rows: dict[str, list[dict[str, Any]]]) -> str:
    """Return the same without values that differ between equivalent blocks."""
    return str(
        {
            name: [
                {key: row[key] for key in row if key not in {"replay"} and not key.endswith("id")}
                for row in part
            ]
            for name, part in rows.items()
        }
    )


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize("name", STEPS)
def test_step_happens_wholly_or_not_at_all(name: str) -> None:
    step, versions = STEPS[name], some_versions()
    undisturbed = some_block(versions)
    step.prepare(undisturbed)
    count = statements_of(lambda: step.act(undisturbed))
    expected = without_keys(everything())
    undisturbed.delete()
    assert count > 0
    for after in range(count + 1):
        block = some_block(versions)
        step.prepare(block)
        before = everything()
        if is_dead_after(lambda block=block: step.act(block), after):
            assert everything() == before
            step.act(block)  # the next process
        assert without_keys(everything()) == expected
        block.delete()


@pytest.mark.usefixtures("committed")
def test_block_is_booked_wholly_or_not_at_all() -> None:
    versions = some_versions(3)

    def act() -> None:
        again = tuple(Version.objects.filter(pk__in=[one.pk for one in versions]).order_by("pk"))
        book(Table(again, "practice", Purpose.LADDER, "ladder:practice"), SEED, NOW)

    count = statements_of(act)
    Block.objects.all().delete()
    deaths = 0
    while is_dead_after(act, deaths):
        assert not any(everything().values())
        deaths += 1
    assert deaths >= count - 1
    assert Block.objects.get().matches.count() == 3


@pytest.mark.usefixtures("committed")
def test_lease_renewed_under_the_eyes_of_the_reaper_holds() -> None:
    block = some_block()
    begin(block)
    with meddling(1, lambda: renew(block.pk, 1, LATER, PATIENCE)):
        assert reap(LATER, PATIENCE) == 0
    assert record(report_of(block, 1), LATER)


@pytest.mark.usefixtures("committed")
def test_worker_crash_costs_one_attempt_at_most() -> None:
    versions = some_versions()

    def work(block: Block) -> None:
        assert start(block.pk, 0, "worker", NOW, PATIENCE)
        assert renew(block.pk, 1, NOW, PATIENCE)
        assert record(report_of(block, 1), NOW)

    deaths = 0
    while True:
        block = some_block(versions)
        is_dead = is_dead_after(lambda block=block: work(block), deaths)
        reap(LATER, PATIENCE)
        block.refresh_from_db()
        if block.state == BlockState.WAITING:
            assert block.attempt <= 1
            again = start(block.pk, block.attempt, "next", LATER + PATIENCE.lease, PATIENCE)
            assert again is not None
            record(report_of(block, again.attempt), LATER + PATIENCE.lease)
            block.refresh_from_db()
        check_counted_once(block)
        if not is_dead:
            break
        deaths += 1
    assert deaths > 10

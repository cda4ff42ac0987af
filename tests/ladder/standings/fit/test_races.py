"""Publishers that race, are disturbed or crash: the tables are those of one fit or of the next."""

from __future__ import annotations

import itertools
from datetime import timedelta
from random import Random

import pytest

from damrak_ladder.standings.audit.comparison import Rebuilt, compare_ledger
from damrak_ladder.standings.counts.updates import absorb, withdraw
from damrak_ladder.standings.fit.figures import figures_of
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.fit.snapshot import load
from damrak_ladder.standings.models import (
    Counted,
    Fit,
    Line,
    Meeting,
    Progress,
    Running,
    Standing,
    Tally,
)
from damrak_ladder.standings.progress import end_publishing
from ladder.concurrent_writes import meddling
from ladder.interruptions import is_dead_after
from ladder.people import NOW
from ladder.seasons import a_ladder, some_field, some_recorded, some_season

pytestmark = pytest.mark.usefixtures("committed")

LATER = NOW + timedelta(minutes=5)
MODELS = (Counted, Fit, Line, Meeting, Running, Standing, Tally)


def prepared(blocks=6):
    """Return a ladder with a fit and newer blocks, and a block that has not been counted yet."""
    ladder, versions = a_ladder(), some_field(4)
    for block in some_season(ladder, versions, blocks):
        absorb(block)
    publish(ladder, NOW)
    for block in some_season(ladder, versions, 2, seed=7):
        absorb(block)
    return ladder, some_recorded(ladder, versions[:3], Random(8))


def everything():
    return {model: list(model.objects.order_by("pk").values()) for model in MODELS}


def check_whole(ladder):
    """Check that standings and ledger are those of the latest fit, and its blocks are complete."""
    fit = Fit.objects.order_by("-number").first()
    assert fit is not None
    assert Progress.objects.get().fit == fit.number == Fit.objects.count()
    snapshot = load(ladder, until=fit.serial)
    if fit.withdrawn == Progress.objects.get().withdrawn:
        assert snapshot.digest == fit.digest
        figures = figures_of(snapshot).of
        rows = {(row.version_id, row.seats): row for row in Standing.objects.filter(blocks__gt=0)}
        assert {key: row.elo for key, row in rows.items()} == {
            key: figure.elo for key, figure in figures.items()
        }
    found = Rebuilt("")
    compare_ledger(ladder, Standing.objects.filter(blocks__gt=0), found)
    assert found.differences == []
    played = set(Tally.objects.values_list("version", flat=True))
    assert set(Running.objects.values_list("version", flat=True)) == played


def test_crash_while_publishing_publishes_nothing() -> None:
    ladder, _ = prepared()
    before = everything()
    deaths = 0
    while is_dead_after(lambda: publish(ladder, LATER, force=True), deaths):
        assert everything() == before
        deaths += 1
    assert deaths > 15
    assert Fit.objects.count() == 2
    check_whole(ladder)


def test_crash_while_counting_counts_nothing() -> None:
    _ladder, block = prepared(3)
    before = everything()
    deaths = 0
    while is_dead_after(lambda: absorb(block), deaths):
        assert everything() == before
        deaths += 1
    after = everything()
    assert after != before
    deaths = 0
    while is_dead_after(lambda: withdraw(block), deaths):
        assert everything() == after
        deaths += 1
    assert deaths > 5


def disturbed(ladder, act):
    """Publish repeatedly, and execute `act` on another connection after each second statement."""
    for after in itertools.count(1, 2):
        fits = []
        try:
            with meddling(after, act):
                fits.append(publish(ladder, LATER, force=True))
        except AssertionError:
            assert after > 10
            return  # publishing takes fewer statements
        yield fits[0]


def test_one_of_two_publishers_wins() -> None:
    ladder, _ = prepared()
    before = Fit.objects.count()
    for _ in disturbed(ladder, lambda: publish(ladder, LATER, force=True)):
        assert Fit.objects.count() in (before + 1, before + 2)
        before = Fit.objects.count()
        check_whole(ladder)
    numbers = list(Fit.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))


def test_blocks_may_come_and_go_while_a_fit_is_made() -> None:
    ladder, block = prepared()
    is_counted = False

    def turn() -> None:
        (withdraw if Counted.objects.filter(pk=block.pk).exists() else absorb)(block)

    for fit in disturbed(ladder, turn):
        assert fit is not None
        assert fit.withdrawn == Progress.objects.get().withdrawn  # it includes no withdrawn block
        check_whole(ladder)
        is_counted |= Counted.objects.filter(pk=block.pk).exists()
    assert is_counted
    publish(ladder, LATER + timedelta(minutes=5), force=True)
    check_whole(ladder)


def test_two_ladders_are_published_side_by_side() -> None:
    ladder, block = prepared(3)
    other = a_ladder("other")
    fits = Fit.objects.filter(ladder=other)
    with meddling(4, lambda: absorb(block)):
        assert publish(ladder, LATER) is not None
    assert not fits.exists()


def test_a_running_fit_is_not_started_twice() -> None:
    ladder, _ = prepared()
    Progress.objects.update(fitting_until=LATER + timedelta(seconds=30))
    assert publish(ladder, LATER) is None
    assert publish(ladder, LATER + timedelta(seconds=31)) is not None
    assert Progress.objects.get().fitting_until is None


def test_fit_of_a_crashed_process_is_not_waited_for() -> None:
    ladder, _ = prepared()
    Progress.objects.update(fitting_until=LATER + timedelta(seconds=30))
    assert end_publishing(LATER) == 1
    assert publish(ladder, LATER) is not None
    assert end_publishing(LATER) == 0


def test_nor_if_the_clock_was_set_back_since() -> None:
    ladder, _ = prepared()
    Progress.objects.update(fitting_until=LATER + timedelta(hours=1))
    assert publish(ladder, LATER) is not None


def test_blocks_counted_during_a_fit_are_in_the_estimates() -> None:
    ladder, block = prepared()
    with meddling(4, lambda: absorb(block)):  # after blocks have been read
        fit = publish(ladder, LATER, force=True)
    assert fit is not None
    assert Counted.objects.get(pk=block.pk).serial > fit.serial
    with_it = dict(Running.objects.values_list("version", "elo"))
    withdraw(block)
    publish(ladder, LATER, force=True)
    without = dict(Running.objects.values_list("version", "elo"))
    anchors = {int(version) for version in fit.anchors}
    players = set(block.matches.get(number=0).seats.values_list("version", flat=True))
    moved = {version for version in without if abs(without[version] - with_it[version]) > 0.1}
    assert moved == players - anchors

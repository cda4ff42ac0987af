"""Points by source: counted in the background, from few games, and requested by page views."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings

from damrak_engine.events import Claim
from damrak_engine.replay import parse_replay
from damrak_ladder.analyses import sources
from damrak_ladder.analyses.models import VersionSources
from damrak_ladder.analyses.sources import FRESH, count_next, sources_of
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Match, SeatResult
from damrak_ladder.replays.models import StoredReplay
from damrak_ladder.replays.storage import load
from damrak_ladder.web.bot.tags import points_by_source
from ladder.films import recorded_films
from ladder.people import NOW

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DAMRAK_HOME", tmp_path)
    monkeypatch.setattr(settings, "DAMRAK_REPLAY_STORE", "database")


@pytest.fixture
def played() -> tuple[Version, list[Match]]:
    matches = recorded_films(3, board="amsterdam")
    return Version.objects.order_by("pk")[0], matches


def count() -> bool:
    return count_next(lambda: NOW)


def test_page_views_request_and_counting_answers(played: tuple[Version, list[Match]]) -> None:
    version, matches = played
    assert sources_of([version.pk], NOW) == {}
    assert sources_of([version.pk], NOW) == {}
    assert VersionSources.objects.count() == 1
    assert count()
    assert not count()
    found = sources_of([version.pk], NOW)[version.pk]
    assert found.games == len(matches) == 3
    points = SeatResult.objects.filter(seat__version=version).values_list("points", flat=True)
    assert found.total == pytest.approx(sum(points) / 3)
    replays = [parse_replay(load(match.replay)) for match in matches]
    routes = [
        replay.result.seats[match.seats.get(version=version).number].routes
        for replay, match in zip(replays, matches, strict=True)
    ]
    assert found.routes == pytest.approx(sum(routes) / 3)
    assert found.failed <= 0
    row = VersionSources.objects.get()
    taken = [
        (at / (len(replay.events) - 1), event.goods)
        for replay, match in zip(replays, matches, strict=True)
        for at, event in enumerate(replay.events)
        if isinstance(event, Claim) and event.seat == match.seats.get(version=version).number
    ]
    assert row.claims == len(taken) > 0
    assert row.goods_taken == sum(goods for _at, goods in taken)
    assert row.claims_when == pytest.approx(1000 * sum(at for at, _ in taken), abs=row.claims)


def test_old_sums_are_counted_again(played: tuple[Version, list[Match]]) -> None:
    version, matches = played
    sources_of([version.pk], NOW)
    count()
    sources_of([version.pk], NOW + FRESH)
    assert not count()
    StoredReplay.objects.filter(hash=matches[0].replay).delete()
    late = NOW + FRESH + timedelta(seconds=1)
    assert sources_of([version.pk], late)[version.pk].games == 3
    assert count()
    assert sources_of([version.pk], late)[version.pk].games == 2


def test_only_the_latest_games_are_counted(
    played: tuple[Version, list[Match]], monkeypatch: pytest.MonkeyPatch
) -> None:
    version, _ = played
    monkeypatch.setattr(sources, "GAMES", 2)
    sources_of([version.pk], NOW)
    count()
    assert sources_of([version.pk], NOW)[version.pk].games == 2


def test_the_table_shows_unknown_values(played: tuple[Version, list[Match]]) -> None:
    version, _ = played
    assert points_by_source(version)["rows"] == []
    count()
    [(shown, found)] = points_by_source(version)["rows"]
    assert (shown, found.games) == (version, 3)

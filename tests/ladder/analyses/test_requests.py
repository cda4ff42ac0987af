"""Analyses: queued once, computed once, and only for matches that exist and are public."""

from __future__ import annotations

import signal
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import override_settings

from damrak_ladder.accounts.errors import TooOften
from damrak_ladder.analyses import computation, notable, requests
from damrak_ladder.analyses.computation import LEASE, MOST_TRIES, compute_next
from damrak_ladder.analyses.models import Analysis, AnalysisState
from damrak_ladder.analyses.notable import choose_notable
from damrak_ladder.analyses.requests import analysis_of, choose, content_of, request
from damrak_ladder.matches.models import Block, BlockState, Match
from damrak_ladder.replays.models import StoredReplay
from damrak_ladder.replays.storage import keep
from damrak_ladder.standings.models import Notable, NotableKind
from ladder.calls import MEMORY
from ladder.films import recorded_films
from ladder.games import replay_of
from ladder.ladders import some_ladder
from ladder.people import NOW

pytestmark = pytest.mark.usefixtures("database")
EFFORT = 0.01


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DAMRAK_HOME", tmp_path)
    monkeypatch.setattr(settings, "DAMRAK_REPLAY_STORE", "database")


@pytest.fixture
def match() -> Match:
    return recorded_films(2)[0]


def ask(match: Match, at: datetime, who: str = "user 1") -> Analysis | None:
    return request(match, who, at)


def now() -> datetime:
    return NOW


def compute() -> bool:
    return compute_next(now, EFFORT)


def test_requesting_is_idempotent(match: Match) -> None:
    assert analysis_of(match) is None
    first = ask(match, NOW)
    again = ask(match, NOW + timedelta(hours=1))
    assert first is not None
    assert again == first
    assert again.asked == NOW
    assert compute()
    assert not compute()
    done = ask(match, NOW)
    assert done is not None
    assert (done.state, done.tries) == (AnalysisState.DONE, 1)
    assert done.software
    assert content_of(done)["replay"] == match.replay
    assert Analysis.objects.count() == 1


def test_nothing_is_found_out_before_the_block_is_complete(match: Match) -> None:
    Block.objects.filter(pk=match.block_id).update(state=BlockState.WAITING)
    assert ask(Match.objects.get(pk=match.pk), NOW) is None
    assert not Analysis.objects.exists()


def test_a_match_that_is_played_again_is_analysed_again(match: Match) -> None:
    ask(match, NOW)
    compute()
    other = keep(replay_of(match, number=5))
    Match.objects.filter(pk=match.pk).update(replay=other.replay)
    match.refresh_from_db()
    assert analysis_of(match) is None
    fresh = ask(match, NOW)
    assert fresh is not None
    assert (fresh.state, fresh.replay, fresh.data) == (AnalysisState.WAITING, other.replay, None)
    compute()
    found = analysis_of(match)
    assert found is not None
    assert content_of(found)["replay"] == other.replay


def test_a_new_method_requires_a_new_request(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(match, NOW)
    compute()
    monkeypatch.setattr(requests, "METHOD", 99)
    assert analysis_of(match) is None
    fresh = ask(match, NOW)
    assert fresh is not None
    assert fresh.state == AnalysisState.WAITING


def test_failed_computation_is_reported_once_with_the_reason(match: Match) -> None:
    ask(match, NOW)
    StoredReplay.objects.filter(hash=match.replay).delete()
    assert compute()
    failed = ask(match, NOW)
    assert failed is not None
    assert failed.state == AnalysisState.FAILED
    assert "gone" in failed.trouble
    assert not compute()


def test_temporary_failures_are_retried_up_to_a_limit(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fall(*_: Any) -> Any:
        raise RuntimeError("unforeseen")

    ask(match, NOW)
    monkeypatch.setattr(computation, "analyse", fall)
    for number in range(MOST_TRIES):
        at = NOW + number * (LEASE + timedelta(seconds=1))
        assert compute_next(lambda at=at: at)
        assert not compute_next(lambda at=at: at)
    failed = analysis_of(match)
    assert failed is not None
    assert (failed.state, failed.trouble) == (AnalysisState.FAILED, "RuntimeError: unforeseen")


def test_a_computation_that_crashes_is_retried_a_few_times(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Death(BaseException):
        pass

    def die(*_: Any) -> Any:
        raise Death

    ask(match, NOW)
    monkeypatch.setattr(computation, "analyse", die)
    later = NOW
    for _ in range(MOST_TRIES):
        with pytest.raises(Death):
            compute_next(lambda at=later: at)
        assert not compute_next(lambda at=later: at)
        later += LEASE + timedelta(seconds=1)
    assert not compute_next(lambda: later)
    failed = analysis_of(match)
    assert failed is not None
    assert failed.state == AnalysisState.FAILED
    assert "died" in failed.trouble


def _stop(*_: Any) -> Any:
    raise SystemExit(0)


@pytest.mark.parametrize("during", ["_claim", "analyse"])
def test_stopped_worker_returns_its_analysis(
    match: Match, monkeypatch: pytest.MonkeyPatch, during: str
) -> None:
    begun = getattr(computation, during)

    def told_to_end(*arguments: Any) -> Any:
        found = begun(*arguments)
        signal.raise_signal(signal.SIGTERM)
        return found

    ask(match, NOW)
    handler = signal.signal(signal.SIGTERM, _stop)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(computation, during, told_to_end)
            with pytest.raises(SystemExit):
                compute()
    finally:
        signal.signal(signal.SIGTERM, handler)
    waiting = analysis_of(match)
    assert waiting is not None
    assert (waiting.state, waiting.tries) == (AnalysisState.WAITING, 0)
    assert compute()


def test_notable_matches_come_before_requested_ones() -> None:
    [first, second] = recorded_films(2)
    ask(first, NOW)
    choose(second, NOW + timedelta(minutes=1))
    ask(second, NOW + timedelta(minutes=2))  # this does not take its place
    compute()
    states = {row.match_id: row.state for row in Analysis.objects.all()}
    assert states == {first.pk: AnalysisState.WAITING, second.pk: AnalysisState.DONE}


def test_requested_match_that_becomes_notable_moves_ahead() -> None:
    [first, second] = recorded_films(2)
    ask(first, NOW)
    ask(second, NOW + timedelta(minutes=1))
    seat = second.seats.select_related("version").get(number=0)
    Notable.objects.create(
        ladder=some_ladder(),
        kind=NotableKind.UPSET,
        match=second,
        version=seat.version,
        value=0.1,
        at=NOW,
    )
    assert choose_notable(NOW + timedelta(minutes=2))
    assert not choose_notable(NOW + timedelta(minutes=2))
    compute()
    done = analysis_of(second)
    assert done is not None
    assert done.state == AnalysisState.DONE


def test_one_user_cannot_fill_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "PER_HOUR", 1)
    with override_settings(CACHES=MEMORY):
        cache.clear()
        [first, second] = recorded_films(2)
        for _ in range(3):
            assert ask(first, NOW, "198.51.100.1")  # already queued
        with pytest.raises(TooOften):
            ask(second, NOW, "198.51.100.1")
        assert ask(second, NOW, "198.51.100.2")


def test_the_queue_has_an_end(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MOST_WAITING", 0)
    assert ask(match, NOW) is None
    assert choose(match, NOW) is not None  # requests do not displace notable matches


def test_the_mirrored_matches_are_compared(match: Match) -> None:
    ask(match, NOW)
    compute()
    found = analysis_of(match)
    assert found is not None
    # The films of a block have different seeds, so there is nothing to compare.
    assert content_of(found)["mirrored"] == []


def test_notable_matches_are_analysed_within_a_budget(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not choose_notable(NOW)
    seat = match.seats.select_related("version").get(number=0)
    Notable.objects.create(
        ladder=some_ladder(),
        kind=NotableKind.UPSET,
        match=match,
        version=seat.version,
        value=0.1,
        at=NOW,
    )
    monkeypatch.setattr(notable, "PER_HOUR", 0)
    assert not choose_notable(NOW)
    monkeypatch.setattr(notable, "PER_HOUR", 1)
    assert choose_notable(NOW)
    chosen = Analysis.objects.get()
    assert (chosen.match, chosen.is_wanted) == (match, False)
    assert not choose_notable(NOW + timedelta(hours=2))

"""The analysis on the page of a match, and in the API."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client, override_settings

from damrak_ladder.analyses import requests
from damrak_ladder.analyses.computation import compute_next
from damrak_ladder.analyses.models import Analysis, AnalysisState
from damrak_ladder.matches.models import Block, BlockState, Match
from ladder.calls import MEMORY
from ladder.films import recorded_films
from ladder.people import NOW

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DAMRAK_HOME", tmp_path)
    monkeypatch.setattr(settings, "DAMRAK_REPLAY_STORE", "database")


@pytest.fixture
def match() -> Match:
    return recorded_films(3, board="amsterdam")[0]


def compute() -> None:
    assert compute_next(lambda: NOW, 0.02)


def ask(client: Client, match: Match, **headers: str) -> HttpResponse:
    return client.post(f"/en/matches/{match.pk}/insight/", headers=headers)


def test_reading_a_match_queues_nothing(client: Client, match: Match) -> None:
    for code, _ in settings.LANGUAGES:
        page = client.get(f"/{code}/matches/{match.pk}/").content.decode()
        assert f'action="/{code}/matches/{match.pk}/insight/"' in page
        client.get(f"/{code}/matches/{match.pk}/insight/")
    client.get(f"/api/v1/matches/{match.pk}/analysis")
    assert not Analysis.objects.exists()


def test_button_requests_the_analysis(client: Client, match: Match) -> None:
    answer = ask(client, match)
    assert (answer.status_code, answer["Location"]) == (302, f"/en/matches/{match.pk}/#insight")
    page = client.get(f"/en/matches/{match.pk}/").content.decode()
    assert "Analysis in progress" in page
    assert f'hx-get="/en/matches/{match.pk}/insight/"' in page
    assert "Analyse this match" not in page
    assert Analysis.objects.get().match_id == match.pk
    assert "Analysis in progress" in ask(client, match, HX_Request="true").content.decode()
    assert Analysis.objects.get().is_wanted


def test_button_on_another_site_does_nothing(client: Client, match: Match) -> None:
    assert ask(client, match, Sec_Fetch_Site="cross-site").status_code == 403
    assert not Analysis.objects.exists()


def test_excessive_requests_are_reported(
    client: Client, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "MOST_WAITING", 0)
    assert ask(client, match).status_code == 503
    assert "Many matches are waiting" in ask(client, match, HX_Request="true").content.decode()
    monkeypatch.undo()
    with override_settings(CACHES=MEMORY):
        monkeypatch.setattr(requests, "PER_HOUR", 0)
        answer = ask(client, match)
        assert (answer.status_code, "Retry-After" in answer) == (429, True)
        part = ask(client, match, HX_Request="true").content.decode()
        assert "hourly limit of analyses" in part
        answer = client.post(f"/api/v1/matches/{match.pk}/analysis")
        assert answer.status_code == 429
    assert not Analysis.objects.exists()


def test_the_analysis_appears_by_itself(client: Client, match: Match) -> None:
    ask(client, match)
    compute()
    part = client.get(f"/en/matches/{match.pk}/insight/")
    assert "no-store" in part.headers["Cache-Control"]
    text = part.content.decode()
    assert "hx-get" not in text
    assert text.count('class="band ') == 3
    for title in ("Chance of winning", "Luck and play", "Points by source"):
        assert title in text
    assert text.split("<svg")[0] in client.get(f"/en/matches/{match.pk}/").content.decode()
    last = max(int(number) for number in re.findall(r'href="#e(\d+)"', text))
    assert last < len(client.get(f"/matches/{match.pk}/moments/all.json").json()["moments"])


def test_numbers_in_drawings_are_the_same_in_all_languages(client: Client, match: Match) -> None:
    ask(client, match)
    compute()
    drawn = [
        re.findall(r'<path class="(?:band|over)[^>]*>', page.content.decode())
        for page in (client.get(f"/{code}/matches/{match.pk}/insight/") for code in ("en", "pl"))
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0]


def test_failures_state_the_reason(client: Client, match: Match) -> None:
    ask(client, match)
    Analysis.objects.update(state=AnalysisState.FAILED, trouble="out of luck")
    page = client.get(f"/en/matches/{match.pk}/").content.decode()
    assert "could not be analysed" in page
    assert "out of luck" in page
    assert "hx-get" not in page.split('id="insight"')[1]


def test_nothing_is_analysed_before_the_end(client: Client, match: Match) -> None:
    Block.objects.filter(pk=match.block_id).update(state=BlockState.WAITING)
    assert client.get(f"/en/matches/{match.pk}/insight/").status_code == 404
    assert 'id="insight"' not in client.get(f"/en/matches/{match.pk}/").content.decode()
    assert ask(client, match).status_code == 404
    assert client.get(f"/api/v1/matches/{match.pk}/analysis").status_code == 409
    assert client.post(f"/api/v1/matches/{match.pk}/analysis").status_code == 409
    assert not Analysis.objects.exists()


def test_the_api_gives_it_as_it_is(client: Client, match: Match) -> None:
    path = f"/api/v1/matches/{match.pk}/analysis"
    missing = client.get(path)
    assert (missing.status_code, missing.json()["code"]) == (404, "not-analysed")
    first = client.post(path)
    assert first.status_code == 202
    assert client.get(path).status_code == 202
    assert first.json() == {"match": match.pk, "state": "waiting", "trouble": "", "analysis": None}
    assert first.headers["Retry-After"]
    compute()
    done = client.get(path)
    assert done.status_code == 200
    found = done.json()
    assert found["state"] == "done"
    assert found["analysis"]["format"] == "damrak-analysis/1"
    assert found["analysis"]["replay"] == match.replay
    assert client.get("/api/v1/matches/987654/analysis").status_code == 404

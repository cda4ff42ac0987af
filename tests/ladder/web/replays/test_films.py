"""A game as a GIF: its content, and its creation without blocking others."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from PIL import Image

from damrak_ladder.matches.models import Match
from damrak_ladder.web.replays import films
from damrak_ladder.web.replays.film_writer import CLAIM_MS, END_MS
from ladder.films import recorded_films

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DAMRAK_HOME", tmp_path)
    monkeypatch.setattr(settings, "DAMRAK_REPLAY_STORE", "database")


@pytest.fixture
def match() -> Match:
    return recorded_films(3)[0]


@pytest.mark.process
def test_each_claim_is_a_frame_and_the_end_stays_longest(
    client: Client, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = client.get(f"/matches/{match.pk}/moments/all.json").json()["moments"]
    claims = sum(event["event"] == "claim" for event, _ in moments)
    answer = client.get(f"/matches/{match.pk}/film.gif")
    assert answer.headers["Content-Type"] == "image/gif"
    assert len(answer.content) < 1_000_000
    film = Image.open(io.BytesIO(answer.content))
    assert film.n_frames == claims + 2
    assert film.width == 640
    lasts = []
    seen = set()
    for number in range(film.n_frames):
        film.seek(number)
        lasts.append(film.info["duration"])
        seen.add(film.convert("RGB").tobytes())
    assert lasts == [CLAIM_MS] * (claims + 1) + [END_MS]
    assert len(seen) == claims + 2

    def made(_: object) -> bytes:
        raise AssertionError("it has been made already")

    monkeypatch.setattr(films, "_made", made)
    assert client.get(f"/matches/{match.pk}/film.gif").content == answer.content


def test_long_waits_are_refused_with_a_retry_time(
    client: Client, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(films, "_WAIT_S", 0.01)
    with films._DRAWING:
        answer = client.get(f"/matches/{match.pk}/film.gif")
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 0


def test_old_films_make_room(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "KEPT", 2)
    monkeypatch.setattr(films, "_made", lambda _: b"GIF89a")
    folder = settings.DAMRAK_HOME / "films"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.gif").write_bytes(b"old")
    films.film_of(match)
    assert len(list(folder.iterdir())) == 2


def test_nothing_is_made_of_a_match_whose_block_is_not_over(client: Client) -> None:
    played = recorded_films(4)[0]
    played.block.state = "waiting"
    played.block.save()
    assert client.get(f"/matches/{played.pk}/film.gif").status_code == 404

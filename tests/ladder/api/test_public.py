"""Public API requests."""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import zstandard
from django.conf import settings
from django.db import OperationalError
from django.test import Client, override_settings
from django.utils import timezone

from damrak_engine.verify import verify
from damrak_ladder.accounts import local_key
from damrak_ladder.api import access, bots
from damrak_ladder.api.ladders import Rating
from damrak_ladder.matches.models import Block, BlockState, Host, Match
from damrak_ladder.replays.signatures import platform_key
from damrak_ladder.replays.storage import load
from ladder.calls import MEMORY, Program, problem_of
from ladder.people import somebody
from ladder.sites import fill

QUICK = ["django.contrib.auth.hashers.MD5PasswordHasher"]
NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _in_memory() -> Iterator[None]:
    with override_settings(CACHES=MEMORY, PASSWORD_HASHERS=QUICK):
        yield


@pytest.fixture
def site(database: None) -> Program:
    fill(NOW, blocks=16)
    return Program()


def read(program: Program, path: str) -> Any:
    answer = program.get(path)
    assert answer.status_code == 200, answer.content
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Cache-Control"].startswith("public, max-age=")
    assert "Cookie" not in answer.get("Vary", "")
    return json.loads(answer.content)


def test_ladders_and_their_ratings(site: Program) -> None:
    rows = read(site, "ladders/amsterdam/ratings")
    assert len(rows) > 3
    for row in rows:  # they are sent without validation
        assert Rating.model_validate(row, strict=True).model_dump() == row
    assert [row["elo"] for row in rows] == sorted((row["elo"] for row in rows), reverse=True)
    assert all(row["low"] <= row["elo"] <= row["high"] for row in rows)
    anchor = next(row for row in rows if row["bot"] == "house-greedy")
    assert anchor["elo"] == pytest.approx(1200)
    assert anchor["kind"] == "house"

    # They can be requested in pages, each of which names the next.
    every = read(site, "ladders/amsterdam/ratings")
    answer = site.get("ladders/amsterdam/ratings?limit=2")
    assert json.loads(answer.content) == every[:2]
    assert answer["Link"] == '</api/v1/ladders/amsterdam/ratings?limit=2&offset=2>; rel="next"'
    assert answer["X-Total-Count"] == str(len(every))
    assert read(site, "ladders/amsterdam/ratings?limit=2&offset=2") == every[2:4]
    assert "Link" not in site.get("ladders/amsterdam/ratings")
    # They can be restricted to one table size, or to one kind.
    rows = read(site, "ladders/new-boards/ratings?seats=3")
    assert isinstance(rows, list)
    house = read(site, "ladders/amsterdam/ratings?kind=house")
    assert {row["kind"] for row in house} == {"house"}
    problem_of(site.get("ladders/amsterdam/ratings?seats=7"), 422, "invalid")
    problem_of(site.get("ladders/amsterdam/ratings?limit=100000"), 422, "invalid")
    assert [ladder["slug"] for ladder in read(site, "ladders")] == ["amsterdam", "new-boards"]
    assert read(site, "ladders/amsterdam")["anchors"] == {
        "greedy": 1200.0,
        "random": 1100.0,
    }
    assert read(site, "ladders/amsterdam")["anchor_errors"] == {"random": 30.0}
    assert read(site, "ladders/amsterdam")["intervals_relative_to"] == "anchors"
    assert "nowhere" in problem_of(site.get("ladders/nowhere"), 404, "not-found")["detail"]
    problem_of(site.get("ladders/nowhere/ratings"), 404, "not-found")
    problem_of(site.get("what/ever"), 404, "not-found")
    problem_of(site.delete("ladders"), 405, "not-done")


def played() -> Match:
    found = Match.objects.exclude(replay="").filter(block__state=BlockState.RECORDED)
    return next(match for match in found.order_by("-pk") if _has_replay(match))


def _has_replay(match: Match) -> bool:
    try:
        return bool(load(match.replay))
    except Exception:  # noqa: BLE001
        return False


def test_a_match_and_its_replay_and_when_there_is_none(site: Program) -> None:
    match = played()
    said = read(site, f"matches/{match.pk}")
    assert said["replay"] == match.replay
    assert [seat["seat"] for seat in said["seats"]] == list(range(len(said["seats"])))
    assert sorted(seat["turn"] for seat in said["seats"]) == list(range(len(said["seats"])))
    assert "seed" not in said
    answer = site.get(f"matches/{match.pk}/replay")
    assert answer["Content-Type"] == "application/json"
    assert answer.content == load(match.replay)
    assert verify(answer.content, signed=platform_key().has_signed).hash == match.replay
    key = read(site, "key")
    assert (key["algorithm"], key["public_key"]) == ("Ed25519", platform_key().public)
    assert key["keys"] == [platform_key().public]
    with override_settings(DAMRAK_EARLIER_REPLAY_KEYS=("ab" * 32,)):
        assert read(site, "key")["keys"] == [platform_key().public, "ab" * 32]
    path = f"matches/{match.pk}/replay"
    plain = site.get(path)
    assert site.get(path, if_none_match=plain["ETag"]).status_code == 304
    small = site.get(path, accept_encoding="gzip, deflate;q=0.5")
    assert small["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.content) == plain.content
    assert small["ETag"] != plain["ETag"]
    smaller = site.get(path, accept_encoding="br, zstd")
    assert smaller["Content-Encoding"] == "zstd"
    assert zstandard.ZstdDecompressor().decompress(smaller.content) == plain.content
    assert "Accept-Encoding" in small["Vary"]
    assert site.get(path, accept_encoding="gzip;q=0").content == plain.content
    kept = site.get(f"{path}?hash={match.replay}")
    assert "immutable" in kept["Cache-Control"]
    assert "immutable" not in plain["Cache-Control"]
    problem_of(site.get(f"{path}?hash={'0' * 64}"), 404, "not-found")
    problem_of(site.get("matches/999999999/replay"), 404, "not-found")
    # Played again because its host was not trustworthy: the cards are secret again.
    Block.objects.filter(pk=match.block_id).update(state=BlockState.WAITING)
    problem_of(site.get(f"matches/{match.pk}/replay"), 409, "not-over")
    assert read(site, f"matches/{match.pk}")["replay"] is None


def test_bots_and_versions(site: Program) -> None:
    every = read(site, "bots")
    assert [bot["slug"] for bot in every] == sorted(bot["slug"] for bot in every)
    assert {bot["owner"] for bot in read(site, "bots?owner=ADA")} == {"ada"}
    bot = read(site, "bots/gable")
    assert "amsterdam" in bot["ladders"]
    newest = bot["versions"][0]
    assert newest["bot"] == "gable"
    assert read(site, f"versions/{newest['id']}")["number"] == newest["number"]
    assert read(site, "bots/gable/versions")[0] == newest


def test_the_index_shows_the_local_key_to_this_machine_only(database: None) -> None:
    program, nonce = Program(), "0f" * 16
    said = read(program, "")
    assert (said["software"], said["local_key"], said["local_proof"]) == ("damrak", None, None)
    path = local_key.make(somebody(), NOW)
    assert path.stat().st_mode & 0o777 == 0o600
    assert local_key.make(somebody("bob"), NOW) == path
    secret = path.read_text().strip()
    said = read(program, f"?nonce={nonce}")
    assert said["local_key"] == str(path)
    port = settings.DAMRAK_URL.rpartition(":")[2]
    proof = hmac.new(secret.encode(), f"{nonce}:{port}".encode(), hashlib.sha256).hexdigest()
    assert said["local_proof"] == proof
    problem_of(program.get("?nonce=x"), 422, "invalid")
    with override_settings(DAMRAK_URL="https://ladder.example.org"):
        said = read(program, f"?nonce={nonce}")
        assert (said["local_key"], said["local_proof"]) == (None, None)
    path.unlink()


def test_hosts_and_what_they_can_do_now(database: None, client: Client) -> None:
    now = timezone.now()
    told = {"capacity": 4, "running": 2, "first_seen": now}
    Host.objects.create(name="attic", last_seen=now, **told)
    Host.objects.create(name="cellar", last_seen=now - timedelta(minutes=1), **told)
    attic, cellar = client.get("/api/v1/hosts").json()
    assert (attic["status"], attic["running"]) == ("ready", 2)
    assert (cellar["state"], cellar["status"], cellar["running"]) == ("trusted", "silent", None)
    assert not {"lobby", "reason", "control"} & attic.keys()


def test_head_describes_the_answer_of_get(site: Program) -> None:
    got, told = (
        getattr(site.client, method)("/api/v1/ladders", headers={"host": "127.0.0.1"})
        for method in ("get", "head")
    )
    assert told.status_code == 200
    assert dict(told.headers) == dict(got.headers)
    assert not told.content


def test_the_interface_describes_itself(database: None) -> None:
    said = json.loads(Program().get("openapi.json").content)
    assert "/api/v1/ladders/{slug}/ratings" in said["paths"]
    operations = [
        operation["operationId"] for path in said["paths"].values() for operation in path.values()
    ]
    assert len(operations) == len(set(operations))


def test_one_address_is_rate_limited(database: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "PUBLIC_A_MINUTE", 5)
    program = Program()
    assert [program.get("key").status_code for _ in range(5)] == [200] * 5
    last = program.get("key")
    problem_of(last, 429, "too-often")
    assert 1 <= int(last["Retry-After"]) <= 61


def test_an_unavailable_database_is_reported_clearly(
    database: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(bots, "piece_of", fail)
    answer = Program().get("bots")
    problem_of(answer, 503, "try-again")
    assert answer["Retry-After"] == "5"
    assert b"locked" not in answer.content

"""Replays are signed if they are valid, stored unchanged, and errors in them are detected."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path
from random import Random

import pytest
import zstandard
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.conf import settings

from damrak_engine.errors import ReplayError
from damrak_engine.replay import hash_of
from damrak_ladder.accounts.models import User
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.models import Match, SeatResult
from damrak_ladder.matches.record import Report, record
from damrak_ladder.notices.models import Notice
from damrak_ladder.pipeline.upkeep.replay_checks import inspect_replays
from damrak_ladder.replays.compression import LIMIT, compress, decompress
from damrak_ladder.replays.errors import ReplayDamaged, ReplayLost
from damrak_ladder.replays.inspection import inspect, inspect_sample
from damrak_ladder.replays.signatures import PlatformKey
from damrak_ladder.replays.storage import keep, load
from damrak_ladder.replays.stores import replay_store
from ladder.buckets import ObjectServer
from ladder.games import replay_bytes, true_replay_of
from ladder.people import NOW
from ladder.tables import PATIENCE, some_block

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True, params=["database", "folder", "s3"])
def _store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DAMRAK_HOME", tmp_path)
    monkeypatch.setattr(settings, "DAMRAK_REPLAY_STORE", request.param)
    if request.param == "s3":
        server: ObjectServer = request.getfixturevalue("object_server")
        name = hashlib.sha256(request.node.name.encode()).hexdigest()[:20]
        monkeypatch.setattr(settings, "DAMRAK_BUCKET", server.bucket(f"replays-{name}"))


def recorded_block() -> list[Match]:
    """Return the matches of a block that was played and recorded through the pipeline."""
    block = some_block()
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    outcomes = [keep(true_replay_of(match)) for match in block.matches.order_by("number")]
    record(Report(block.pk, 1, tuple(outcomes)), NOW)
    return list(block.matches.order_by("number"))


def overwrite(hash_: str, data: bytes) -> None:
    """Replace the stored bytes in any store."""
    replay_store().store.put(hash_, data, replace=True)


def test_replay_comes_back_signed_and_otherwise_as_it_was() -> None:
    taken = replay_bytes("7", "3")
    outcome = keep(taken)
    given = json.loads(load(outcome.replay))
    signature = given["signature"]
    given["signature"] = None
    assert given == json.loads(taken)
    assert outcome.replay == given["hash"] == hash_of(given)
    public = bytes.fromhex(PlatformKey.at(settings.DAMRAK_HOME).public)
    Ed25519PublicKey.from_public_bytes(public).verify(
        bytes.fromhex(signature), given["hash"].encode("ascii")
    )


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_outcome_is_that_of_the_replay(seats: int) -> None:
    taken = replay_bytes("7", "3", seats)
    said = json.loads(taken)["result"]["seats"]
    assert [(seat.place, seat.points, seat.fault) for seat in keep(taken).seats] == [
        (row["place"], row["total"], row["fault"] or "") for row in said
    ]


def test_keeping_again_changes_nothing() -> None:
    first = keep(replay_bytes("7", "3"))
    stored = replay_store().get(first.replay)
    again = replay_bytes("7", "3").replace(b"09:00:01.5Z", b"09:00:09.5Z")
    assert keep(again) == first
    assert replay_store().get(first.replay) == stored


def test_invalid_replay_is_neither_signed_nor_stored() -> None:
    raw = json.loads(replay_bytes("7", "3"))
    raw["result"]["seats"][0]["total"] += 1
    raw["hash"] = hash_of(raw)
    with pytest.raises(ReplayError, match="result"):
        keep(json.dumps(raw).encode())
    with pytest.raises(ReplayLost):
        load(raw["hash"])


@pytest.mark.parametrize("wrong", [None, 7, "", "ü" * 64, "0" * 64])
def test_replay_with_a_wrong_hash_is_refused(wrong: object) -> None:
    raw = json.loads(replay_bytes("7", "3"))
    raw["hash"] = wrong
    with pytest.raises(ReplayError):
        keep(json.dumps(raw).encode())


@pytest.mark.parametrize("hash_", ["", "0" * 64, "../replay-key"])
def test_unknown_replay_is_lost(hash_: str) -> None:
    with pytest.raises(ReplayLost):
        load(hash_)


def test_inspection_accepts_stored_replays() -> None:
    assert inspect_sample(5, Random(1)) == []
    recorded_block()
    assert inspect_sample(5, Random(1)) == []
    assert SeatResult.objects.count() == 4


def test_inspection_finds_every_kind_of_damage() -> None:
    match, other = recorded_block()
    good = load(match.replay)
    forged = json.loads(good)
    forged["signature"] = "0" * 128
    untrue = json.loads(good)
    untrue["events"][0]["first"] = 1 - untrue["events"][0]["first"]
    for stored, problem in [
        (b"noise", "is not compressed"),
        (compress(good)[:-9], "is not compressed"),
        (compress(b"{}"), "header"),
        (compress(load(other.replay)), "is another one"),
        (compress(json.dumps(forged).encode()), "signature"),
        (compress(json.dumps(untrue).encode()), "event 0"),
    ]:
        overwrite(match.replay, stored)
        finding = inspect(match)
        assert finding is not None, problem
        assert problem in finding.problem
        assert inspect_sample(20, Random(1)) == [finding]
    overwrite(match.replay, compress(good))
    assert inspect(match) is None


def test_staff_is_notified_once_a_night_of_invalid_replays() -> None:
    User.objects.create(username="eve", email="eve@example.org", is_staff=True)
    match = recorded_block()[0]
    assert inspect_replays(NOW) == []
    assert not Notice.objects.exists()
    overwrite(match.replay, b"nonsense")
    assert match.pk in [finding.match for finding in inspect_replays(NOW)]
    inspect_replays(NOW)
    notice = Notice.objects.get()
    assert notice.user.username == "eve"
    assert f"\n{match.pk}: " in notice.text
    assert notice.link == f"/matches/{match.pk}/"


def test_inspection_finds_exchanged_replays() -> None:
    match, other = recorded_block()
    Match.objects.filter(pk=match.pk).update(replay=other.replay)
    match.refresh_from_db()
    finding = inspect(match)
    assert finding is not None
    assert finding.problem == f"is of match {other.pk} of block {match.block_id}"


def test_inspection_finds_a_published_result_that_differs_from_the_replay() -> None:
    match = recorded_block()[0]
    result = SeatResult.objects.get(seat__match=match, seat__number=1)
    place = result.place
    SeatResult.objects.filter(pk=result.pk).update(place=place + 1)
    finding = inspect(match)
    assert finding is not None
    assert finding.problem == (
        f"the site shows seat 1 with place '{place + 1}', the replay has '{place}'"
    )


def test_signatures_by_an_earlier_key_still_count(monkeypatch: pytest.MonkeyPatch) -> None:
    match = recorded_block()[0]
    earlier = PlatformKey.at(settings.DAMRAK_HOME).public
    monkeypatch.setattr(settings, "DAMRAK_REPLAY_KEY", bytes(range(32)))
    finding = inspect(match)
    assert finding is not None
    assert finding.problem.startswith("signature:")
    monkeypatch.setattr(settings, "DAMRAK_EARLIER_REPLAY_KEYS", (earlier,))
    assert inspect(match) is None


def test_damaged_replay_is_not_served() -> None:
    hash_ = keep(replay_bytes("7", "3")).replay
    overwrite(hash_, b"noise")
    with pytest.raises(ReplayDamaged):
        load(hash_)


def test_key_is_created_once_and_private() -> None:
    key = PlatformKey.at(settings.DAMRAK_HOME)
    assert PlatformKey.at(settings.DAMRAK_HOME).public == key.public
    mode = (settings.DAMRAK_HOME / "replay-key").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    assert key.has_signed("a" * 64, key.sign("a" * 64))
    assert not key.has_signed("b" * 64, key.sign("a" * 64))


def test_machines_that_share_a_key_trust_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DAMRAK_REPLAY_KEY", bytes(range(32)))
    hash_ = keep(replay_bytes("7", "3")).replay
    assert not (tmp_path / "replay-key").exists()
    there = PlatformKey.of_bytes(bytes(range(32)))
    assert there.has_signed(hash_, json.loads(load(hash_))["signature"])


def test_compression_pays() -> None:
    data = replay_bytes("7", "3")
    assert decompress(compress(data)) == data
    assert len(compress(data)) < len(data) / 3


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"noise",
        compress(bytes(LIMIT + 1)),
        zstandard.ZstdCompressor(write_content_size=False).compress(b"no size"),
    ],
)
def test_data_not_compressed_here_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="is"):
        decompress(data)

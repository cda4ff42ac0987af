"""All stores return what was stored, or report that they cannot."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.urls import reverse

from damrak_ladder.bots.archives import ArchiveStore, content_of
from damrak_ladder.bots.errors import ArchiveDamaged
from damrak_ladder.bots.models import StoredArchive
from damrak_ladder.health import parts
from damrak_ladder.health.examination import Verdict, examine
from damrak_ladder.installation.buckets import Bucket
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.record import record
from damrak_ladder.replays.errors import ReplayDamaged, ReplayLost
from damrak_ladder.replays.stores import ReplayStore
from damrak_ladder.stores import bucket as bucket_store
from damrak_ladder.stores.bucket import BucketStore
from damrak_ladder.stores.errors import StoreUnreachable
from damrak_ladder.stores.folder import FolderStore
from damrak_ladder.stores.rows import RowStore
from damrak_ladder.stores.store import Store, name_at, place_of
from ladder.buckets import ObjectServer
from ladder.databases import empty
from ladder.people import NOW
from ladder.tables import PATIENCE, report_of, some_block

NAMES = [sha256(bytes([number])).hexdigest() for number in range(5)]


@pytest.fixture(params=["sqlite", "postgresql", "folder", "s3"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, django_db_blocker: Any
) -> Iterator[Store]:
    match request.param:
        case "folder":
            yield FolderStore(tmp_path / "archives", ".bin")
        case "s3":
            yield bucket_of(request)
        case database:
            with django_db_blocker.unblock():
                request.getfixturevalue("_open_database")(database)
                yield RowStore(StoredArchive)
                empty()


def bucket_of(request: pytest.FixtureRequest) -> BucketStore:
    server: ObjectServer = request.getfixturevalue("object_server")
    name = secrets.token_hex(10)  # a second attempt needs an empty bucket, too
    return BucketStore(server.bucket(name), "archives", ".bin")


@pytest.fixture
def in_bucket(request: pytest.FixtureRequest) -> BucketStore:
    return bucket_of(request)


@pytest.mark.process
def test_stored_content_is_returned(store: Store) -> None:
    name = NAMES[0]
    assert not store.has(name)
    assert store.get(name) is None
    store.put(name, b"a bot")
    assert store.has(name)
    assert store.get(name) == b"a bot"
    store.check()


@pytest.mark.process
def test_existing_content_stays_unless_replacement_is_requested(store: Store) -> None:
    name = NAMES[0]
    store.put(name, b"a bot")
    store.put(name, b"another")
    assert store.get(name) == b"a bot"
    store.put(name, b"another", replace=True)
    assert store.get(name) == b"another"


@pytest.mark.process
def test_names_are_listed_in_order(store: Store) -> None:
    for name in NAMES:
        store.put(name, b"")
    assert list(store.names()) == sorted(NAMES)
    assert store.get(NAMES[0]) == b""


@pytest.mark.process
def test_concurrent_writes_of_the_same_content_succeed(store: Store) -> None:
    def put(_: int) -> None:
        with closing(connection):
            store.put(NAMES[0], b"a bot")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(put, range(16)))
    names = list(store.names())
    if isinstance(store, BucketStore):
        # The server of these tests may list a file twice if two requests create it at once.
        names = list(set(names))
    assert names == NAMES[:1]
    assert store.get(NAMES[0]) == b"a bot"


@pytest.mark.parametrize("name", ["../secret-key", "a" * 63, "A" * 64, f"{'a' * 64}\n"])
def test_only_hashes_have_places(name: str) -> None:
    with pytest.raises(ValueError, match="no SHA-256"):
        place_of(name)


@pytest.mark.parametrize("place", ["aa/bb", "aa" * 32, f"{'a' * 64}/", f"aa/{'b' * 62}.draft"])
def test_files_elsewhere_are_not_content(place: str) -> None:
    assert name_at(place, ".bin") is None


@pytest.mark.process
def test_archives_are_checked(store: Store) -> None:
    archives = ArchiveStore(store)
    content = archives.put(b"a bot")
    assert archives.get(content) == b"a bot"
    assert archives.has(content)
    store.put(content, b"another", replace=True)
    with pytest.raises(ArchiveDamaged, match="has been changed"):
        archives.get(content)
    with pytest.raises(ArchiveDamaged, match="is missing"):
        archives.get(content_of(b"unknown"))
    with pytest.raises(ValueError, match="no SHA-256"):
        archives.get("../secret-key")


@pytest.mark.process
def test_lost_replays_are_reported(store: Store) -> None:
    with pytest.raises(ReplayLost):
        ReplayStore(store).get(NAMES[0])


@pytest.mark.process
def test_changed_object_is_reported(in_bucket: BucketStore) -> None:
    in_bucket.put(NAMES[0], b"a bot")
    client = in_bucket._client
    key = in_bucket._key(NAMES[0])
    sums = client.head_object(Bucket=in_bucket.bucket.name, Key=key)["Metadata"]
    client.delete_object(Bucket=in_bucket.bucket.name, Key=key)
    client.put_object(Bucket=in_bucket.bucket.name, Key=key, Body=b"A bot", Metadata=sums)
    with pytest.raises(ReplayDamaged, match="has been changed"):
        ReplayStore(in_bucket).get(NAMES[0])


WRONG: dict[str, tuple[dict[str, str], str]] = {
    "bucket": ({"name": "elsewhere"}, "DAMRAK_LADDER_S3_BUCKET"),
    "secret": ({"secret": "a-wrong-one"}, "DAMRAK_LADDER_S3_SECRET"),
    "key": ({"key": "a-wrong-one"}, "DAMRAK_LADDER_S3_KEY"),
    "endpoint": ({"endpoint": "http://127.0.0.1:9"}, "Could not connect"),
}
ASKED: list[Callable[[Store], object]] = [
    lambda store: store.check(),
    lambda store: store.has(NAMES[0]),
    lambda store: store.get(NAMES[0]),
    lambda store: store.put(NAMES[0], b"a bot"),
    lambda store: list(store.names()),
]


@pytest.mark.process
@pytest.mark.parametrize("wrong", WRONG)
def test_store_that_cannot_be_reached_has_lost_nothing(
    in_bucket: BucketStore, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket_store, "ATTEMPTS", 1)
    changes, named = WRONG[wrong]
    there = replace(in_bucket, bucket=replace(in_bucket.bucket, **changes))
    for ask in ASKED:
        if wrong == "bucket" and ask is ASKED[1]:
            continue  # impossible to detect with a single object
        with pytest.raises(StoreUnreachable, match=named):
            ask(there)


@pytest.mark.process
def test_server_that_hangs_is_not_waited_for(
    in_bucket: BucketStore, object_server: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(bucket_store, "ATTEMPTS", 1)
        patch.setattr(bucket_store, "ANSWER_S", 0.2)
        bucket_store._client_of.cache_clear()
        with object_server.paused(), pytest.raises(StoreUnreachable, match="timeout"):
            in_bucket.get(NAMES[0])
    bucket_store._client_of.cache_clear()
    assert in_bucket.get(NAMES[0]) is None


def test_early_request_for_a_replay_gets_a_retry_answer(
    database: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = some_block()
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    record(report_of(block, 1), NOW)
    match = block.matches.get(number=0)
    monkeypatch.setattr(bucket_store, "ATTEMPTS", 1)
    nowhere = Bucket("damrak", "http://127.0.0.1:9", "us-east-1", "", "key", "secret")
    client = Client(SERVER_NAME="127.0.0.1")
    with override_settings(DAMRAK_REPLAY_STORE="s3", DAMRAK_BUCKET=nowhere):
        answer = client.get(f"/api/v1/matches/{match.pk}/replay")
        assert (answer.status_code, answer.json()["code"]) == (503, "try-again")
        assert answer["Retry-After"]
        answer = client.get(reverse("replay-files:download", args=[match.pk]))
        assert answer.status_code == 503
        assert answer["Retry-After"]
        assert "bucket damrak" in parts.stores(NOW)
        [finding] = [found for found in examine(NOW) if found.part == "stores"]
    assert finding.verdict is Verdict.WRONG
    assert "DAMRAK_LADDER_S3" in finding.cure

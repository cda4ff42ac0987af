"""The page of open data, its index, and its files in parts."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import AsyncClient, Client, override_settings

from damrak.data import rows
from damrak_ladder.installation.environment import Dumping
from damrak_ladder.open_data.index import File, Index
from damrak_ladder.open_data.published import NIGHTLY, next_run
from damrak_ladder.pipeline.celery.app import app
from ladder.open_data.dumps import sample
from ladder.visitors import page, visitor

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def folder(tmp_path: Path, database: None) -> Iterator[Path]:
    with override_settings(DAMRAK_DUMP=Dumping(tmp_path, None, "CC0-1.0")):
        yield tmp_path


def read(client: Client, path: str, **headers: str) -> Any:
    answer = client.get(path, headers=headers)
    if answer.streaming:
        answer.body = b"".join(answer.streaming_content)
        answer.close()
    return answer


def largest(index: Index) -> File:
    return max(index.files, key=lambda file: file.bytes)


def test_without_a_dump_the_index_is_empty_and_the_page_names_the_time(folder: Path) -> None:
    client = visitor()
    assert "03:07 (UTC)" in page(client, "/data/")
    answer = read(client, "/data/index.json")
    assert answer.status_code == 200
    said = answer.json()
    assert (said["created"], said["days"], said["files"]) == (None, [], [])
    (folder / "index.json").write_bytes(answer.content)  # as a client keeps it
    assert not list(rows(folder, "matches"))
    (folder / "index.json").write_text("{}")
    assert "There is no data yet." in page(client, "/data/")
    answer = read(client, "/data/index.json")
    assert answer.status_code == 503
    assert set(answer.json()) == {"detail", "cure"}


def test_the_next_dump_is_that_of_the_schedule(database: None) -> None:
    schedule = app.conf.beat_schedule["dump"]["schedule"]
    assert (schedule.hour, schedule.minute) == ({NIGHTLY.hour}, {NIGHTLY.minute})
    before = datetime(2026, 11, 20, 3, 6, tzinfo=UTC)
    first = next_run(before)
    assert first == datetime(2026, 11, 20, 3, 7, tzinfo=UTC)
    assert next_run(first) == datetime(2026, 11, 21, 3, 7, tzinfo=UTC)


def test_the_page_lists_every_file_page_by_page(folder: Path) -> None:
    index = sample(folder, days=12)
    client = visitor()
    first = page(client, "/data/")
    assert "incomplete" in first
    assert 'href="?before=2026-11-09"' in first
    both = first + page(client, "/data/?before=2026-11-09")
    for file in index.files:
        assert f'href="/data/{file.path}"' in both
        assert file.sha256 in both
    assert "2026-11-08" not in first
    assert client.get("/en/data/?before=%00%FF").status_code == 200
    for language, _ in settings.LANGUAGES:
        assert client.get(f"/{language}/data/").status_code == 200


def test_the_index_and_files_are_those_of_the_folder(folder: Path) -> None:
    index = sample(folder)
    client = visitor()
    answer = read(client, "/data/index.json")
    assert json.loads(answer.content) == index.to_json()
    tag = answer.headers["ETag"]
    assert read(client, "/data/index.json", if_none_match=tag).status_code == 304
    for file in answer.json()["files"]:
        got = read(client, f"/data/{file['path']}", accept_encoding="gzip")
        data = got.body
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
        assert len(data) == file["bytes"] == int(got.headers["Content-Length"])
        assert got.headers["Access-Control-Allow-Origin"] == "*"
        assert "public" in got.headers["Cache-Control"]
        tag = got.headers["ETag"]
        assert read(client, f"/data/{file['path']}", if_none_match=tag).status_code == 304
    sample(folder, days=2)
    assert len(read(client, "/data/index.json").json()["files"]) > len(index.files)


def test_only_listed_files_can_be_reached(folder: Path) -> None:
    sample(folder)
    (folder / "bots" / "secret.parquet").write_bytes(b"hidden")
    (folder / "secret.json").write_bytes(b"hidden")
    for path in (
        *("bots/secret.parquet", "secret.json", "bots/", ".lock", ".days/2026-11-18.json"),
        *("bots/../secret.json", "bots/..%2fsecret.json", "%2e%2e/secret.json"),
    ):
        assert visitor().get(f"/data/{path}", follow=True).status_code == 404, path


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=5-9", 5, 10),
        ("bytes=10-", 10, None),
        ("bytes=-7", -7, None),
        ("bytes=-99999999", 0, None),
        ("bytes=3-99999999", 3, None),
    ],
)
def test_a_part_of_a_file(folder: Path, asked: str, start: int, end: int | None) -> None:
    file = largest(sample(folder))
    whole = (folder / file.path).read_bytes()
    answer = read(visitor(), f"/data/{file.path}", range=asked)
    assert answer.status_code == 206
    part = whole[start:end]
    assert answer.body == part
    begin = whole.index(part) if start < 0 else start
    expected = f"bytes {begin}-{begin + len(part) - 1}/{len(whole)}"
    assert answer.headers["Content-Range"] == expected


def test_other_ranges(folder: Path) -> None:
    file = largest(sample(folder))
    path, client = f"/data/{file.path}", visitor()
    for asked in ("bytes=9-5", "bytes=-", "bytes=a-b", "items=0-5", "bytes=0-1,3-4"):
        assert read(client, path, range=asked).status_code == 200, asked
    for asked in ("bytes=99999999-", "bytes=-0"):
        answer = read(client, path, range=asked)
        assert answer.status_code == 416
        assert answer.headers["Content-Range"] == f"bytes */{file.bytes}"
    assert read(client, path, range="bytes=0-1", if_range='"other"').status_code == 200
    tag = f'"{file.sha256}"'
    assert read(client, path, range="bytes=0-1", if_range=tag).status_code == 206
    head = client.head(path)
    assert int(head.headers["Content-Length"]) == file.bytes
    assert head.content == b""


def test_a_file_is_streamed_by_the_event_loop(folder: Path) -> None:
    file = largest(sample(folder))

    async def fetched() -> bytes:
        answer = await AsyncClient(headers={"host": "127.0.0.1"}).get(f"/data/{file.path}")
        assert answer.is_async
        data = b"".join([chunk async for chunk in answer.streaming_content])
        answer.close()
        return data

    assert asyncio.run(fetched()) == (folder / file.path).read_bytes()

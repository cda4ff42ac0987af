"""Archives are stored atomically under the hash of their content."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from damrak_referee.blocks.archives import Archives, UploadRefused

DATA = b"an archive" * 1000
NAME = hashlib.sha256(DATA).hexdigest()


async def _pieces(data: bytes, size: int = 999) -> AsyncIterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


async def _cut_off() -> AsyncIterator[bytes]:
    yield b"the beginning"
    raise ConnectionError


def _keep(archives: Archives, data: bytes) -> str:
    name = hashlib.sha256(data).hexdigest()
    asyncio.run(archives.receive(name, _pieces(data)))
    return name


def test_kept_under_its_hash(tmp_path: Path) -> None:
    archives = Archives(tmp_path, 100_000, 1_000_000)
    assert not archives.has(NAME)
    assert asyncio.run(archives.receive(NAME, _pieces(DATA))) == len(DATA)
    assert archives.has(NAME)
    assert archives.path(NAME).read_bytes() == DATA
    assert os.listdir(tmp_path) == [NAME]


def test_other_content_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    archives = Archives(tmp_path, 100_000, 1_000_000)
    with pytest.raises(UploadRefused, match="the content has the SHA-256"):
        asyncio.run(archives.receive(NAME, _pieces(DATA + b"!")))
    assert os.listdir(tmp_path) == []


def test_too_large_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    archives = Archives(tmp_path, 5000, 1_000_000)
    with pytest.raises(UploadRefused) as problem:
        asyncio.run(archives.receive(NAME, _pieces(DATA)))
    assert problem.value.is_too_large
    assert os.listdir(tmp_path) == []


def test_interrupted_upload_leaves_nothing(tmp_path: Path) -> None:
    archives = Archives(tmp_path, 100_000, 1_000_000)
    with pytest.raises(ConnectionError):
        asyncio.run(archives.receive(NAME, _cut_off()))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["", "../../etc/passwd", NAME.upper(), NAME + "0", "/etc/passwd"])
def test_name_that_is_not_a_hash_is_refused(tmp_path: Path, name: str) -> None:
    archives = Archives(tmp_path, 100_000, 1_000_000)
    assert not archives.has(name)
    with pytest.raises(UploadRefused, match="64 hexadecimal digits"):
        asyncio.run(archives.receive(name, _pieces(DATA)))


def test_longest_unused_go_when_room_is_short(tmp_path: Path) -> None:
    archives = Archives(tmp_path, 1000, 2500)
    old, used, new = (bytes([i]) * 1000 for i in range(3))
    names = [_keep(archives, old), _keep(archives, used)]
    for name in names:
        os.utime(archives.path(name), (1000, 1000))
    archives.has(names[1])
    names.append(_keep(archives, new))
    assert [archives.path(name).exists() for name in names] == [False, True, True]


def test_stores_may_be_shared(tmp_path: Path) -> None:
    one, other = Archives(tmp_path, 100_000, 1_000_000), Archives(tmp_path, 100_000, 1_000_000)
    _keep(one, DATA)
    assert other.has(NAME)
    _keep(other, DATA)
    assert os.listdir(tmp_path) == [NAME]

"""The store of archives gives back what was put in, or says that it cannot."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from damrak_ladder.bots.archives import ArchiveStore, content_of
from damrak_ladder.bots.errors import ArchiveDamaged


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_is_put_in_comes_out(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path / "archives")
    content = store.put(b"a bot")
    assert content == content_of(b"a bot")
    assert store.has(content)
    assert store.get(content) == b"a bot"


def test_same_archive_is_kept_once_however_many_put_it_in(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(store.put, [b"a bot"] * 64))) == 1
    assert len(files_in(tmp_path)) == 1


def test_missing_archive_is_told(tmp_path: Path) -> None:
    with pytest.raises(ArchiveDamaged, match="is gone"):
        ArchiveStore(tmp_path).get(content_of(b"a bot"))


def test_changed_archive_is_told(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    content = store.put(b"a bot")
    files_in(tmp_path)[0].write_bytes(b"another bot")
    with pytest.raises(ArchiveDamaged, match="has been changed"):
        store.get(content)


@pytest.mark.parametrize("name", ["", "../secret-key", "a" * 63, "A" * 64])
def test_only_hashes_are_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no SHA-256"):
        ArchiveStore(tmp_path).get(name)


def test_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    store = ArchiveStore(tmp_path)
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        store.put(b"a bot")
    assert files_in(tmp_path) == []

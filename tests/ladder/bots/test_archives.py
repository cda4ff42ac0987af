"""Archives are written to files atomically."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from damrak_ladder.bots.archives import ArchiveStore
from damrak_ladder.stores.folder import FolderStore


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_same_archive_is_kept_once_however_many_put_it_in(tmp_path: Path) -> None:
    store = ArchiveStore(FolderStore(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(store.put, [b"a bot"] * 64))) == 1
    assert len(files_in(tmp_path)) == 1


def test_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    store = ArchiveStore(FolderStore(tmp_path))
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        store.put(b"a bot")
    assert files_in(tmp_path) == []

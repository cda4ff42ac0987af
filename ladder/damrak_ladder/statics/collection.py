"""Collection of the static files of all apps for serving."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import time
from pathlib import Path
from typing import Final

import django
from django.contrib.staticfiles.finders import get_finders
from django.core.files.base import ContentFile

from damrak_ladder.statics.storage import HashedStorage

KEPT: Final = 3
"""The number of collections to keep: a running site may serve from an earlier one."""

UNUSED: Final = ("django_htmx/ext/*",)
"""Files that we do not use, and some of which refer to missing files."""

_UNFINISHED_S: Final = 3600.0
"""The age in seconds at which an unfinished collection is considered abandoned."""

_HOW: Final = "1"
"""Change it when the same files are to be collected in another way."""


def collect(folder: Path) -> Path:
    """Return a subfolder with all files, hashed and compressed; create it if necessary.

    It is named by its content and created atomically, so several sites may do this concurrently,
    and an interrupted call leaves nothing that disturbs others.
    """
    files = _files()
    digest = hashlib.sha256(f"{_HOW} {django.get_version()}".encode())
    for name, data in sorted(files.items()):
        digest.update(f"{name} {len(data)} ".encode() + data)
    target = folder / digest.hexdigest()[:16]
    if not target.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = folder / f".{secrets.token_hex(8)}"
        try:
            _fill(draft, files)
            os.sync()  # otherwise its files might be empty after a power cut
            with contextlib.suppress(OSError):  # another process was faster
                draft.rename(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        _tidy(folder, target)
    os.utime(target)
    return target


def _files() -> dict[str, bytes]:
    """Return the files of every app, by name; the first of equal names counts."""
    found: dict[str, bytes] = {}
    for finder in get_finders():
        for name, storage in finder.list(UNUSED):
            if name not in found:
                with storage.open(name) as file:
                    found[name] = file.read()
    return found


def _fill(draft: Path, files: dict[str, bytes]) -> None:
    storage = HashedStorage(location=draft)
    for name, data in files.items():
        storage.save(name, ContentFile(data))
    for _, _, done in storage.post_process({name: (storage, name) for name in files}):
        if isinstance(done, Exception):
            raise done


def _tidy(folder: Path, target: Path) -> None:
    """Remove all but the latest collections, and abandoned ones."""
    others = [path for path in folder.iterdir() if path != target]
    long_ago = time.time() - _UNFINISHED_S
    drafts = [path for path in others if path.name.startswith(".")]
    done = sorted(set(others) - set(drafts), key=_made, reverse=True)
    for path in (*done[KEPT - 1 :], *(draft for draft in drafts if _made(draft) < long_ago)):
        shutil.rmtree(path, ignore_errors=True)


def _made(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # removed by another process
        return 0.0

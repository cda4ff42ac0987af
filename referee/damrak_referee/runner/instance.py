"""The folder of one runner's run, and the sweeping of what dead ones left.

A referee and its runner hold the same lock. A folder whose lock is free belongs to nobody.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import Final

LOCK: Final = "lock"
SOCKET_PATH_LIMIT: Final = 100  # the kernel ends at 107, gRPC does not say so
_SEAT_SOCKET: Final = "/12345678/0.sock"
_INSTANCE: Final = re.compile(r"[0-9a-f]{8}")


def make_instance(run: Path) -> tuple[Path, int]:
    """A new folder in `run`, and the descriptor that holds its lock.

    Raises:
        ValueError: the paths of sockets in it would be too long.
        OSError: it cannot be made.
    """
    run = run.resolve()
    run.mkdir(mode=0o755, parents=True, exist_ok=True)
    folder = run / secrets.token_hex(4)
    if len(str(folder) + _SEAT_SOCKET) > SOCKET_PATH_LIMIT:
        raise ValueError(f"the path of the run folder is too long for sockets: {run}")
    folder.mkdir(mode=0o700)
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return folder, lock


def instance_names(run: Path) -> list[str]:
    """The names of all folders in `run` that are instances."""
    try:
        return [entry.name for entry in os.scandir(run) if _INSTANCE.fullmatch(entry.name)]
    except FileNotFoundError:
        return []


def sweep_instances(run: Path) -> list[str]:
    """Remove the folders that nobody holds, and give back the names of those that somebody does."""
    held = []
    for name in instance_names(run):
        folder = run / name
        if _is_held(folder):
            held.append(name)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return held


def run_mark(run: Path) -> str:
    """A short name for this run folder, to tell its control groups from those of others."""
    return hashlib.sha256(os.fsencode(run.resolve())).hexdigest()[:6]


def _is_held(folder: Path) -> bool:
    with contextlib.ExitStack() as stack:
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return _is_young(folder)
        stack.callback(os.close, lock)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        return False


def _is_young(folder: Path) -> bool:
    """Whether its maker may not yet have come to lock it."""
    import time

    try:
        return time.time() - folder.stat().st_mtime < 10
    except OSError:
        return False

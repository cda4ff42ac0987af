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
import time
from pathlib import Path
from typing import Final

LOCK: Final = "lock"
SOCKET_PATH_LIMIT: Final = 100  # the kernel ends at 107, gRPC does not say so
_SEAT_SOCKET: Final = "/12345678/0.sock"
_YOUNG_SECONDS: Final = 10
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
    # By another name until it is held: who finds it free takes all of this for a dead one's.
    new = folder / f"{LOCK}.new"
    lock = os.open(new, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    new.rename(folder / LOCK)
    return folder, lock


def sweep_instances(run: Path) -> None:
    """Remove the folders that nobody holds."""
    with contextlib.suppress(FileNotFoundError):
        for entry in list(os.scandir(run)):
            if _INSTANCE.fullmatch(entry.name) and not is_held(run, entry.name):
                shutil.rmtree(entry.path, ignore_errors=True)


def is_held(run: Path, name: str) -> bool:
    """Whether an instance of this name lives. It is locked before it has anything else."""
    folder = run / name
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return _is_young(folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def run_mark(run: Path) -> str:
    """A short name for this run folder, to tell its control groups from those of others.

    Not by its path: in two containers that can be the same and the folders not.
    """
    there = run.stat()
    return hashlib.sha256(f"{there.st_dev}:{there.st_ino}".encode()).hexdigest()[:6]


def _is_young(folder: Path) -> bool:
    """Whether its maker may not yet have come to lock it."""
    try:
        return time.time() - folder.stat().st_mtime < _YOUNG_SECONDS
    except OSError:
        return False

"""The folder of one runner instance, and the removal of folders of dead ones.

A referee and its runner hold the same lock. A folder whose lock is free is abandoned.
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
SOCKET_PATH_LIMIT: Final = 100  # the kernel's limit is 107, but gRPC does not report it
_SEAT_SOCKET: Final = "/12345678/0.sock"
_YOUNG_SECONDS: Final = 10
_INSTANCE: Final = re.compile(r"[0-9a-f]{8}")


def make_instance(run: Path) -> tuple[Path, int]:
    """Create a folder in `run`; return it and the descriptor that holds its lock.

    Raises:
        ValueError: the paths of sockets in it would be too long.
        OSError: it cannot be created.
    """
    run = run.resolve()
    run.mkdir(mode=0o755, parents=True, exist_ok=True)
    folder = run / secrets.token_hex(4)
    if len(str(folder) + _SEAT_SOCKET) > SOCKET_PATH_LIMIT:
        raise ValueError(f"the path of the run folder is too long for sockets: {run}")
    folder.mkdir(mode=0o700)
    # Renamed into place only once it is locked: a free lock marks an abandoned folder.
    new = folder / f"{LOCK}.new"
    lock = os.open(new, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    new.rename(folder / LOCK)
    return folder, lock


def sweep_instances(run: Path) -> None:
    """Remove abandoned folders."""
    with contextlib.suppress(FileNotFoundError):
        for entry in list(os.scandir(run)):
            if _INSTANCE.fullmatch(entry.name) and not is_held(run, entry.name):
                shutil.rmtree(entry.path, ignore_errors=True)


def is_held(run: Path, name: str) -> bool:
    """Return whether the instance of this name is alive, by its lock or its young folder."""
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
    """Return a short id of this run folder, which marks its control groups.

    It is not derived from the path, which can be the same for different folders in two containers.
    """
    there = run.stat()
    return hashlib.sha256(f"{there.st_dev}:{there.st_ino}".encode()).hexdigest()[:6]


def _is_young(folder: Path) -> bool:
    """Return whether the folder is so new that it may not be locked yet."""
    try:
        return time.time() - folder.stat().st_mtime < _YOUNG_SECONDS
    except OSError:
        return False

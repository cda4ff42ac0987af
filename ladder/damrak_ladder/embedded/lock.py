"""The lock that allows only one platform per data folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from damrak_ladder.usage_errors import Misuse


class HomeLock:
    """A lock held as long as the platform runs; the kernel frees it when the process ends."""

    def __init__(self, path: Path, address: str) -> None:
        self._path = path
        self._address = address
        self._descriptor = -1

    def __enter__(self) -> None:
        """Take the lock.

        Raises:
            Misuse: another platform runs on this data folder.
        """
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = os.read(descriptor, 500).decode(errors="replace").strip()
            os.close(descriptor)
            raise Misuse(
                f"Damrak runs here already: {who or 'it is just starting'} "
                f"(for another one set DAMRAK_HOME and DAMRAK_PORT)"
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()}, {self._address}\n".encode())
        self._descriptor = descriptor

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release the lock."""
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


def holder(path: Path) -> str | None:
    """Return a description of the process that runs on this data folder, or None."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(descriptor, 500).decode(errors="replace").strip() or "somebody"
    finally:
        os.close(descriptor)
    return None

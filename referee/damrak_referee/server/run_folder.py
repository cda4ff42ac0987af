"""The folder for sockets and sandboxes, and the lock of a referee on its name in it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from pathlib import Path

from damrak_referee.usage_errors import SettingError


class RunFolder:
    """A folder owned by this user. Entering it locks the name against other processes."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._lock = folder / f"{name}.lock"
        self._descriptor = -1

    def __enter__(self) -> Path:
        """Create the folder and lock the name; return the folder.

        Raises:
            SettingError: it cannot be used, others may write to it, or the name is taken.
        """
        try:
            self._folder.mkdir(mode=0o755, parents=True, exist_ok=True)
            found = self._folder.stat()
            if found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise SettingError(f"--run: {self._folder}: others than you may write there")
            while not self._take():
                pass
        except BlockingIOError:
            raise SettingError(
                f"--name: another referee called {self._name!r} runs in {self._folder}"
            ) from None
        except OSError as problem:
            why = (problem.strerror or "cannot be used").lower()
            raise SettingError(f"--run: {self._folder}: {why}") from None
        return self._folder

    def _take(self) -> bool:
        """Lock the file; return False if its holder has removed it in the meantime."""
        descriptor = os.open(self._lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(descriptor).st_ino == self._lock.stat().st_ino:
                self._descriptor = descriptor
                return True
        except FileNotFoundError:
            pass
        except BlockingIOError:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return False

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._lock.unlink()
        os.close(self._descriptor)

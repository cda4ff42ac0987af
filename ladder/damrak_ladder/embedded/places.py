"""Paths in the data folder of a platform that runs on one machine."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from damrak_ladder.usage_errors import Misuse

LONGEST_RUN_FOLDER: Final = 74
"""In characters: the paths of sockets are limited, and the referee appends to it."""


@dataclass(frozen=True, slots=True)
class Places:
    """Files and folders of one platform."""

    home: Path
    run: Path  # sockets; not needed once all parts have stopped

    @classmethod
    def of(cls, home: Path) -> Places:
        """Return the paths for this data folder, and create the folder for sockets.

        Raises:
            Misuse: that folder belongs to another user, or others may write to it.
        """
        run = home / "run"
        if len(str(run)) > LONGEST_RUN_FOLDER:
            name = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
            run = Path(tempfile.gettempdir()) / f"damrak-{os.getuid()}-{name}"
        run.mkdir(mode=0o700, exist_ok=True)
        found = run.lstat()
        others = stat.S_IWGRP | stat.S_IWOTH
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & others:
            raise Misuse(f"{run}: others than you may write there; remove it")
        return cls(home, run)

    @property
    def lock(self) -> Path:
        """The lock file of the running platform."""
        return self.home / "up.lock"

    @property
    def logs(self) -> Path:
        """The folder of the parts' logs."""
        return self.home / "logs"

    @property
    def password(self) -> Path:
        """The first administrator's password, until it is changed."""
        return self.home / "admin-password"

    @property
    def broker(self) -> Path:
        """The socket of the broker."""
        return self.run / "broker.sock"

    @property
    def control(self) -> Path:
        """The control socket of the referee."""
        return self.run / "control.sock"

    @property
    def referee(self) -> Path:
        """The file that the referee writes when it is ready."""
        return self.run / "referee.json"

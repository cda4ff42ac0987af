"""Settings of a runner: its folders, and the limits of a bot."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from damrak_archive.limits import STANDARD

MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class RunnerSettings:
    """The settings of one runner. Only `run` and `store` are required."""

    run: Path
    """Sockets and locks of this and other runners; nothing in it outlives them."""
    store: Path
    """Unpacked archives; may be shared by runners."""

    python: str = sys.executable
    """The interpreter of bots, with `damrak` installed."""
    unsafe: bool = False
    """Run uploaded bots as plain processes; only for bots that the operator trusts."""
    expose: tuple[Path, ...] = ()
    """Further folders that sandboxed bots may read at the same path, such as a language runtime."""
    runtimes: Path | None = None
    """The folder of optional runtimes; see `damrak_referee.runner.optional`."""
    first_uid: int = 40_000
    """The first user id of sandboxes, if the runner is root."""

    memory_mb: int = 512
    mapped_mb: int = 0
    """Size of files of the runtime that a bot may map in addition to its memory."""
    processes: int = 64
    cpus: float = 1.0
    cpu_seconds: int = 3600
    tmp_mb: int = 64
    shm_mb: int = 16
    file_mb: int = 64
    open_files: int = 256

    output_head: int = 16 * 1024
    output_tail: int = 48 * 1024
    output_limit: int = 8 * MIB

    archive_mb: int = STANDARD.archive_mb
    unpacked_mb: int = STANDARD.unpacked_mb
    archive_files: int = STANDARD.archive_files
    archive_ratio: int = STANDARD.archive_ratio
    path_bytes: int = STANDARD.path_bytes
    path_depth: int = STANDARD.path_depth

    house_idle_seconds: float = 60.0
    """How long a house bot's process waits for its next seat."""

    def to_json(self) -> dict[str, Any]:
        """Return these settings as a JSON object."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        said["expose"] = [str(path) for path in self.expose]
        said["runtimes"] = None if self.runtimes is None else str(self.runtimes)
        return said | {"run": str(self.run), "store": str(self.store)}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> RunnerSettings:
        """Return the settings from the result of `to_json`.

        Raises:
            TypeError: a name is unknown or missing.
        """
        paths = {
            "run": Path(said["run"]),
            "store": Path(said["store"]),
            "expose": tuple(Path(path) for path in said["expose"]),
            "runtimes": None if said["runtimes"] is None else Path(said["runtimes"]),
        }
        return cls(**{**said, **paths})

"""Size limits of archives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

MIB: Final = 1 << 20


class Limits(Protocol):
    """Protocol of the limits, which may be configured."""

    @property
    def archive_mb(self) -> int:
        """The maximum size of the archive itself, in MiB."""

    @property
    def unpacked_mb(self) -> int:
        """The maximum total size of its files, in MiB."""

    @property
    def archive_files(self) -> int:
        """The maximum number of files and folders."""

    @property
    def archive_ratio(self) -> int:
        """The maximum ratio of unpacked size to archive size."""

    @property
    def path_bytes(self) -> int:
        """The maximum length of a name including its folders, in bytes."""

    @property
    def path_depth(self) -> int:
        """The maximum depth of a name, in path components."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """The default limits."""

    archive_mb: int = 16
    unpacked_mb: int = 64
    archive_files: int = 2_000
    archive_ratio: int = 100
    path_bytes: int = 200
    path_depth: int = 12


STANDARD: Final = ArchiveLimits()


@dataclass(frozen=True, slots=True)
class RuntimeLimits:
    """The limits of archives whose bots choose an optional runtime, in MiB."""

    archive_mb: int
    unpacked_mb: int


NO_RUNTIMES: Final[Mapping[str, RuntimeLimits]] = {}

CEILING: Final = RuntimeLimits(archive_mb=256, unpacked_mb=1024)
"""The highest limits that an optional runtime can have."""

"""How much there may be in an archive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

MIB: Final = 1 << 20


class Limits(Protocol):
    """What may be set."""

    @property
    def archive_mb(self) -> int:
        """Of the archive itself."""

    @property
    def unpacked_mb(self) -> int:
        """Of all that is in it."""

    @property
    def archive_files(self) -> int:
        """Files and folders."""

    @property
    def archive_ratio(self) -> int:
        """How many times its own size it may hold."""

    @property
    def path_bytes(self) -> int:
        """Of a name, with the folders before it."""

    @property
    def path_depth(self) -> int:
        """Folders in folders."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Those that hold where nobody has set others."""

    archive_mb: int = 16
    unpacked_mb: int = 64
    archive_files: int = 2_000
    archive_ratio: int = 100
    path_bytes: int = 200
    path_depth: int = 12


STANDARD: Final = ArchiveLimits()

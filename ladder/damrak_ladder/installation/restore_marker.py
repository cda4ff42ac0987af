"""Marker of an unfinished restore, during which no other process may start."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from damrak_ladder.installation.files import write_whole

MARK: Final = "restore-unfinished"


def unfinished_restore(home: Path) -> str | None:
    """Return the name of the backup being restored, or None."""
    try:
        return (home / MARK).read_text("utf-8", "replace").strip()
    except OSError:
        return None


def begin_restore(home: Path, file: Path) -> None:
    """Write the marker."""
    write_whole(home / MARK, f"{file}\n".encode())


def end_restore(home: Path) -> None:
    """Remove the marker."""
    (home / MARK).unlink()

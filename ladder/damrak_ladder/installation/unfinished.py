"""The mark of a restore that has begun and has not ended: nothing else starts meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from damrak_ladder.installation.files import write_whole

MARK: Final = "restore-unfinished"


def unfinished_restore(home: Path) -> str | None:
    """The file that was being restored; None if none was."""
    try:
        return (home / MARK).read_text("utf-8", "replace").strip()
    except OSError:
        return None


def begin_restore(home: Path, file: Path) -> None:
    """Leave the mark."""
    write_whole(home / MARK, f"{file}\n".encode())


def end_restore(home: Path) -> None:
    """Remove the mark."""
    (home / MARK).unlink()

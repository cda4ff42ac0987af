"""Atomic file writes."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically: readers never see a half-written file, even after a power cut.

    Raises:
        OSError: the file cannot be written; the previous content is unchanged.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as problem:
        problem.filename = str(path)  # the error of a full disk does not name the file
        raise
    finally:
        draft.unlink(missing_ok=True)

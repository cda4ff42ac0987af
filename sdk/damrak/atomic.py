"""Files that are either there in full or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file that no reader, and no power cut, ever sees half written.

    Raises:
        OSError: it cannot be written; what was there before is still there.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as problem:
        problem.filename = str(path)  # a full disk does not say by itself what it was to hold
        raise
    finally:
        draft.unlink(missing_ok=True)

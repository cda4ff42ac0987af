"""Secrets that an installation generates once and keeps in its data folder."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

KEY_FILE: Final = "secret-key"


def keep_once(path: Path, make: Callable[[], bytes]) -> bytes:
    """Return the secret in this file, which only its owner may read; generate it if missing.

    Concurrent callers get the same secret.
    """
    if not path.exists():
        draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(make())
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)  # unlike a rename, this never replaces an existing file
        finally:
            draft.unlink()
    return path.read_bytes()


def prepare_home(home: Path) -> None:
    """Create the data folder and the site's secret key, if missing.

    Raises:
        OSError: the folder cannot be created or written.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    keep_once(home / KEY_FILE, lambda: secrets.token_urlsafe(64).encode())


def secret_key_of(home: Path) -> str:
    """Return the secret key in the folder; empty before `prepare_home`, so Django cannot start."""
    try:
        return (home / KEY_FILE).read_text("ascii")
    except FileNotFoundError:
        return ""

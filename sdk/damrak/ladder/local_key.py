"""The token of a ladder installed on this machine, for the user who runs it.

The site returns the path of the token file and a proof that it has read the file, too. Without the
proof, any program listening on this machine could get the token by naming the file.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
import sys
from pathlib import Path
from typing import Any, Final

from damrak.errors import LadderError
from damrak.ladder.site import Site

NAME: Final = "local-token"
_TOKEN: Final = re.compile(r"damrak_[A-Za-z0-9_-]{32,128}")
_LONGEST: Final = 256


def find_local_token(site: Site) -> str | None:
    """Return the token for a site on this machine if its file belongs to this user, else None."""
    if not site.address.is_loopback:
        return None
    nonce = secrets.token_hex(16)
    try:
        said: Any = site.get("", nonce=nonce)
        path, proof = said["local_key"], said["local_proof"]
    except (LadderError, KeyError, TypeError):
        return None
    if not (isinstance(path, str) and isinstance(proof, str)):
        return None
    token = _read(Path(path))
    if token is None or not hmac.compare_digest(proof, _proof(token, nonce, site.address.port)):
        return None
    return token


def _read(path: Path) -> str | None:
    if path.name != NAME or not path.is_absolute():
        return None
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(file.fileno())
            content = file.read(_LONGEST + 1)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    if sys.platform != "win32" and (found.st_uid != os.geteuid() or found.st_mode & 0o077):
        return None
    token = content.decode("ascii", "replace").strip()
    return token if _TOKEN.fullmatch(token) else None


def _proof(token: str, nonce: str, port: int) -> str:
    """Return a proof that only a server of this port that has the token can compute."""
    return hmac.new(token.encode(), f"{nonce}:{port}".encode(), hashlib.sha256).hexdigest()

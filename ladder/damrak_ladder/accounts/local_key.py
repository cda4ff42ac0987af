"""A token of the operator in the data folder, accepted only from this machine."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime
from pathlib import Path
from typing import Final

from django.conf import settings

from damrak_ladder.accounts.errors import TokenRefused
from damrak_ladder.accounts.models import ApiToken, Scope, User
from damrak_ladder.accounts.tokens import issue, revoke, verify
from damrak_ladder.installation.files import write_whole

FILE: Final = "local-token"
NAME: Final = "this machine"


def path() -> Path:
    """Return the path of the token file, which may not exist."""
    return Path(settings.DAMRAK_HOME) / FILE


def make(owner: User, now: datetime) -> Path:
    """Ensure a valid token of this user in the file, readable only by the system user.

    Raises:
        TooManyTokens
    """
    if not _is_good(owner, now):
        for token in ApiToken.objects.filter(owner=owner, name=NAME, revoked=None):
            revoke(owner, token.pk, now)
        _, secret = issue(owner, NAME, [Scope.READ, Scope.SUBMIT, Scope.PLAY], now)
        write_whole(path(), f"{secret}\n".encode())
    return path()


def prove(nonce: str, port: int) -> str | None:
    """Return a proof that this process can read the token file and serves this port.

    With it, a client can verify that it sends the token to this very site. None if there is no
    file.
    """
    try:
        secret = path().read_bytes().strip()
    except OSError:
        return None
    return hmac.new(secret, f"{nonce}:{port}".encode(), hashlib.sha256).hexdigest()


def _is_good(owner: User, now: datetime) -> bool:
    try:
        secret = path().read_text("ascii").strip()
        return verify(secret, Scope.SUBMIT, now).owner == owner
    except (OSError, UnicodeDecodeError, TokenRefused):
        return False

"""A token in the data folder, for whoever may read it: this machine's own operator."""

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
    """Where it is, if there is one."""
    return Path(settings.DAMRAK_HOME) / FILE


def make(owner: User, now: datetime) -> Path:
    """Have a good token of this user there, readable for the system's user alone.

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
    """What only somebody can say who has read the file, and who serves this port.

    Whoever is to show the token can tell by it that he shows it to this very site.
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

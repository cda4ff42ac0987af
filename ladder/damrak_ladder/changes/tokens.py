"""Opaque tokens of positions in the log of changes.

A token is encrypted with a random nonce. So two tokens cannot be compared, and do not show how much
has happened between them that their reader may not see.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from functools import cache
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.utils.crypto import salted_hmac

LENGTH: Final = 48
"""The number of characters of a token."""

_PURPOSE: Final = "damrak.changes.token"
_NONCE: Final = 12
_POSITION: Final = 8


class BadToken(ValueError):
    """Text that is not a token of this site."""


def token_at(position: int) -> str:
    """Return a token of this position."""
    nonce = secrets.token_bytes(_NONCE)
    sealed = _cipher(settings.SECRET_KEY).encrypt(nonce, position.to_bytes(_POSITION, "big"), None)
    return base64.urlsafe_b64encode(nonce + sealed).decode("ascii")


def position_of(token: str) -> int:
    """Return the position of a token.

    Raises:
        BadToken: it is malformed, or of another site.
    """
    if len(token) != LENGTH:
        raise BadToken(f"a token has {LENGTH} characters, and this has {len(token)}")
    try:
        raw = base64.b64decode(token, altchars=b"-_", validate=True)
        opened = _cipher(settings.SECRET_KEY).decrypt(raw[:_NONCE], raw[_NONCE:], None)
    except (binascii.Error, ValueError, InvalidTag):
        raise BadToken("this token was not issued by this site") from None
    return int.from_bytes(opened, "big")


@cache
def _cipher(secret: str) -> AESGCM:
    return AESGCM(salted_hmac(_PURPOSE, "", secret=secret, algorithm="sha256").digest())

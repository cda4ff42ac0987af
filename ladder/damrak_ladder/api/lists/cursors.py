"""Cursors: encrypted positions in lists.

A cursor holds the sort key of the last row of a page, so the next page begins after it, whichever
rows were added or removed in the meantime. It is bound to the list and its filters. Its content is
hidden because it includes sequential keys, whose gaps show how many rows the reader may not see.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.conf import settings
from django.utils.crypto import salted_hmac

from damrak_ladder.api.problems import Problem

LONGEST: Final = 500
_PURPOSE: Final = "damrak.api.cursor"


def fingerprint(name: str, filters: Mapping[str, object]) -> str:
    """Return a short hash of a list and its filters."""
    text = json.dumps([name, sorted(filters.items())], default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def cursor_at(of: str, key: tuple[int, ...]) -> str:
    """Return the cursor behind the row with this key, in the list with this fingerprint."""
    sealed = _cipher(settings.SECRET_KEY).encrypt(json.dumps([of, *key]).encode(), None)
    return _text_of(sealed)


def key_at(cursor: str, of: str, length: int) -> tuple[int, ...] | None:
    """Return the key of a cursor; None for the beginning of the list.

    Raises:
        Problem: it is not a cursor, or not one of this list with these filters.
    """
    if not cursor:
        return None
    try:
        sealed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
        known, *key = json.loads(_cipher(settings.SECRET_KEY).decrypt(sealed, None))
    except (binascii.Error, ValueError, InvalidTag):
        raise _bad("this is not a cursor of this site") from None
    if _text_of(sealed) != cursor:  # spare bits of the last character
        raise _bad("this is not a cursor of this site")
    if known != of or len(key) != length:
        raise _bad("this cursor belongs to another list, or to other filters")
    return tuple(key)


def _text_of(sealed: bytes) -> str:
    return base64.urlsafe_b64encode(sealed).decode("ascii").rstrip("=")


@cache
def _cipher(secret: str) -> AESSIV:
    """Return a cipher without nonces: the same position always has the same cursor."""
    return AESSIV(salted_hmac(_PURPOSE, "", secret=secret, algorithm="sha256").digest())


def _bad(detail: str) -> Problem:
    cure = "use `next_cursor` of the previous page with the same filters, or leave out `cursor`"
    return Problem(422, "bad-cursor", f"cursor: {detail}", cure)

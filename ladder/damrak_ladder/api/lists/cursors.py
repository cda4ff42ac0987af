"""Cursors: opaque, signed positions in lists.

A cursor holds the sort key of the last row of a page, so the next page begins after it, whichever
rows were added or removed in the meantime. It is bound to the list and its filters.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from django.core.signing import BadSignature, Signer

from damrak_ladder.api.problems import Problem

LONGEST: Final = 500
_SALT: Final = "damrak.api.cursor"


def fingerprint(name: str, filters: Mapping[str, object]) -> str:
    """Return a short hash of a list and its filters."""
    text = json.dumps([name, sorted(filters.items())], default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def cursor_at(of: str, key: tuple[int, ...]) -> str:
    """Return the cursor behind the row with this key, in the list with this fingerprint."""
    return Signer(salt=_SALT).sign_object([of, *key])


def key_at(cursor: str, of: str, length: int) -> tuple[int, ...] | None:
    """Return the key of a cursor; None for the beginning of the list.

    Raises:
        Problem: it is not a cursor, or not one of this list with these filters.
    """
    if not cursor:
        return None
    try:
        known, *key = Signer(salt=_SALT).unsign_object(cursor)
    except (BadSignature, ValueError):
        raise _bad("this is not a cursor of this site") from None
    if known != of or len(key) != length:
        raise _bad("this cursor belongs to another list, or to other filters")
    return tuple(key)


def _bad(detail: str) -> Problem:
    cure = "use `next_cursor` of the previous page with the same filters, or leave out `cursor`"
    return Problem(422, "bad-cursor", f"cursor: {detail}", cure)

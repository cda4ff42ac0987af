"""JSON for replays: strict reading and canonical writing (docs/replay.md, "Hash")."""

from __future__ import annotations

import json
from typing import Any


class StrictJsonError(ValueError):
    """JSON that is not permitted in a replay."""


def read_json(data: bytes) -> Any:
    """Return the value in these bytes.

    Raises:
        StrictJsonError: for anything a lenient reader would accept: a byte order mark, a repeated
            key, a key that is not ASCII, a number with a point or exponent, a lone surrogate.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise StrictJsonError(f"UTF-8 ({problem.reason} at byte {problem.start})") from None
    if text.startswith("\ufeff"):
        raise StrictJsonError("no byte order mark")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_no_fraction,
            parse_constant=_no_fraction,
        )
        if "\\u" in text:  # the only source of lone surrogates
            canonical(value)
    except StrictJsonError:
        raise
    except RecursionError:
        raise StrictJsonError("JSON that is not nested so deeply") from None
    except UnicodeEncodeError:
        raise StrictJsonError("no lone surrogate in a string") from None
    except ValueError as problem:
        raise StrictJsonError(f"JSON ({problem})") from None
    return value


def canonical(value: object) -> bytes:
    """Return the canonical form of this value: sorted keys, no spaces, UTF-8, few escapes."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise StrictJsonError(f"the key {twice!r} only once in an object")
    for key in value:
        if not key.isascii():
            raise StrictJsonError(f"ASCII keys, not {key!r}")
    return value


def _no_fraction(number: str) -> Any:
    raise StrictJsonError(f"whole numbers without point or exponent, not {number}")

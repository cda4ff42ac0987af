"""Parts of files that clients ask for (RFC 9110, section 14)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


@dataclass(frozen=True, slots=True)
class Part:
    """The bytes from `start` to `end`, which is not included."""

    start: int
    end: int


class Unsatisfiable(ValueError):
    """The range begins behind the end of the file."""


def part_of(header: str, size: int) -> Part | None:
    """Return the requested part of a file, or None for the whole file.

    Invalid ranges and lists of ranges are ignored, as the standard permits.

    Raises:
        Unsatisfiable: the file has no such part.
    """
    found = _RANGE.fullmatch(header.strip())
    if found is None or found.group(1) == found.group(2) == "":
        return None
    first, last = found.groups()
    if not first:
        length = min(int(last), size)
        if length == 0:
            raise Unsatisfiable(header)
        return Part(size - length, size)
    start = int(first)
    if last and int(last) < start:
        return None
    if start >= size:
        raise Unsatisfiable(header)
    return Part(start, min(int(last) + 1, size) if last else size)

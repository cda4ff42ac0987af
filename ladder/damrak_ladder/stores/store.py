"""What a store can do, and the names that contents have in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Protocol

NAME: Final = re.compile("[0-9a-f]{64}")


class Store(Protocol):
    """Somewhere to keep contents. Putting in and getting out raise StoreUnreachable."""

    def put(self, name: str, data: bytes, *, replace: bool = False) -> None:
        """Keep it for good. What is there under this name remains, unless it is to be replaced."""

    def get(self, name: str) -> bytes | None:
        """What was put there; None if nothing was.

        Raises:
            ContentDamaged: it is seen to be something else.
        """

    def has(self, name: str) -> bool:
        """Whether something is there."""

    def names(self) -> Iterator[str]:
        """All that is there, in order of names."""

    def check(self) -> None:
        """See whether it can be used.

        Raises:
            StoreUnreachable
        """


def place_of(name: str, suffix: str = "") -> str:
    """Where this content lies in a folder, a bucket or a backup.

    Raises:
        ValueError: it is no name.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no SHA-256")
    return f"{name[:2]}/{name[2:]}{suffix}"


def name_at(place: str, suffix: str = "") -> str | None:
    """What lies there; None if that is no place of a content."""
    name = place.removesuffix(suffix).replace("/", "", 1)
    return name if NAME.fullmatch(name) and place == place_of(name, suffix) else None

"""The interface of stores, and the names of contents in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Protocol

NAME: Final = re.compile("[0-9a-f]{64}")


class Store(Protocol):
    """A store of contents. Reading and writing raise StoreUnreachable."""

    def put(self, name: str, data: bytes, *, replace: bool = False) -> None:
        """Store the data permanently; keep existing data of this name unless `replace` is set."""

    def get(self, name: str) -> bytes | None:
        """Return the data stored under this name, or None.

        Raises:
            ContentDamaged: it has evidently been changed.
        """

    def has(self, name: str) -> bool:
        """Return whether there is data under this name."""

    def names(self) -> Iterator[str]:
        """Return all names, in order."""

    def check(self) -> None:
        """Check that the store can be used.

        Raises:
            StoreUnreachable
        """


def place_of(name: str, suffix: str = "") -> str:
    """Return the path of a content in a folder, a bucket or a backup.

    Raises:
        ValueError: the name is not a SHA-256.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no SHA-256")
    return f"{name[:2]}/{name[2:]}{suffix}"


def name_at(place: str, suffix: str = "") -> str | None:
    """Return the name of the content at this path; None if it is not the path of a content."""
    name = place.removesuffix(suffix).replace("/", "", 1)
    return name if NAME.fullmatch(name) and place == place_of(name, suffix) else None

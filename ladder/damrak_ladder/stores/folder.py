"""A store of contents as files in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from damrak_ladder.installation.files import write_whole
from damrak_ladder.stores.store import name_at, place_of


@dataclass(frozen=True, slots=True)
class FolderStore:
    """A store of files, written atomically."""

    folder: Path
    suffix: str = ""

    def put(self, name: str, data: bytes, *, replace: bool = False) -> None:
        """Store the data permanently; keep existing data of this name unless `replace` is set."""
        path = self._path(name)
        if replace or not path.exists():
            write_whole(path, data)

    def get(self, name: str) -> bytes | None:
        """Return the data stored under this name, or None."""
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            return None

    def has(self, name: str) -> bool:
        """Return whether there is data under this name."""
        return self._path(name).exists()

    def names(self) -> Iterator[str]:
        """Yield all names, in order."""
        for path in sorted(self.folder.glob("??/*")):
            name = name_at(f"{path.parent.name}/{path.name}", self.suffix)
            if name is not None:
                yield name

    def check(self) -> None:
        """Do nothing: the store is available if the data folder is."""

    def _path(self, name: str) -> Path:
        return self.folder / place_of(name, self.suffix)

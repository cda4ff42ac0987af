"""Contents as files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from damrak_ladder.installation.files import write_whole
from damrak_ladder.stores.store import name_at, place_of


@dataclass(frozen=True, slots=True)
class FolderStore:
    """Keeps contents as files. Whoever dies while putting one in leaves the store as it was."""

    folder: Path
    suffix: str = ""

    def put(self, name: str, data: bytes, *, replace: bool = False) -> None:
        """Keep it for good. What is there under this name remains, unless it is to be replaced."""
        path = self._path(name)
        if replace or not path.exists():
            write_whole(path, data)

    def get(self, name: str) -> bytes | None:
        """What was put there; None if nothing was."""
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            return None

    def has(self, name: str) -> bool:
        """Whether something is there."""
        return self._path(name).exists()

    def names(self) -> Iterator[str]:
        """All that is there, in order of names."""
        for path in sorted(self.folder.glob("??/*")):
            name = name_at(f"{path.parent.name}/{path.name}", self.suffix)
            if name is not None:
                yield name

    def check(self) -> None:
        """It can be used as far as the data folder can."""

    def _path(self, name: str) -> Path:
        return self.folder / place_of(name, self.suffix)

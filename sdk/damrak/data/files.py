"""Files of replays: one replay as JSON, or one on each line (NDJSON), optionally compressed."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Final

from damrak.errors import DamrakError

Source = str | PathLike[str] | Iterable[str | PathLike[str]]
"""A file, a folder, a dump (a folder or the address of a site), or several of them."""

SINGLE: Final = (".json",)
LINES: Final = (".ndjson", ".ndjson.gz")
LONGEST: Final = 16 * 2**20  # bytes of one replay
CURE: Final = "download or play the match again, or leave it out"


class DamagedFile(DamrakError):
    """A file that is not what it should be; the message has its name, the cause and the remedy."""

    def __init__(self, name: str, problem: object, cure: str = CURE) -> None:
        super().__init__(f"{name}: {problem} (cure: {cure})")
        self.name = name


def places_of(source: Source) -> list[str]:
    """Return the files, folders and addresses of a source."""
    several = [source] if isinstance(source, str | PathLike) else source
    return [fspath(place) for place in several]


def files_of(place: str) -> Iterator[Path]:
    """Yield the files of replays in a file or folder, in the order of their names.

    Only files directly in a folder are read. The folder `faults` of `damrak play --save` contains
    repro bundles, which are not replays.

    Raises:
        FileNotFoundError: a file or folder does not exist.
        DamagedFile: a file has an unknown type, or a folder contains no replays.
    """
    path = Path(place)
    if not path.is_dir():
        yield _checked(path)
        return
    found = sorted(it for it in path.iterdir() if it.name.endswith((*SINGLE, *LINES)))
    if not found:
        problem = "this folder contains no replays (*.json, *.ndjson) and no dump (index.json)"
        raise DamagedFile(str(path), problem, "name another folder")
    yield from found


def replays_in(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name (with the line, if there are several) and content of each replay in a file.

    Raises:
        DamagedFile: the file is not compressed correctly, or a replay is too long.
    """
    if path.name.endswith(SINGLE):
        with path.open("rb") as file:
            # With the longest size, memory for it would be reserved for each file.
            most = min(LONGEST, os.fstat(file.fileno()).st_size) + 1
            yield str(path), _whole(str(path), file.read(most))
        return
    yield from lines_of(str(path), path, is_compressed=path.name.endswith(".gz"))


def lines_of(name: str, path: Path, *, is_compressed: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a file, each with its name.

    Raises:
        DamagedFile: the file is not compressed correctly, or a line is too long.
    """
    with gzip.open(path, "rb") if is_compressed else path.open("rb") as file:
        number = 0
        while True:
            number += 1
            line_name = f"{name}, line {number}"
            try:
                line = file.readline(LONGEST + 1)
            except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
                raise DamagedFile(line_name, f"cannot be decompressed ({problem})") from None
            if not line:
                return
            yield line_name, _whole(line_name, line)


def _checked(path: Path) -> Path:
    if not path.exists():
        raise FileNotFoundError(2, "no such file or folder", str(path))
    if not path.name.endswith((*SINGLE, *LINES)):
        problem = f"expected a file *{', *'.join((*SINGLE, *LINES))}"
        raise DamagedFile(str(path), problem, "name another file")
    return path


def _whole(name: str, data: bytes) -> bytes:
    if len(data) > LONGEST:
        raise DamagedFile(name, f"a replay has at most {LONGEST:,} bytes")
    return data

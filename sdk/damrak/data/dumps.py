"""Dumps of a site's open data: a folder, or the address of a site (docs/data.md).

Each file is verified against its size and SHA-256 before it is read. Files of a site are downloaded
one at a time to a temporary file.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import shutil
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from damrak.data.files import DamagedFile, lines_of
from damrak.errors import DamrakError

INDEX: Final = "index.json"
FORMAT: Final = "damrak-dump/1"
TIMEOUT_S: Final = 60
LONGEST_INDEX: Final = 256 * 2**20
AGAIN: Final = "download it again"
_BLOCK: Final = 2**20

Ratings = dict[tuple[str | None, str, str], float]
"""The published Elo by ladder, bot and version; the ladder None is the one with the most games."""


class SiteUnreachable(DamrakError):
    """A site cannot be reached; the message begins with the address."""


@dataclass(frozen=True, slots=True)
class DumpFile:
    """A file that the index of a dump lists."""

    path: str
    table: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Dump:
    """A dump in a folder or on a site, with its NDJSON files."""

    place: str
    """The folder with a final slash, or the address of the folder."""
    files: tuple[DumpFile, ...]

    @property
    def is_remote(self) -> bool:
        """Whether the files have to be downloaded."""
        return is_address(self.place)

    def lines(self, table: str) -> Iterator[tuple[str, bytes]]:
        """Yield the lines of a table with their names, day by day.

        Raises:
            DamagedFile: a file is missing or has another content than the index says.
            SiteUnreachable: a file cannot be downloaded.
        """
        for file in self.files:
            if file.table == table:
                with self._verified(file) as (name, path):
                    yield from lines_of(name, path, is_compressed=True)

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table."""
        for name, line in self.lines(table):
            yield _object(name, line)

    def ratings(self) -> Ratings:
        """Return the published ratings at tables of all sizes."""
        found: Ratings = {}
        games: dict[tuple[str, str], int] = {}
        for row in self.rows("standings"):
            if row["seats"] != 0:
                continue
            bot, version = row["bot"], str(row["version"])
            found[row["ladder"], bot, version] = float(row["elo"])
            if row["games"] >= games.get((bot, version), 0):
                games[bot, version] = row["games"]
                found[None, bot, version] = float(row["elo"])
        return found

    @contextmanager
    def _verified(self, file: DumpFile) -> Iterator[tuple[str, Path]]:
        name = f"{self.place}{file.path}"
        if not self.is_remote:
            path = Path(self.place) / file.path
            if not path.is_file():
                problem = "this file of the dump is missing"
                raise DamagedFile(name, problem, f"{AGAIN}, or make the dump again")
            _check(name, path, file)
            yield name, path
            return
        with tempfile.TemporaryDirectory(prefix="damrak-data-") as folder:
            path = Path(folder) / "file"
            with _opened(name) as answer, path.open("wb") as out:
                shutil.copyfileobj(answer, out, _BLOCK)
            _check(name, path, file)
            yield name, path


def is_address(place: str) -> bool:
    """Return whether a source is the address of a site."""
    return urlsplit(place).scheme in {"http", "https"}


def dump_at(place: str) -> Dump | None:
    """Return the dump in a folder or on a site; None if the folder contains none.

    Raises:
        DamagedFile: the index cannot be read.
        SiteUnreachable: the index cannot be downloaded.
    """
    if is_address(place):
        home = _home(place)
        with _opened(urljoin(home, INDEX)) as answer:
            data = answer.read(LONGEST_INDEX + 1)
    else:
        index = Path(place) / INDEX
        if not index.is_file():
            return None
        home, data = f"{Path(place)}/", index.read_bytes()
    return Dump(home, _listed(f"{home}{INDEX}", data))


def _home(place: str) -> str:
    """Return the address of the folder: of a site, of its page, or of its index."""
    parts = urlsplit(place)
    if parts.path.endswith(f"/{INDEX}"):
        return place.removesuffix(INDEX)
    return urljoin(place, "/data/")


def _listed(name: str, data: bytes) -> tuple[DumpFile, ...]:
    raw = _object(name, data)
    try:
        if raw["format"] != FORMAT:
            raise ValueError(f"expected the format {FORMAT}")
        files = [it for it in raw["files"] if it["format"] == "ndjson"]
        return tuple(
            [DumpFile(_inside(it["path"]), it["table"], it["bytes"], it["sha256"]) for it in files]
        )
    except (LookupError, TypeError, ValueError) as problem:
        raise DamagedFile(name, f"is not the index of a dump ({problem})", AGAIN) from None


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if len(parts) != 2 or ".." in parts or urlsplit(path).scheme:
        raise ValueError(f"{path!r} is not the path of a file")
    return path


def _object(name: str, data: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise DamagedFile(name, f"is not JSON ({problem})", AGAIN) from None
    if not isinstance(raw, dict):
        raise DamagedFile(name, "an object was expected", AGAIN)
    return raw


def _check(name: str, path: Path, file: DumpFile) -> None:
    size = path.stat().st_size
    if size != file.bytes:
        problem = f"has {size:,} bytes instead of {file.bytes:,}"
        raise DamagedFile(name, problem, AGAIN)
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if digest != file.sha256:
        problem = f"has the SHA-256 {digest[:16]}… instead of {file.sha256[:16]}…"
        raise DamagedFile(name, problem, AGAIN)


@contextmanager
def _opened(address: str) -> Iterator[Any]:
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT_S) as answer:  # noqa: S310 - http(s)
            yield answer
    except urllib.error.HTTPError as problem:
        cure = "is this the address of a site, and does /data/ list this file?"
        raise SiteUnreachable(f"{address}: {problem.code} {problem.reason} ({cure})") from None
    except (OSError, http.client.HTTPException) as problem:
        cause = getattr(problem, "reason", None) or problem
        raise SiteUnreachable(f"{address}: {cause} (is the site running?)") from None

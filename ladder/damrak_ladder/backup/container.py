"""The backup file format: a tar compressed with Zstandard, readable without this software.

damrak-backup.json    description: format, software, tables
keys/…                the keys of the installation
tables/APP.MODEL/N    rows, one JSON array per line, in pieces
archives/…            archives of uploaded bots
replays/…             replays; like archives, independent of the kind of store
checksums.json        the SHA-256 of everything above
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import zstandard

from damrak_ladder.backup.errors import BackupDamaged, BackupForeign

FORMAT: Final = "damrak-backup/1"
HEADER: Final = "damrak-backup.json"
CHECKSUMS: Final = "checksums.json"
LARGEST_MEMBER: Final = 512 * 1024 * 1024

_NAME: Final = re.compile(
    r"damrak-backup\.json|checksums\.json|keys/[a-z-]{1,40}"
    r"|tables/[a-z_]{1,60}\.[a-z0-9_]{1,100}/[0-9]{6,9}"
    r"|(archives|replays)/[0-9a-f]{2}/[0-9a-f]{62}(\.json\.zst)?"
)


class Writer:
    """Writes the members of a file, which becomes visible only when it is complete and on disk."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._sums: dict[str, str] = {}

    def add(self, name: str, data: bytes) -> None:
        """Add a member."""
        if not _NAME.fullmatch(name) or name in self._sums:
            raise ValueError(f"{name!r} cannot be the name of a member")
        self._sums[name] = hashlib.sha256(data).hexdigest()
        self._put(name, data)

    def add_json(self, name: str, value: object) -> None:
        """Add a member in JSON."""
        self.add(name, json.dumps(value, indent=1, sort_keys=True).encode())

    def finish(self) -> None:
        """Write the checksums."""
        self._put(CHECKSUMS, json.dumps(self._sums, indent=1, sort_keys=True).encode())

    def _put(self, name: str, data: bytes) -> None:
        member = tarfile.TarInfo(name)
        member.size = len(data)
        member.mode = 0o600
        self._tar.addfile(member, io.BytesIO(data))


@contextmanager
def written(path: Path) -> Iterator[Writer]:
    """Write a file atomically, readable only for its owner."""
    # Created exclusively under a random name: no other user of the folder can have prepared it.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            compressor = zstandard.ZstdCompressor(level=6, write_checksum=True)
            with (
                compressor.stream_writer(file, closefd=False) as stream,
                tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar,
            ):
                writer = Writer(tar)
                yield writer
                writer.finish()
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the members of a file, in the order in which they were written.

    Raises:
        BackupForeign: it is not a backup.
        BackupDamaged: it cannot be read to its end.
    """
    try:
        with (
            path.open("rb") as file,
            zstandard.ZstdDecompressor().stream_reader(file) as stream,
        ):
            # Not TarFile, which reads extended headers of any length into memory before it returns.
            while (header := _exactly(stream, tarfile.BLOCKSIZE)).strip(tarfile.NUL):
                member = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
                if not member.isreg() or member.issparse() or not _NAME.fullmatch(member.name):
                    raise BackupForeign(f"{path}: {member.name!r} is in no backup")
                if member.size > LARGEST_MEMBER:
                    raise BackupDamaged(f"{path}: {member.name} is too big")
                yield member.name, _exactly(stream, member.size)
                _exactly(stream, -member.size % tarfile.BLOCKSIZE)
    except tarfile.HeaderError as problem:
        raise BackupForeign(f"{path}: is not a backup, or not a whole one: {problem}") from None
    except (zstandard.ZstdError, EOFError) as problem:
        raise BackupDamaged(f"{path}: is not a backup, or not a whole one: {problem}") from None


def _exactly(stream: zstandard.ZstdDecompressionReader, size: int) -> bytes:
    """Return the next `size` bytes.

    Raises:
        EOFError: the stream is shorter.
    """
    data = stream.read(size) if size else b""
    if len(data) < size:
        raise EOFError("unexpected end of the file")
    return data


def verified(path: Path) -> dict[str, Any]:
    """Read a file to its end, verify it, and return its header.

    Raises:
        BackupForeign, BackupDamaged
    """
    found: dict[str, str] = {}
    header: dict[str, Any] | None = None
    told: Any = None
    for name, data in members(path):
        if header is None:
            header = _header(path, name, data)
        if told is not None or name in found:
            raise BackupDamaged(f"{path}: {name} stands where nothing should")
        if name == CHECKSUMS:
            told = _read(path, name, data)
        else:
            found[name] = hashlib.sha256(data).hexdigest()
    if header is None or told is None:
        raise BackupDamaged(f"{path}: its end is missing")
    if told != found:
        wrong = sorted(name for name in {*told, *found} if told.get(name) != found.get(name))
        raise BackupDamaged(f"{path}: {wrong[0]} is not what was written")
    return header


def _header(path: Path, name: str, data: bytes) -> dict[str, Any]:
    header = _read(path, name, data) if name == HEADER else {}
    if header.get("format") != FORMAT:
        raise BackupForeign(f"{path}: is not a backup of the format {FORMAT}")
    kinds = {"created": str, "software": str, "tables": dict, "migrations": list}
    for key, kind in kinds.items():
        if not isinstance(header.get(key), kind):
            raise BackupDamaged(f"{path}: {name} does not say {key}")
    return header


def _read(path: Path, name: str, data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BackupDamaged(f"{path}: {name} cannot be read")
    return found

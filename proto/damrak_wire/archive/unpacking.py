"""Unpacking of untrusted archives.

An archive may contain only files and folders, with names that mean the same on every system. It is
untrusted input: all its metadata is checked while it is read.
"""

from __future__ import annotations

import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Final, Protocol, cast

from damrak_wire.archive.errors import ArchiveRefused
from damrak_wire.archive.limits import MIB, Limits
from damrak_wire.archive.manifest import Manifest, Sink, read_manifest

_CHUNK: Final = 1 << 16
_TAR_BLOCK: Final = 512
_TAR_SLACK: Final = 4096  # bytes of headers and padding per file
_ZIP_MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZIP_KINDS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ZIP_UTF_8: Final = 0x800
_ZIP_ENCRYPTED: Final = 0x1
_SPECIAL_BITS: Final = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
_JUNK_FOLDER: Final = "__MACOSX"
_JUNK_FILE: Final = ".DS_Store"


def unpack(source: IO[bytes], size: int, sink: Sink, limits: Limits) -> Manifest:
    """Unpack an archive of `size` bytes into the sink.

    Raises:
        ArchiveRefused: it breaks a rule; discard what was written so far.
    """
    if size > limits.archive_mb * MIB:
        raise ArchiveRefused(f"the archive is larger than {limits.archive_mb} MiB")
    magic = source.read(4)
    source.seek(0)
    unpacking = _Unpacking(size, sink, limits)
    try:
        if magic in _ZIP_MAGIC:
            _unzip(source, unpacking)
        elif magic.startswith(_GZIP_MAGIC):
            with gzip.GzipFile(fileobj=source) as plain:
                _untar(plain, unpacking, limits)
        else:
            _untar(source, unpacking, limits)
    except (EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError) as problem:
        raise ArchiveRefused(f"the archive is damaged or cut off: {problem}") from None
    except (
        *(gzip.BadGzipFile, NotImplementedError, ValueError, RuntimeError),
        OverflowError,  # numbers too large for the machine
    ) as problem:
        raise ArchiveRefused(f"the archive cannot be read: {problem}") from None
    except MemoryError:
        raise ArchiveRefused("the archive takes too much memory to be read") from None
    return read_manifest(unpacking.files, sink)


class _Unpacking:
    """State of unpacking an archive, with checks of its limits."""

    def __init__(self, size: int, sink: Sink, limits: Limits) -> None:
        self.files: set[str] = set()
        self._folders: set[str] = set()
        self._entries = 0
        self._bytes = 0
        self._size = size
        self._sink = sink
        self._limits = limits

    def name(self, said: str) -> str | None:
        """Return the normalised name; None if there is nothing to unpack.

        Raises:
            ArchiveRefused: the name is not permitted, or there are too many entries.
        """
        self._entries += 1
        if self._entries > self._limits.archive_files:
            raise ArchiveRefused(f"there are more than {self._limits.archive_files} files in it")
        shown = ascii(said)[:80]
        if not said.isprintable():
            raise ArchiveRefused(f"a name is not plain UTF-8 text: {shown}")
        if said.startswith("/") or "\\" in said or said[1:2] == ":":
            raise ArchiveRefused(f"a name is not relative, with / between folders: {shown}")
        parts = said.removeprefix("./").rstrip("/").split("/")
        if parts in ([""], ["."]):
            return None
        if any(part in ("", ".", "..") for part in parts):
            raise ArchiveRefused(f"a name leads elsewhere: {shown}")
        name = "/".join(parts)
        if len(parts) > self._limits.path_depth or len(name.encode()) > self._limits.path_bytes:
            raise ArchiveRefused(f"a name is too long or too deep: {shown}")
        return None if parts[0] == _JUNK_FOLDER or parts[-1] == _JUNK_FILE else name

    def folder(self, name: str) -> None:
        """Create a folder and its parents."""
        for place in _above(name + "/"):
            if place in self.files:
                raise ArchiveRefused(f"{place!a} is both a file and a folder")
            if place not in self._folders:
                self._folders.add(place)
                self._sink.folder(place)

    def file(self, name: str, size: int, mode: int, content: IO[bytes]) -> None:
        """Unpack a file, which must have the size that the archive declares."""
        if name in self.files or name in self._folders:
            raise ArchiveRefused(f"{name!a} is there twice")
        self._has_room(size)
        if "/" in name:
            self.folder(name.rpartition("/")[0])
        self.files.add(name)
        with self._sink.file(name, bool(mode & stat.S_IXUSR)) as target:
            written = 0
            while data := content.read(_CHUNK):
                written += len(data)
                self._has_room(written)
                target.write(data)
        if written != size:
            raise ArchiveRefused(f"{name!a} is not as long as the archive says")
        self._bytes += written

    def _has_room(self, more: int) -> None:
        total, limits = self._bytes + more, self._limits
        if total > limits.unpacked_mb * MIB:
            raise ArchiveRefused(f"it holds more than {limits.unpacked_mb} MiB")
        if total > limits.archive_ratio * max(self._size, 1 << 14):
            raise ArchiveRefused(f"it holds more than {limits.archive_ratio} times its own size")


def _unzip(source: IO[bytes], unpacking: _Unpacking) -> None:
    with zipfile.ZipFile(source) as archive:
        for info in archive.infolist():
            if info.filename != info.orig_filename or not (
                info.filename.isascii() or info.flag_bits & _ZIP_UTF_8
            ):
                raise ArchiveRefused(f"a name is not plain UTF-8 text: {ascii(info.filename)[:80]}")
            name = unpacking.name(info.filename)
            mode = info.external_attr >> 16
            _check_mode(info.filename, mode)
            if name is None:
                continue
            if info.is_dir() or stat.S_ISDIR(mode):
                unpacking.folder(name)
                continue
            if info.flag_bits & _ZIP_ENCRYPTED:
                raise ArchiveRefused("the archive is encrypted")
            if info.compress_type not in _ZIP_KINDS:
                raise ArchiveRefused("zip archives have to be stored or deflated")
            if info.header_offset < 0:  # an offset before the start of the file
                raise zipfile.BadZipFile(f"no place for {ascii(info.filename)[:80]}")
            with archive.open(info) as content:
                unpacking.file(name, info.file_size, mode, content)


def _untar(source: _Readable, unpacking: _Unpacking, limits: Limits) -> None:
    bounded = _Bounded(source, limits)
    # A stream only needs `read`, although the stubs require more.
    with tarfile.open(fileobj=cast(IO[bytes], bounded), mode="r|") as archive:
        for info in archive:
            name = unpacking.name(info.name)
            if info.issym() or info.islnk():
                raise ArchiveRefused(f"links are not taken: {ascii(info.name)[:80]}")
            if info.isdir():
                _check_mode(info.name, stat.S_IFDIR | info.mode)
                if name is not None:
                    unpacking.folder(name)
                continue
            if not info.isreg() or info.issparse():
                raise ArchiveRefused(f"not a file or folder: {ascii(info.name)[:80]}")
            _check_mode(info.name, stat.S_IFREG | info.mode)
            content = archive.extractfile(info)
            assert content is not None
            if name is not None:
                unpacking.file(name, info.size, info.mode, content)
    if not bounded.tail.endswith(bytes(_TAR_BLOCK)):
        raise ArchiveRefused("the archive is cut off: it has no end")


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""


class _Bounded:
    """A stream that limits the total size of an archive's content."""

    def __init__(self, source: _Readable, limits: Limits) -> None:
        self.tail = b""
        self._source = source
        self._left = limits.unpacked_mb * MIB + limits.archive_files * _TAR_SLACK
        self._most = limits.unpacked_mb

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        data = self._source.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise ArchiveRefused(f"it holds more than {self._most} MiB")
        self.tail = (self.tail + data)[-_TAR_BLOCK:]
        return data


def _check_mode(name: str, mode: int) -> None:
    kind = stat.S_IFMT(mode)
    if kind == stat.S_IFLNK:
        raise ArchiveRefused(f"links are not taken: {ascii(name)[:80]}")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise ArchiveRefused(f"not a file or folder: {ascii(name)[:80]}")
    if mode & _SPECIAL_BITS:
        raise ArchiveRefused(f"setuid, setgid and sticky bits are not taken: {ascii(name)[:80]}")


def _above(name: str) -> Iterator[str]:
    """Yield the parent folders of this name, from the top."""
    place = name.find("/")
    while place > 0:
        yield name[:place]
        place = name.find("/", place + 1)

"""Extraction of untrusted archives.

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
from collections.abc import Iterator, Mapping
from typing import IO, Final, Protocol, cast

from damrak_archive.errors import ArchiveRefused
from damrak_archive.limits import CEILING, MIB, NO_RUNTIMES, ArchiveLimits, Limits, RuntimeLimits
from damrak_archive.manifest import DESCRIPTION, Manifest, Sink, read_manifest

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


def unpack(
    source: IO[bytes],
    size: int,
    sink: Sink,
    limits: Limits,
    runtimes: Mapping[str, RuntimeLimits] | None = NO_RUNTIMES,
) -> Manifest:
    """Unpack an archive of `size` bytes into the sink.

    `runtimes` are the optional runtimes with their limits; if it is None, every name is accepted,
    with the highest limits.

    Raises:
        ArchiveRefused: it breaks a rule; discard what was written so far.
    """
    bounds = _highest(limits, runtimes)
    _check_size(size, bounds.archive_mb)
    magic = source.read(4)
    source.seek(0)
    extraction = _Extraction(size, sink, bounds)
    try:
        if magic in _ZIP_MAGIC:
            _unzip(source, extraction)
        elif magic.startswith(_GZIP_MAGIC):
            with gzip.GzipFile(fileobj=source) as plain:
                _untar(plain, extraction, bounds)
        else:
            _untar(source, extraction, bounds)
    except (EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError) as problem:
        raise ArchiveRefused("archive-damaged", problem=str(problem)) from None
    except (
        *(gzip.BadGzipFile, NotImplementedError, ValueError, RuntimeError),
        OverflowError,  # numbers too large for the machine
    ) as problem:
        raise ArchiveRefused("archive-invalid", problem=str(problem)) from None
    except MemoryError:
        raise ArchiveRefused("archive-too-demanding") from None
    return _checked(read_manifest(extraction.files, sink), extraction, limits, runtimes)


def _highest(limits: Limits, runtimes: Mapping[str, RuntimeLimits] | None) -> Limits:
    """Return the limits while the chosen runtime is not known."""
    others = [CEILING] if runtimes is None else runtimes.values()
    return ArchiveLimits(
        archive_mb=max([limits.archive_mb, *(one.archive_mb for one in others)]),
        unpacked_mb=max([limits.unpacked_mb, *(one.unpacked_mb for one in others)]),
        archive_files=limits.archive_files,
        archive_ratio=limits.archive_ratio,
        path_bytes=limits.path_bytes,
        path_depth=limits.path_depth,
    )


def _checked(
    manifest: Manifest,
    extraction: _Extraction,
    limits: Limits,
    runtimes: Mapping[str, RuntimeLimits] | None,
) -> Manifest:
    """Return the manifest if the archive is within the limits of its runtime."""
    chosen = limits if manifest.runtime is None else _chosen(manifest.runtime, runtimes)
    _check_size(extraction.size, chosen.archive_mb)
    if extraction.bytes > chosen.unpacked_mb * MIB:
        raise ArchiveRefused("archive-holds-too-much", mebibytes=chosen.unpacked_mb)
    return manifest


def _check_size(size: int, mebibytes: int) -> None:
    if size > mebibytes * MIB:
        raise ArchiveRefused("archive-too-large", mebibytes=mebibytes)


def _chosen(name: str, runtimes: Mapping[str, RuntimeLimits] | None) -> RuntimeLimits:
    """Return the limits of an optional runtime.

    Raises:
        ArchiveRefused: there is no such runtime.
    """
    if runtimes is None:
        return CEILING
    if name in runtimes:
        return runtimes[name]
    if not runtimes:
        raise ArchiveRefused("runtimes-missing", runtime=name, description=DESCRIPTION)
    raise ArchiveRefused(
        "runtime-missing",
        runtime=name,
        available=", ".join(sorted(runtimes)),
        description=DESCRIPTION,
    )


class _Extraction:
    """State of an extraction, with checks of its limits."""

    def __init__(self, size: int, sink: Sink, limits: Limits) -> None:
        self.files: set[str] = set()
        self._folders: set[str] = set()
        self._entries = 0
        self.bytes = 0
        self.size = size
        self._sink = sink
        self._limits = limits

    def name(self, said: str) -> str | None:
        """Return the normalised name; None if there is nothing to unpack.

        Raises:
            ArchiveRefused: the name is not permitted, or there are too many entries.
        """
        self._entries += 1
        if self._entries > self._limits.archive_files:
            raise ArchiveRefused("archive-files", limit=self._limits.archive_files)
        shown = _shown(said)
        if not said.isprintable():
            raise ArchiveRefused("archive-name-encoding", name=shown)
        if said.startswith("/") or "\\" in said or said[1:2] == ":":
            raise ArchiveRefused("archive-name-absolute", name=shown)
        parts = said.removeprefix("./").rstrip("/").split("/")
        if parts in ([""], ["."]):
            return None
        if any(part in ("", ".", "..") for part in parts):
            raise ArchiveRefused("archive-name-outside", name=shown)
        name = "/".join(parts)
        if len(parts) > self._limits.path_depth or len(name.encode()) > self._limits.path_bytes:
            raise ArchiveRefused("archive-name-length", name=shown)
        return None if parts[0] == _JUNK_FOLDER or parts[-1] == _JUNK_FILE else name

    def folder(self, name: str) -> None:
        """Create a folder and its parents."""
        for place in _above(name + "/"):
            if place in self.files:
                raise ArchiveRefused("archive-file-and-folder", name=ascii(place))
            if place not in self._folders:
                self._folders.add(place)
                self._sink.folder(place)

    def file(self, name: str, size: int, mode: int, content: IO[bytes]) -> None:
        """Unpack a file, which must have the size that the archive declares."""
        if name in self.files or name in self._folders:
            raise ArchiveRefused("archive-name-twice", name=ascii(name))
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
            raise ArchiveRefused("archive-file-length", name=ascii(name))
        self.bytes += written

    def _has_room(self, more: int) -> None:
        total, limits = self.bytes + more, self._limits
        if total > limits.unpacked_mb * MIB:
            raise ArchiveRefused("archive-holds-too-much", mebibytes=limits.unpacked_mb)
        if total > limits.archive_ratio * max(self.size, 1 << 14):
            raise ArchiveRefused("archive-ratio", times=limits.archive_ratio)


def _unzip(source: IO[bytes], extraction: _Extraction) -> None:
    with zipfile.ZipFile(source) as archive:
        for info in archive.infolist():
            if info.filename != info.orig_filename or not (
                info.filename.isascii() or info.flag_bits & _ZIP_UTF_8
            ):
                raise ArchiveRefused("archive-name-encoding", name=_shown(info.filename))
            name = extraction.name(info.filename)
            mode = info.external_attr >> 16
            _check_mode(info.filename, mode)
            if name is None:
                continue
            if info.is_dir() or stat.S_ISDIR(mode):
                extraction.folder(name)
                continue
            if info.flag_bits & _ZIP_ENCRYPTED:
                raise ArchiveRefused("archive-encrypted")
            if info.compress_type not in _ZIP_KINDS:
                raise ArchiveRefused("archive-compression")
            if info.header_offset < 0:  # an offset before the start of the file
                raise zipfile.BadZipFile(f"no place for {ascii(info.filename)[:80]}")
            with archive.open(info) as content:
                extraction.file(name, info.file_size, mode, content)


def _untar(source: _Readable, extraction: _Extraction, limits: Limits) -> None:
    bounded = _Bounded(source, limits)
    # A stream only needs `read`, although the stubs require more.
    with tarfile.open(fileobj=cast(IO[bytes], bounded), mode="r|") as archive:
        for info in archive:
            name = extraction.name(info.name)
            if info.issym() or info.islnk():
                raise ArchiveRefused("archive-link", name=_shown(info.name))
            if info.isdir():
                _check_mode(info.name, stat.S_IFDIR | info.mode)
                if name is not None:
                    extraction.folder(name)
                continue
            if not info.isreg() or info.issparse():
                raise ArchiveRefused("archive-special-file", name=_shown(info.name))
            _check_mode(info.name, stat.S_IFREG | info.mode)
            content = archive.extractfile(info)
            assert content is not None
            if name is not None:
                extraction.file(name, info.size, info.mode, content)
    if not bounded.tail.endswith(bytes(_TAR_BLOCK)):
        raise ArchiveRefused("archive-damaged", problem="it has no end")


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
            raise ArchiveRefused("archive-holds-too-much", mebibytes=self._most)
        self.tail = (self.tail + data)[-_TAR_BLOCK:]
        return data


def _check_mode(name: str, mode: int) -> None:
    kind = stat.S_IFMT(mode)
    if kind == stat.S_IFLNK:
        raise ArchiveRefused("archive-link", name=_shown(name))
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise ArchiveRefused("archive-special-file", name=_shown(name))
    if mode & _SPECIAL_BITS:
        raise ArchiveRefused("archive-mode-bits", name=_shown(name))


def _shown(name: str) -> str:
    return ascii(name)[:80]


def _above(name: str) -> Iterator[str]:
    """Yield the parent folders of this name, from the top."""
    place = name.find("/")
    while place > 0:
        yield name[:place]
        place = name.find("/", place + 1)

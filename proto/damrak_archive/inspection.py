"""Inspection of an archive without keeping its files.

    python -m damrak_archive.inspection [RUNTIMES] < ARCHIVE

prints one line of JSON about a file on standard input. RUNTIMES is a JSON object with the limits of
optional runtimes by name: `{"torch": {"archive_mb": 64, "unpacked_mb": 256}}`. Services run it as a
process, because reading an untrusted archive may exhaust memory or time; this way only this process
ends.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import IO, Final

from damrak_archive.errors import ArchiveRefused
from damrak_archive.extraction import unpack
from damrak_archive.limits import MIB, NO_RUNTIMES, STANDARD, Limits, RuntimeLimits
from damrak_archive.manifest import DESCRIPTION, Manifest

if sys.platform != "win32":
    import resource

_MEMORY: Final = 512 * MIB
_SECONDS: Final = 30
_KEPT: Final = 128 * 1024
_ELF: Final = b"\x7fELF"

LANGUAGES: Final = {
    "c": "C",
    "cc": "C++",
    "cpp": "C++",
    "cs": "C#",
    "ex": "Elixir",
    "go": "Go",
    "hs": "Haskell",
    "java": "Java",
    "jl": "Julia",
    "js": "JavaScript",
    "kt": "Kotlin",
    "lua": "Lua",
    "mjs": "JavaScript",
    "ml": "OCaml",
    "nim": "Nim",
    "pl": "Perl",
    "py": "Python",
    "rb": "Ruby",
    "rs": "Rust",
    "ts": "TypeScript",
    "zig": "Zig",
}
_PROGRAMS: Final = {
    "bash": "shell",
    "java": "Java",
    "node": "JavaScript",
    "perl": "Perl",
    "ruby": "Ruby",
    "sh": "shell",
}


@dataclass(frozen=True, slots=True)
class Inspection:
    """The contents of an archive, in summary."""

    files: int
    bytes: int
    language: str
    class_name: str | None
    run: tuple[str, ...] | None
    runtime: str | None

    @property
    def summary(self) -> str:
        """A short description for people."""
        counted = f"{self.files} file{'' if self.files == 1 else 's'}"
        if self.run is None:
            named = "" if self.class_name is None else f", the class {self.class_name}"
            return f"a Python bot{named}, {counted}"
        return f"a program in {self.language}, run as {' '.join(self.run)}, {counted}"


def inspect(
    source: IO[bytes],
    size: int,
    limits: Limits = STANDARD,
    runtimes: Mapping[str, RuntimeLimits] | None = NO_RUNTIMES,
) -> Inspection:
    """Return a summary of an archive of `size` bytes; see `unpack` for `runtimes`.

    Raises:
        ArchiveRefused: it breaks a rule.
    """
    seen = _Seen()
    manifest = unpack(source, size, seen, limits, runtimes)
    return Inspection(
        files=len(seen.heads),
        bytes=sum(file.written for file in seen.heads.values()),
        language=_language(manifest, seen),
        class_name=manifest.class_name,
        run=manifest.run,
        runtime=manifest.runtime,
    )


class _Head(io.RawIOBase):
    """A file that keeps the first bytes written to it, and counts all of them."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.head = b""
        self.written = 0
        self._most = most

    def writable(self) -> bool:
        return True

    def write(self, data: bytes, /) -> int:  # type: ignore[override]  # only bytes are written
        self.head += data[: max(0, self._most - len(self.head))]
        self.written += len(data)
        return len(data)

    def close(self) -> None:
        """Do nothing: the kept bytes are read later."""


class _Seen:
    """A sink that keeps the names of files, and the description in full."""

    def __init__(self) -> None:
        self.heads: dict[str, _Head] = {}

    def folder(self, name: str) -> None:
        """Do nothing."""

    def file(self, name: str, executable: bool) -> IO[bytes]:
        """Return a file that keeps the first bytes only."""
        is_description = name.rpartition("/")[2] == DESCRIPTION and name.count("/") < 2
        head = self.heads[name] = _Head(_KEPT if is_description else len(_ELF))
        return head  # type: ignore[return-value]  # implements the methods that are used

    def read(self, name: str, limit: int) -> bytes:
        """Return the beginning of a file."""
        return self.heads[name].head[:limit]

    def make_executable(self, name: str) -> None:
        """Do nothing."""


def _language(manifest: Manifest, seen: _Seen) -> str:
    """Return the language of a program, guessed from its files."""
    if manifest.run is None:
        return "Python"
    for word in manifest.run:
        program = word.rpartition("/")[2]
        if program.startswith("python"):
            return "Python"
        if program in _PROGRAMS:
            return _PROGRAMS[program]
        suffix = program.rpartition(".")[2]
        if suffix in LANGUAGES and "." in program:
            return LANGUAGES[suffix]
    sources = Counter(LANGUAGES.get(name.rpartition(".")[2]) for name in seen.heads)
    del sources[None]
    if sources:
        return str(sources.most_common(1)[0][0])
    program = manifest.folder + manifest.run[0].removeprefix("./")
    head = seen.heads.get(program)
    return "machine code" if head is not None and head.head == _ELF else "another language"


def _limit_itself() -> None:
    if sys.platform == "win32":
        return
    for what, bound in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, _SECONDS),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # they may be lower already
            resource.setrlimit(what, (bound, bound))


def _runtimes(arguments: Sequence[str]) -> Mapping[str, RuntimeLimits]:
    if not arguments:
        return NO_RUNTIMES
    return {name: RuntimeLimits(**said) for name, said in json.loads(arguments[0]).items()}


def main() -> None:
    """Inspect the archive on standard input, which must be a file."""
    _limit_itself()
    source = sys.stdin.buffer
    try:
        size = os.fstat(source.fileno()).st_size
        said = asdict(inspect(source, size, runtimes=_runtimes(sys.argv[1:])))
    except ArchiveRefused as refusal:
        said = {"refused": {"code": refusal.code, "parameters": refusal.parameters}}
    sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()

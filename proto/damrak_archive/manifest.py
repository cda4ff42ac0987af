"""Manifest of an archive: the kind of bot in it, and how to run it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, Final, Protocol

from damrak_archive.errors import ArchiveRefused

ENTRY: Final = "bot.py"
DESCRIPTION: Final = "damrak.toml"
RUNTIME: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")
"""The names of optional runtimes."""

_DESCRIPTION_LIMIT: Final = 64 * 1024
_WORDS: Final = 64
_COMMAND_LENGTH: Final = 4096


@dataclass(frozen=True, slots=True)
class Manifest:
    """How an unpacked bot is run: `run` is a command, None for a Python bot.

    `folder` is its location in the archive: empty for the top, or the only top-level folder.
    `runtime` is the name of an optional runtime, None for the default one.
    """

    folder: str
    run: tuple[str, ...] | None
    class_name: str | None
    runtime: str | None = None


class Sink(Protocol):
    """Protocol of a destination of unpacked files. Names are already checked."""

    def folder(self, name: str) -> None:
        """Create a folder unless it exists."""

    def file(self, name: str, executable: bool) -> IO[bytes]:
        """Return a new file, open for writing."""

    def read(self, name: str, limit: int) -> bytes:
        """Return at most `limit` bytes from the start of a file that was written."""

    def make_executable(self, name: str) -> None:
        """Make a file executable."""


def read_manifest(files: set[str], sink: Sink) -> Manifest:
    """Return the manifest of the bot in these files.

    Raises:
        ArchiveRefused: there is no bot, or its description is invalid.
    """
    folder = _bot_folder(files)
    if folder + DESCRIPTION not in files:
        return Manifest(folder, None, None)
    said = _description(sink.read(folder + DESCRIPTION, _DESCRIPTION_LIMIT + 1))
    if unknown := sorted(said.keys() - {"run", "class", "runtime"}):
        raise ArchiveRefused("description-key", description=DESCRIPTION, key=ascii(unknown[0])[:80])
    runtime = said.get("runtime")
    if runtime is not None and not (isinstance(runtime, str) and RUNTIME.fullmatch(runtime)):
        raise ArchiveRefused("description-runtime", description=DESCRIPTION)
    if "run" in said:
        if "class" in said:
            raise ArchiveRefused("description-both-keys", description=DESCRIPTION)
        return Manifest(folder, _command(said["run"], folder, files, sink), None, runtime)
    if folder + ENTRY not in files:
        raise ArchiveRefused("archive-without-run", entry=ENTRY, description=DESCRIPTION)
    class_name = said.get("class")
    if class_name is not None and not (isinstance(class_name, str) and class_name.isidentifier()):
        raise ArchiveRefused("description-class", description=DESCRIPTION)
    return Manifest(folder, None, class_name, runtime)


def _bot_folder(files: set[str]) -> str:
    if ENTRY in files or DESCRIPTION in files:
        return ""
    tops = {name.partition("/")[0] + "/" for name in files}
    if len(tops) == 1:
        top = tops.pop()
        if top + ENTRY in files or top + DESCRIPTION in files:
            return top
    raise ArchiveRefused("archive-without-bot", entry=ENTRY, description=DESCRIPTION)


def _description(content: bytes) -> Mapping[str, Any]:
    if len(content) > _DESCRIPTION_LIMIT:
        raise ArchiveRefused("description-length", description=DESCRIPTION)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise ArchiveRefused(
            "description-invalid", description=DESCRIPTION, problem=str(problem)
        ) from None


def _command(said: object, folder: str, files: set[str], sink: Sink) -> tuple[str, ...]:
    if not (isinstance(said, list) and said and all(isinstance(word, str) for word in said)):
        raise ArchiveRefused("description-run", description=DESCRIPTION)
    if len(said) > _WORDS or sum(map(len, said)) > _COMMAND_LENGTH:
        raise ArchiveRefused("description-run-length", description=DESCRIPTION)
    if not all(word.isprintable() for word in said):
        raise ArchiveRefused("description-run-characters", description=DESCRIPTION)
    program = said[0]
    if not program:
        raise ArchiveRefused("description-run-empty", description=DESCRIPTION)
    if "/" in program and not program.startswith("/"):
        name = folder + program.removeprefix("./")
        if name not in files:
            raise ArchiveRefused("description-program", description=DESCRIPTION, program=program)
        sink.make_executable(name)  # archives made on Windows lack the permission bit
    return tuple(said)

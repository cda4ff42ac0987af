"""Reproducible archives of a bot's folder: the same bytes for the same files.

Files that no game needs are excluded: hidden files, bytecode, virtual environments, replays and
bundles, and the patterns in `.damrakignore`, or in `.gitignore` if there is no such file.
"""

from __future__ import annotations

import io
import re
import stat
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from damrak.errors import LadderError
from damrak.specs import ENTRY
from damrak_archive.errors import ArchiveRefused
from damrak_archive.inspection import Inspection, inspect
from damrak_archive.limits import CEILING, MIB, STANDARD
from damrak_archive.manifest import DESCRIPTION, RUNTIME

IGNORE_FILES: Final = (".damrakignore", ".gitignore")
ARCHIVES: Final = (".zip", ".tar", ".tar.gz", ".tgz")
_DAY: Final = (1980, 1, 1, 0, 0, 0)  # the earliest date of a zip archive
_NEEDLESS: Final = frozenset({"__pycache__", "damrak-faults", "venv"})
_PACKAGES: Final = "node_modules"
_PROJECTS: Final = frozenset({_PACKAGES, "target", "dist", "build"})  # if not in damrak.toml
_WRITTEN_BY_US: Final = (b'"damrak-replay/', b'"damrak-repro/')


@dataclass(frozen=True, slots=True)
class Packed:
    """An archive, its inspection by the rules of ladders, and the names of its files."""

    data: bytes
    holds: Inspection
    names: tuple[str, ...]


def chosen_runtime(folder: Path) -> str | None:
    """Return the optional runtime that the bot in a folder chooses, if its description is valid."""
    try:
        said = tomllib.loads((folder / DESCRIPTION).read_text("utf-8-sig")).get("runtime")
    except (OSError, ValueError):
        return None
    return said if isinstance(said, str) and RUNTIME.fullmatch(said) else None


def pack(place: Path) -> Packed:
    """Return an archive of a folder or a single file, or an existing archive.

    If the bot chooses an optional runtime, the limits are the highest that a ladder can have.

    Raises:
        LadderError: there is no bot, or no ladder would accept it.
    """
    if place.is_dir():
        return _checked(*_pack_files(_files(place), place))
    if not place.is_file():
        raise LadderError(f"{place}: no such file or folder")
    if place.name.endswith(ARCHIVES):
        if place.stat().st_size > CEILING.archive_mb * MIB:
            raise LadderError(f"{place}: larger than {CEILING.archive_mb} MiB")
        return _checked(place.read_bytes(), ())
    if place.suffix != ".py":
        raise LadderError(f"{place}: give a folder, a .py file or an archive")
    return _checked(*_pack_files(iter([(ENTRY, place)]), place))


def _checked(data: bytes, names: tuple[str, ...]) -> Packed:
    try:
        return Packed(data, inspect(io.BytesIO(data), len(data), runtimes=None), names)
    except ArchiveRefused as refusal:
        raise LadderError(f"ladders reject this archive: {refusal.why}") from None


def _pack_files(files: Iterator[tuple[str, Path]], place: Path) -> tuple[bytes, tuple[str, ...]]:
    content, total = io.BytesIO(), 0
    most_mb = STANDARD.unpacked_mb if chosen_runtime(place) is None else CEILING.unpacked_mb
    names: list[str] = []
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, path in sorted(files):
            total += path.stat().st_size
            if total > most_mb * MIB or len(names) >= STANDARD.archive_files:
                raise LadderError(
                    f"{place}: more than {most_mb} MiB or {STANDARD.archive_files:,} "
                    f"files; list files that the bot does not need in {place / IGNORE_FILES[0]}"
                )
            data = path.read_bytes()
            if path.suffix == ".json" and any(mark in data for mark in _WRITTEN_BY_US):
                continue
            info = zipfile.ZipInfo(name, _DAY)
            info.create_system = 3  # always Unix, so that archives are the same on every platform
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | (0o755 if _is_program(path) else 0o644)) << 16
            archive.writestr(info, data)
            names.append(name)
    return content.getvalue(), tuple(names)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    ignored = _Ignored.of(folder)
    waiting = [folder]
    while waiting:
        for path in sorted(waiting.pop().iterdir()):
            name = path.relative_to(folder).as_posix()
            if path.name.startswith(".") or ignored.has(name, path.is_dir()):
                continue
            if path.is_symlink():
                raise LadderError(
                    f"{path}: links are not supported; copy the target, or list it in "
                    f"{IGNORE_FILES[0]}"
                )
            if path.is_dir():
                if not _is_needless(path, folder):
                    waiting.append(path)
            elif path.is_file():
                yield name, path


def _is_needless(path: Path, folder: Path) -> bool:
    if (path / "pyvenv.cfg").is_file():
        return True
    if _PACKAGES in path.relative_to(folder).parts[:-1]:
        return False  # published packages contain their build output
    if path.name in _PROJECTS:
        return not _is_named(path.name, folder)
    return path.name in _NEEDLESS


def _is_named(name: str, folder: Path) -> bool:
    """Return whether the bot's description mentions a name: it may run what was built there."""
    try:
        return name in (folder / DESCRIPTION).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _is_program(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IXUSR)


class _Ignored:
    """The patterns of an ignore file, with git's semantics: the last match decides."""

    def __init__(self, lines: list[str]) -> None:
        self._rules = [rule for line in lines if (rule := _rule(line)) is not None]

    @classmethod
    def of(cls, folder: Path) -> _Ignored:
        for name in IGNORE_FILES:
            file = folder / name
            if file.is_file():
                return cls(file.read_text("utf-8", "replace").splitlines())
        return cls([])

    def has(self, name: str, is_folder: bool) -> bool:
        ignored = False
        for pattern, is_for_folders, is_exception in self._rules:
            if (is_folder or not is_for_folders) and pattern.fullmatch(name):
                ignored = not is_exception
        return ignored


def _rule(line: str) -> tuple[re.Pattern[str], bool, bool] | None:
    text = line.rstrip()
    if not text or text.startswith("#"):
        return None
    is_exception = text.startswith("!")
    text = text.removeprefix("!").removeprefix("\\")
    is_for_folders = text.endswith("/")
    text = text.rstrip("/")
    is_rooted = "/" in text
    text = text.removeprefix("/")
    if not text:
        return None
    before = "" if is_rooted else "(?:.*/)?"
    return re.compile(before + _expression(text)), is_for_folders, is_exception


def _expression(glob: str) -> str:
    found, place = "", 0
    while place < len(glob):
        if glob.startswith("**/", place):
            found, place = found + "(?:.*/)?", place + 3
        elif glob.startswith("**", place):
            found, place = found + ".*", place + 2
        elif glob[place] == "*":
            found, place = found + "[^/]*", place + 1
        elif glob[place] == "?":
            found, place = found + "[^/]", place + 1
        elif glob[place] == "[" and (end := glob.find("]", place + 2)) > 0:
            inside = glob[place + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            inside = "^" + inside[1:] if inside.startswith("!") else inside.replace("^", r"\^")
            found, place = f"{found}[{inside}]", end + 1
        else:
            found, place = found + re.escape(glob[place]), place + 1
    return found

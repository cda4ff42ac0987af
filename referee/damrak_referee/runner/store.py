"""A store of unpacked archives by the SHA-256 of their content; installing one is atomic."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import damrak_archive
import damrak_referee
from damrak_archive.errors import ArchiveRefused
from damrak_archive.manifest import Manifest
from damrak_referee.runner.optional import OptionalRuntime
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.runner.slots import Slots
from damrak_referee.runner.spawn import Command, Process, spawn

SHA256: Final = re.compile(r"[0-9a-f]{64}")
_SECONDS: Final = 120.0
_ANSWER_LIMIT: Final = 1 << 16
_PACKAGES: Final = os.pathsep.join(
    str(Path(package.__path__[0]).parent) for package in (damrak_archive, damrak_referee)
)
_MANIFEST: Final = "manifest.json"
_BOT: Final = "bot"
_OURS: Final = ("runtime-missing", "runtimes-missing")
"""Refusals that are faults of this machine rather than of the archive."""

_NEW: Final = re.compile(r"\.new-([0-9a-f]{8})-[0-9]+")


@dataclass(frozen=True, slots=True)
class StoredBot:
    """A bot in its folder, ready to run."""

    folder: Path
    run: tuple[str, ...] | None
    class_name: str | None
    runtime: str | None = None


class Store:
    """The archives in one folder, which several runners may share."""

    def __init__(
        self,
        settings: RunnerSettings,
        instance: str,
        slots: Slots | None,
        runtimes: Mapping[str, OptionalRuntime] | None = None,
    ) -> None:
        self._settings = settings
        self._folder = settings.store.resolve()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._instance = instance
        self._slots = slots
        self._runtimes = runtimes or {}
        self._numbers = itertools.count()
        self._running: dict[str, asyncio.Lock] = {}

    def find(self, sha256: str) -> StoredBot | None:
        """Return the bot of an installed archive, or None."""
        if not SHA256.fullmatch(sha256):
            return None
        place = self._folder / sha256
        try:
            said = json.loads((place / _MANIFEST).read_text())
        except (OSError, ValueError):
            return None
        run = None if said["run"] is None else tuple(said["run"])
        folder = place / _BOT / said["folder"]
        return StoredBot(folder, run, said["class_name"], said.get("runtime"))

    async def install(self, sha256: str, archive: Path) -> None:
        """Unpack an archive unless it is installed.

        Raises:
            ArchiveRefused: it breaks a rule.
            OSError: it cannot be read or stored, or its content does not match its SHA-256.
            NoSlot: no user id is free to unpack it with.
        """
        if not SHA256.fullmatch(sha256):
            raise ArchiveRefused("archive-name")
        async with self._running.setdefault(sha256, asyncio.Lock()):
            if self.find(sha256) is None:
                await self._install(sha256, archive)

    def sweep(self, is_held: Callable[[str], bool]) -> None:
        """Remove what dead runners left half unpacked."""
        for entry in list(os.scandir(self._folder)):
            if (match := _NEW.fullmatch(entry.name)) and not is_held(match[1]):
                shutil.rmtree(entry.path, ignore_errors=True)

    async def _install(self, sha256: str, archive: Path) -> None:
        new = self._folder / f".new-{self._instance}-{next(self._numbers)}"
        target = new / _BOT
        uid = None if self._slots is None else self._slots.take()
        try:
            target.mkdir(parents=True)
            if uid is not None:
                os.chown(target, uid, uid)
            found = await self._unpack(archive, target, uid)
            if found.pop("sha256", None) != sha256:
                raise OSError(f"{archive} is not the archive that its SHA-256 says")
            if "refused" in found:
                if found.get("code") in _OURS:  # ladders send only bots that a host can run
                    raise OSError(str(found["refused"]))
                raise ArchiveRefused("reported", problem=str(found["refused"]))
            manifest = Manifest(**found)
            _take_over(target)
            (new / _MANIFEST).write_text(
                json.dumps(
                    {
                        "folder": manifest.folder,
                        "run": manifest.run,
                        "class_name": manifest.class_name,
                        "runtime": manifest.runtime,
                    }
                )
            )
            place = self._folder / sha256
            if self.find(sha256) is None:
                shutil.rmtree(place, ignore_errors=True)  # left by an older format
                with contextlib.suppress(FileExistsError, OSError):
                    new.rename(place)
            if self.find(sha256) is None:
                raise OSError(f"{place} cannot be made")
        finally:
            shutil.rmtree(new, ignore_errors=True)
            if uid is not None and self._slots is not None:
                self._slots.give_back(uid)

    async def _unpack(self, archive: Path, target: Path, uid: int | None) -> dict[str, Any]:
        with contextlib.ExitStack() as opened:
            source = os.open(archive, os.O_RDONLY | os.O_CLOEXEC)
            opened.callback(os.close, source)
            folder = os.open(target, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            opened.callback(os.close, folder)
            reading, writing = os.pipe()
            opened.callback(os.close, writing)
            try:
                process = self._start(source, folder, uid, writing)
            except BaseException:
                os.close(reading)
                raise
        return await _answer(process, reading)

    def _start(self, source: int, folder: int, uid: int | None, writing: int) -> Process:
        command = [sys.executable, "-S", "-P", "-m", "damrak_referee.runner.unpack"]
        given = {
            "settings": self._settings.to_json(),
            "runtimes": {name: asdict(one.limits) for name, one in self._runtimes.items()},
        }
        words = [source, folder, -1 if uid is None else uid, json.dumps(given)]
        return spawn(
            Command(
                [*command, *map(str, words)],
                {"PYTHONPATH": _PACKAGES, "PYTHONDONTWRITEBYTECODE": "1"},
                {},
                pass_on=(source, folder),
                stdout=writing,
                stderr=None,
            )
        )


async def _answer(process: Process, reading: int) -> dict[str, Any]:
    try:
        async with asyncio.timeout(_SECONDS):
            await process.ended()
    except TimeoutError:  # its limit of processor time is half of this
        raise OSError(f"the archive was not unpacked within {_SECONDS:g} s") from None
    finally:
        process.kill()
        status = await process.ended()
        process.close()
        with open(reading, "rb") as pipe:
            line = pipe.read(_ANSWER_LIMIT)
    if not line and status > 0:
        raise OSError(f"the process that unpacks archives failed with status {status}")
    try:
        said = json.loads(line.splitlines()[0])
    except (ValueError, IndexError):
        raise ArchiveRefused("archive-too-demanding") from None
    return dict(said)


def _take_over(folder: Path) -> None:
    """Take ownership of the unpacked files, make them readable, and refuse links and devices."""
    mine = os.geteuid(), os.getegid()
    for _, folders, files, descriptor in os.fwalk(folder, topdown=False, follow_symlinks=False):
        for name in (*folders, *files):
            about = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if not (stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)):
                raise ArchiveRefused("archive-special-file", name=ascii(name)[:80])
            if about.st_nlink > 1 and stat.S_ISREG(about.st_mode):
                raise ArchiveRefused("archive-link", name=ascii(name)[:80])
            os.chown(name, *mine, dir_fd=descriptor, follow_symlinks=False)
            runs = stat.S_ISDIR(about.st_mode) or bool(about.st_mode & stat.S_IXUSR)
            os.chmod(name, 0o755 if runs else 0o644, dir_fd=descriptor)
    os.chown(folder, *mine)
    os.chmod(folder, 0o755)  # noqa: S103 - bots of any user are to read it

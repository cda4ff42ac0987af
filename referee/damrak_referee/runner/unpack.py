"""The process that opens archives, restricted to this task.

    python -m damrak_referee.runner.unpack ARCHIVE FOLDER UID SETTINGS

The first two are descriptors; the last is JSON, with the limits of optional runtimes. It drops to
user UID and limits itself, then unpacks into the folder and prints one line of JSON: the manifest,
or the reason for a refusal.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import py_compile
import resource
import sys
import tarfile
import warnings
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import IO, Final

from damrak_archive.errors import ArchiveRefused
from damrak_archive.extraction import unpack
from damrak_archive.limits import RuntimeLimits
from damrak_archive.manifest import DESCRIPTION, ENTRY
from damrak_referee.runner.settings import MIB, RunnerSettings

_MEMORY: Final = 512 * MIB
_SECONDS: Final = 60
_COMPILED_SIZE: Final = 1 << 20
_CHUNK: Final = 1 << 20


class FolderSink:
    """Files below the current folder."""

    def folder(self, name: str) -> None:
        """Create a folder if it does not exist."""
        os.makedirs(name, mode=0o755, exist_ok=True)

    def file(self, name: str, executable: bool) -> IO[bytes]:
        """Create a file; return it open for writing."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        return open(os.open(name, flags, 0o755 if executable else 0o644), "wb")

    def read(self, name: str, limit: int) -> bytes:
        """Return the beginning of a file that was written."""
        with open(name, "rb") as file:
            return file.read(limit)

    def make_executable(self, name: str) -> None:
        """Make a file executable."""
        os.chmod(name, 0o755)  # noqa: S103 - others are meant to run it


def main(arguments: list[str]) -> None:
    """Unpack, print the result, and use the remaining time for bytecode."""
    source, folder, uid = int(arguments[0]), int(arguments[1]), int(arguments[2])
    given = json.loads(arguments[3])
    settings = RunnerSettings.from_json(given["settings"])
    runtimes = {name: RuntimeLimits(**said) for name, said in given["runtimes"].items()}
    largest = max(settings.unpacked_mb, *(one.unpacked_mb for one in runtimes.values()), 0)
    _load()
    os.fchdir(folder)  # its path may lead through folders that are not accessible after this
    os.umask(0o022)
    _give_up(uid, largest)
    with open(source, "rb") as archive:
        size, sha256 = os.fstat(source).st_size, _digest(archive)
        try:
            manifest = unpack(archive, size, FolderSink(), settings, runtimes)
            _say(sha256=sha256, **asdict(manifest))
        except ArchiveRefused as refusal:
            _say(sha256=sha256, refused=refusal.why, code=refusal.code)
            return
    os.sync()  # the folder is about to be marked complete
    _compile()


class _Nowhere:
    """A sink that discards everything."""

    def folder(self, name: str) -> None:
        """Do nothing."""

    def file(self, name: str, executable: bool) -> IO[bytes]:
        """Return a file in memory."""
        return io.BytesIO()

    def read(self, name: str, limit: int) -> bytes:
        """Return the description of a Python bot."""
        return b'class = "Bot"'

    def make_executable(self, name: str) -> None:
        """Do nothing."""


def _load() -> None:
    """Import modules that the standard library would import later, when they are out of reach."""
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(DESCRIPTION, "")
        archive.writestr(ENTRY, "")
    with tarfile.open(fileobj=tarred, mode="w:gz") as tar:
        for name in (DESCRIPTION, ENTRY):
            tar.addfile(tarfile.TarInfo(name))
    for made in (zipped, tarred):
        made.seek(0)
        size = len(made.getbuffer())
        unpack(made, size, _Nowhere(), RunnerSettings(Path(), Path()))


def _give_up(uid: int, largest_mb: int) -> None:
    if uid >= 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    for what, bound in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, _SECONDS),
        (resource.RLIMIT_FSIZE, largest_mb * MIB),
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(what, (bound, bound))
    with contextlib.suppress(ValueError):  # it is 0 and cannot be raised
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))  # as in `sandbox.limits`


def _digest(archive: IO[bytes]) -> str:
    total = hashlib.sha256()
    while data := archive.read(_CHUNK):
        total.update(data)
    archive.seek(0)
    return total.hexdigest()


def _compile() -> None:
    """Compile the sources, as the bot itself cannot write bytecode.

    A source may crash the compiler and this process; the result has been printed by then.
    """
    warnings.simplefilter("ignore")
    for path in sorted(Path().rglob("*.py")):
        if path.stat().st_size <= _COMPILED_SIZE:
            try:
                py_compile.compile(
                    str(path),
                    doraise=True,
                    invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
                )
            except Exception:  # noqa: BLE001, S112 - its author will see the error when it runs
                continue


def _say(**values: object) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])

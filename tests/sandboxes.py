"""A runner for tests: archives of small bots, their sockets, and checks of what remains.

Bots here are plain programs that do not need a referee: they communicate over their socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import itertools
import os
import shutil
import tempfile
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from damrak_referee.runner.client import (
    Exit,
    Runner,
    RunnerSettings,
    SeatHandle,
    SeatProcess,
    Uploaded,
)
from damrak_referee.runner.instance import run_mark

PATIENCE = 600.0  # seconds: a safety net, not a measurement
CONTROL_GROUPS = Path("/sys/fs/cgroup")
PROGRAM = 'run = ["python3", "-S", "bot.py"]\n'

# Announces itself, and echoes every line until it is stopped.
INNOCENT = """
import os, socket
line = socket.socket(socket.AF_UNIX)
line.connect("/run/referee.sock")
for said in line.makefile("rb"):
    line.sendall(b"%d\\n" % os.getuid() if said == b"who\\n" else said)
"""


def archive_of(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip archive with these files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def program(code: str) -> bytes:
    """Return an archive that runs this Python code, without the SDK."""
    return archive_of({"damrak.toml": PROGRAM, "bot.py": code})


class Seat:
    """A started process, and the other end of its socket."""

    def __init__(self, handle: SeatHandle, server: asyncio.Server) -> None:
        self.handle = handle
        self._server = server
        self.joined: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
        self.joined = asyncio.get_running_loop().create_future()

    def greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Record that the process has connected."""
        if not self.joined.done():
            self.joined.set_result((reader, writer))

    async def ask(self, line: bytes = b"ping") -> bytes:
        """Send a line and return the answer."""
        async with asyncio.timeout(PATIENCE):
            reader, writer = await self.joined
            writer.write(line + b"\n")
            return (await reader.readline()).rstrip(b"\n")

    async def exit(self) -> Exit:
        """Wait for the process to exit by itself, and return its exit."""
        async with asyncio.timeout(PATIENCE):
            return await asyncio.shield(self.handle.exited)

    async def stop(self) -> Exit:
        """Stop the process and return its exit."""
        async with asyncio.timeout(PATIENCE):
            return await self.handle.stop()

    async def close(self) -> None:
        """Close its socket."""
        self._server.close()
        if self.joined.done():
            self.joined.result()[1].close()


class Ground:
    """A runner with its folders and seats."""

    def __init__(self, root: Path, runner: Runner) -> None:
        self.root = root
        self.runner = runner
        self._seats: list[Seat] = []
        self._numbers = itertools.count()

    async def install(self, archive: bytes) -> str:
        """Install an archive and return its name in the store."""
        sha256 = hashlib.sha256(archive).hexdigest()
        path = self.root / f"{sha256[:8]}.archive"
        if not path.exists():  # another seat with the same bot may be reading it
            path.write_bytes(archive)
        await self.runner.install(sha256, path)
        return sha256

    async def seat(self, archive: bytes, low_priority: bool = False) -> Seat:
        """Start a process for the bot in this archive."""
        sha256 = await self.install(archive)
        number = next(self._numbers)
        folder = self.runner.folder / f"{number:08x}"
        folder.mkdir()
        ready: asyncio.Future[Seat] = asyncio.get_running_loop().create_future()

        async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            (await ready).greet(reader, writer)

        path = folder / "0.sock"
        server = await asyncio.start_unix_server(greet, path)
        process = SeatProcess(f"seat/{number}", Uploaded(sha256), path, low_priority)
        handle = await self.runner.seat(process)
        seat = Seat(handle, server)
        ready.set_result(seat)
        self._seats.append(seat)
        return seat

    async def run(self, code: str) -> Exit:
        """Run a program until it exits by itself, and return its exit."""
        return await (await self.seat(program(code))).exit()

    async def close(self) -> None:
        """Stop all seats and the runner."""
        for seat in self._seats:
            await seat.close()
        await self.runner.close()


@contextlib.asynccontextmanager
async def ground(**changes: object) -> AsyncIterator[Ground]:
    """Yield a runner with these settings changed, then assert that it leaves nothing behind."""
    # Sockets require short paths, unlike those of pytest's folders.
    root = Path(tempfile.mkdtemp(prefix="dmk"))
    settings = RunnerSettings(run=root / "run", store=root / "store")
    try:
        runner = await Runner.start(replace(settings, **changes))  # type: ignore[arg-type]
        there = Ground(root, runner)
        try:
            yield there
        finally:
            await there.close()
        assert list((root / "run").iterdir()) == []
        assert [path.name for path in (root / "store").iterdir() if path.name[0] == "."] == []
        assert groups(settings) == set()
    finally:
        shutil.rmtree(root, ignore_errors=True)


def on_ground(test: Callable[[Ground], Awaitable[None]], **changes: object) -> None:
    """Run a test with a runner that isolates; skip the test if the machine does not support it."""

    async def run() -> None:
        async with ground(**changes) as there:
            need_isolation(there.runner)
            await test(there)

    asyncio.run(run())


class Isolated(Protocol):
    """A runner, or a referee's status."""

    @property
    def isolation(self) -> str: ...

    @property
    def missing(self) -> Sequence[str]: ...


def need_isolation(there: Isolated) -> None:
    """Skip the test if there are no sandboxes here; fail as root in CI, where there must be."""
    if there.isolation == "none":
        why = "; ".join(there.missing)
        if os.environ.get("CI") and os.geteuid() == 0:
            pytest.fail(f"root cannot isolate here: {why}")
        pytest.skip(f"no sandboxes here: {why}")


def groups(settings: RunnerSettings) -> set[Path]:
    """Return the control groups of all runners of a run folder."""
    return {
        Path(folder) / name
        for folder, names, _ in os.walk(CONTROL_GROUPS)
        for name in names
        if name.startswith(f"damrak-{run_mark(settings.run)}-")
    }


def processes_of(uids: range) -> set[int]:
    """Return all processes of these users."""
    found = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if entry.stat().st_uid in uids:
                    found.add(int(entry.name))
    return found

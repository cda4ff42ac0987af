"""Crashes of runners and referees leave nothing behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from damrak_referee.runner.client import (
    START_SECONDS,
    ArchiveRefused,
    CannotIsolate,
    Runner,
    RunnerGone,
    RunnerSettings,
    SeatProcess,
    Uploaded,
)
from processes import descendants, is_alive, relay_of
from sandboxes import INNOCENT, PATIENCE, Ground, ground, groups, on_ground, program

pytestmark = pytest.mark.process


# A referee that seats two bots that do not exit, and prints its process ids.
REFEREE = """
import asyncio, os, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from processes import descendants
from sandboxes import INNOCENT, Ground, program
from damrak_referee.runner.client import Runner, RunnerSettings
async def main():
    root = Path(sys.argv[1])
    runner = await Runner.start(RunnerSettings(run=root / "run", store=root / "store"))
    there = Ground(root, runner)
    for _ in range(2):
        assert await (await there.seat(program(INNOCENT))).ask() == b"ping"
    print(runner.pid, *descendants(runner.pid), flush=True)
    await asyncio.sleep(3600)
asyncio.run(main())
"""


@pytest.fixture
def root() -> Iterator[Path]:
    """Yield a folder with a short path."""
    folder = Path(tempfile.mkdtemp(prefix="dmk"))
    yield folder
    shutil.rmtree(folder)


def referee(root: Path) -> tuple[subprocess.Popen[str], int, set[int]]:
    """Start a referee; return it, its runner, and all processes of the bots."""
    process = subprocess.Popen(
        [sys.executable, "-c", REFEREE, str(root), *sys.path], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    words = process.stdout.readline().split()
    process.stdout.close()
    runner, *bots = map(int, words)
    return process, runner, set(bots)


def gone(processes: set[int]) -> None:
    """Wait until all these processes have exited."""
    deadline = time.monotonic() + PATIENCE
    while any(map(is_alive, processes)):
        assert time.monotonic() < deadline, processes
        time.sleep(0.01)


def test_a_crashed_runner_ends_its_bots_and_is_replaced() -> None:
    async def run(there: Ground) -> None:
        seats = [await there.seat(program(INNOCENT)) for _ in range(3)]
        for seat in seats:
            assert await seat.ask() == b"ping"
        lost: list[int] = []
        there.runner.on_lost.append(lambda: lost.append(1))
        assert there.runner.pid is not None
        bots = descendants(there.runner.pid)
        assert len(bots) >= 9
        os.kill(there.runner.pid, signal.SIGKILL)
        for seat in seats:
            exit = await seat.exit()
            assert (exit.cause, exit.owner) == ("lost", "host")
        assert lost == [1]
        gone(bots)
        after = await there.seat(program(INNOCENT))
        assert await after.ask() == b"ping"
        assert there.runner.restarts == 1
        assert (await after.stop()).cause == "stopped"

    on_ground(run)


def test_a_runner_whose_relay_crashes_is_replaced() -> None:
    async def run(there: Ground) -> None:
        seat = await there.seat(program(INNOCENT))
        assert await seat.ask() == b"ping"
        assert there.runner.pid is not None
        lost = asyncio.Event()
        there.runner.on_lost.append(lost.set)
        os.kill(relay_of(there.runner.pid), signal.SIGKILL)
        assert (await seat.exit()).owner == "host"
        async with asyncio.timeout(PATIENCE):
            await lost.wait()
        after = await there.seat(program(INNOCENT))
        assert await after.ask() == b"ping"
        assert there.runner.restarts == 1

    on_ground(run)


def test_a_runner_that_is_asked_to_end_ends_its_bots_first() -> None:
    async def run(there: Ground) -> None:
        seat = await there.seat(program(INNOCENT))
        assert await seat.ask() == b"ping"
        assert there.runner.pid is not None
        os.kill(there.runner.pid, signal.SIGTERM)
        assert (await seat.exit()).owner == "host"

    on_ground(run)


def test_a_referee_that_crashes_leaves_nothing(root: Path) -> None:
    _need_isolation(root)
    process, runner, bots = referee(root)
    process.kill()
    process.wait()
    gone({runner, *bots})
    assert list((root / "run").iterdir()) == []
    assert groups(RunnerSettings(root / "run", root / "store")) == set()


def test_leftovers_of_both_are_swept_at_the_next_start(root: Path) -> None:
    _need_isolation(root)
    process, runner, bots = referee(root)
    (root / "store" / ".new-12345678-0").mkdir()
    os.kill(runner, signal.SIGSTOP)  # so that it cannot clean up after its referee
    process.kill()
    process.wait()
    os.kill(runner, signal.SIGKILL)
    gone({runner, *bots})
    assert list((root / "run").iterdir()) != []

    async def start_again() -> None:
        settings = RunnerSettings(root / "run", root / "store")
        next_one = await Runner.start(settings)
        assert list((root / "run").iterdir()) == [next_one.folder]
        assert {path.name for path in groups(settings)} <= {
            f"damrak-{path.name.split('-')[1]}-{next_one.folder.name}" for path in groups(settings)
        }
        await next_one.close()
        assert not any(path.name.startswith(".") for path in (root / "store").iterdir())
        assert groups(settings) == set()

    asyncio.run(start_again())


def test_runners_of_one_folder_leave_each_other_alone(root: Path) -> None:
    async def run() -> None:
        settings = RunnerSettings(root / "run", root / "store")
        async with asyncio.timeout(PATIENCE):
            runners = [await Runner.start(settings) for _ in range(3)]
            assert len(list((root / "run").iterdir())) == 3
            first = Ground(root, runners[0])
            if runners[0].isolation != "none":
                seat = await first.seat(program(INNOCENT))
                assert await seat.ask() == b"ping"
                runners.append(await Runner.start(settings))
                assert await seat.ask() == b"ping"
                await seat.stop()
                await seat.close()
            for runner in runners:
                await runner.close()

    asyncio.run(run())
    assert list((root / "run").iterdir()) == []


def test_stopping_twice_and_after_the_end_is_harmless() -> None:
    async def run(there: Ground) -> None:
        seat = await there.seat(program("print('done')"))
        exit = await seat.exit()
        assert exit.cause == "ended"
        assert await seat.stop() == exit
        other = await there.seat(program(INNOCENT))
        assert [one.cause for one in await asyncio.gather(other.stop(), other.stop())] == [
            "stopped",
            "stopped",
        ]

    on_ground(run)


def test_a_bot_that_was_never_installed_is_lost_and_not_started() -> None:
    async def run(there: Ground) -> None:
        handle = await there.runner.seat(
            SeatProcess("x", Uploaded("0" * 64), there.runner.folder / "no.sock")
        )
        exit = await handle.exited
        assert (exit.cause, exit.owner) == ("lost", "host")
        assert "not in the store" in exit.detail

    on_ground(run)


def test_a_socket_that_is_not_there_is_the_hosts_fault() -> None:
    async def run(there: Ground) -> None:
        sha256 = await there.install(program(INNOCENT))
        handle = await there.runner.seat(
            SeatProcess("x", Uploaded(sha256), there.runner.folder / "no.sock")
        )
        exit = await handle.exited
        assert (exit.cause, exit.owner) == ("lost", "host")

    on_ground(run)


def test_descriptors_are_always_closed() -> None:
    async def run(there: Ground) -> None:
        sha256 = await there.install(program("print('hello')"))

        def descriptors() -> int:
            return len(os.listdir(f"/proc/{there.runner.pid}/fd"))

        async def one(number: int, socket: Path) -> None:
            handle = await there.runner.seat(SeatProcess(f"x{number}", Uploaded(sha256), socket))
            await handle.exited

        await there.run("print('hello')")
        before = descriptors()
        for number in range(5):
            await there.run("print('hello')")
            await one(number, there.runner.folder / "no.sock")
            with pytest.raises(ArchiveRefused):
                await there.install(b"no archive %d" % number)
        async with asyncio.timeout(PATIENCE):
            while descriptors() > before:
                await asyncio.sleep(0.01)

    on_ground(run)


def test_a_runner_that_is_closed_while_it_starts_again_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connect = asyncio.open_connection

    async def run() -> None:
        async with ground() as there:
            starting = asyncio.Event()

            async def connect_late(**how: Any) -> Any:
                starting.set()
                await asyncio.sleep(0)
                return await connect(**how)

            monkeypatch.setattr(asyncio, "open_connection", connect_late)
            assert there.runner.pid is not None
            os.kill(there.runner.pid, signal.SIGKILL)
            await starting.wait()
            await asyncio.wait_for(there.runner.close(), START_SECONDS / 2)

    asyncio.run(run())


def test_a_closed_runner_raises() -> None:
    async def run() -> None:
        async with ground() as there:
            await there.runner.close()
            with pytest.raises(RunnerGone):
                await there.runner.seat(SeatProcess("x", Uploaded("0" * 64), Path("/none")))

    asyncio.run(run())


def test_a_run_folder_with_a_long_path_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        await Runner.start(RunnerSettings(tmp_path / ("x" * 100), tmp_path / "store"))

    with pytest.raises(ValueError, match="too long"):
        asyncio.run(run())


def test_without_bubblewrap_uploads_are_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(root))

    async def run() -> None:
        async with ground() as there:
            assert there.runner.isolation == "none"
            assert any("apt install bubblewrap" in line for line in there.runner.missing)
            with pytest.raises(CannotIsolate, match="bubblewrap"):
                await there.runner.seat(SeatProcess("x", Uploaded("0" * 64), Path("/none")))

    asyncio.run(run())


def test_unsafe_is_a_plain_process_and_reported() -> None:
    async def run() -> None:
        async with ground(unsafe=True) as there:
            assert there.runner.isolation == "unsafe"
            assert "all rights" in there.runner.missing[0]
            code = "import os, time\nif os.fork() == 0: os.setsid(); time.sleep(3600)\n"
            exit = await there.run(code + "print(os.getuid(), os.environ['DAMRAK_ADDRESS'])")
            assert exit.output.startswith(f"{os.getuid()} unix:{there.runner.folder}")
            assert exit.cause == "ended"
            assert there.runner.pid is not None
            assert descendants(there.runner.pid) == set()
            seat = await there.seat(program("import time; time.sleep(3600)"))
            assert (await seat.stop()).cause == "stopped"
            assert (await there.run("raise MemoryError")).cause == "memory"
            assert (await there.run("1/0")).cause == "crash"

    asyncio.run(run())


def _need_isolation(root: Path) -> None:
    on_ground(_nothing)


async def _nothing(there: Ground) -> None:
    pass

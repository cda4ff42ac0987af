"""The kind of sandbox that this machine supports, determined by trying."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from damrak_referee.runner import probe, sandbox
from damrak_referee.runner.groups import Groups
from damrak_referee.runner.hierarchy import NoGroups, find_hierarchy
from damrak_referee.runner.instance import run_mark
from damrak_referee.runner.runtime import Runtime, find_runtime
from damrak_referee.runner.sandbox import Content, Tools, arguments, command_inside, limits
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.runner.spawn import Command, Process, full_pipe, reap_orphans, spawn
from damrak_referee.runner.syscalls import NoFilter, make_filter

Mode = Literal["full", "user", "unsafe", "none"]
PROBE_SECONDS: Final = 60.0
# The kernel version from which a user namespace counts its own processes.
_OWN_COUNTS: Final = (5, 14)
_USER_WEAKNESS: Final = (
    "memory is limited for each process of a bot, not for all together: {why}",
    "all sandboxes share one user number: run the referee as root for one each",
)


@dataclass(frozen=True, slots=True)
class Isolation:
    """The sandbox of uploaded bots, and the requirements for a better one."""

    mode: Mode
    missing: tuple[str, ...]
    tools: Tools | None = None
    runtime: Runtime | None = None
    groups: Groups | None = None


class Unfit(Exception):
    """A sandbox cannot be built here, or does not isolate; one line per reason."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


async def find_isolation(
    settings: RunnerSettings, folder: Path, is_alive: Callable[[str], bool], uid: int
) -> Isolation:
    """Return the best isolation that works, after removing leftovers of crashed runners.

    `folder` is that of the instance, `is_alive` returns whether another instance is running, `uid`
    is that of a free slot.
    """
    groups: Groups | None = None
    missing: list[str] = []
    try:
        found = Groups(find_hierarchy(), run_mark(settings.run), folder.name)
        await found.sweep(is_alive)
        found.open()
        groups = found
        if not groups.share_processors():
            missing.append("processors are not limited: no control groups for cpu")
    except (NoGroups, OSError) as problem:
        missing.append(_USER_WEAKNESS[0].format(why=problem))
    root = os.geteuid() == 0
    if not root:
        missing.append(_USER_WEAKNESS[1])
    if settings.unsafe:
        return Isolation("unsafe", ("uploaded bots have all rights of the referee",), groups=groups)
    try:
        tools = _tools(root, groups is not None)
        runtime = find_runtime(settings.expose)
        await _try(settings, tools, runtime, groups, folder, uid if root else None)
    except Unfit as problem:
        return Isolation("none", problem.problems, groups=groups)
    except OSError as problem:
        return Isolation("none", (f"a sandbox cannot be started: {problem}",), groups=groups)
    mode: Mode = "full" if root and groups is not None else "user"
    return Isolation(mode, tuple(missing), tools, runtime, groups)


def _tools(root: bool, counted_together: bool) -> Tools:
    problems = []
    if sys.platform != "linux":
        raise Unfit("Linux")
    bubblewrap = shutil.which(sandbox.BUBBLEWRAP)
    if bubblewrap is None:
        problems.append("bubblewrap: apt install bubblewrap")
    setpriv = shutil.which(sandbox.SETPRIV)
    if root and setpriv is None:
        problems.append("setpriv: apt install util-linux")
    try:
        rules = make_filter(counted_together=counted_together)
    except NoFilter as problem:
        problems.append(str(problem))
    if problems or bubblewrap is None:
        raise Unfit(*problems)
    options = subprocess.run([bubblewrap, "--help"], capture_output=True, check=False).stdout  # noqa: S603
    prlimit = None if _kernel() < _OWN_COUNTS else shutil.which(sandbox.PRLIMIT)
    return Tools(bubblewrap, setpriv, prlimit, rules, b"--disable-userns" in options)


def _kernel() -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))


async def _try(
    settings: RunnerSettings,
    tools: Tools,
    runtime: Runtime,
    groups: Groups | None,
    folder: Path,
    uid: int | None,
) -> None:
    """Run the probe in a sandbox like those of bots.

    Raises:
        Unfit: it did not run, or found a defect.
    """
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    built = arguments(tools, runtime, settings, Content(None, None, str(empty)), {}, uid)
    expected = {
        "uid": uid if uid is not None else sandbox.INSIDE_UID,
        "hidden": [str(folder)],
        "environment": [name for name, _ in runtime.environment] + ["PWD", "LC_CTYPE"],
    }
    program = [runtime.interpreter, "-S", "-c", Path(probe.__file__).read_text()]
    inside = command_inside(tools, settings, [*program, json.dumps(expected)], uid)
    said, status = await output_of(tools, built, inside, settings, groups, uid)
    try:
        problems = json.loads(said) if status == 0 else None
    except ValueError:
        problems = None
    if problems is None:
        last = said.strip().splitlines()[-1:] or ["it did not say why"]
        raise Unfit(f"a sandbox cannot be started: {last[0]}", *_hints(last[0]))
    if problems:
        raise Unfit(*(f"the sandbox does not hold: {problem}" for problem in problems))


async def output_of(
    tools: Tools,
    built: Sequence[str],
    inside: Sequence[str],
    settings: RunnerSettings,
    groups: Groups | None,
    uid: int | None,
    name: str = "probe",
) -> tuple[str, int]:
    """Return the output of a program in a sandbox built like this, and its exit status.

    `name` is that of its control group.

    Raises:
        OSError: the sandbox cannot be started.
    """
    group = None if groups is None else groups.make(name, settings)
    try:
        with contextlib.ExitStack() as opened:
            given = full_pipe("\0".join(built).encode() + b"\0")
            rules = full_pipe(tools.filter)
            entrances = () if group is None else tuple(group.entrances())
            for descriptor in (given, rules, *entrances):
                opened.callback(os.close, descriptor)
            outer = [tools.bubblewrap, "--args", str(given), "--seccomp", str(rules), "--"]
            bounds = limits(settings, own_user=uid is not None, counted_together=group is not None)
            command = Command(
                [*outer, *inside], {}, bounds, pass_on=(given, rules), entrances=entrances
            )
            process, reading = _spawn_heard(command)
        return await _collected(process, reading)
    finally:
        # Its process 1 exits slightly later than bubblewrap, and then its user id is free.
        reap_orphans()
        if group is not None:
            await group.remove()


async def plain_output_of(command: Command) -> tuple[str, int]:
    """Return the output of a plain process, and its exit status.

    Raises:
        OSError: it cannot be started.
    """
    return await _collected(*_spawn_heard(command))


def _spawn_heard(command: Command) -> tuple[Process, int]:
    """Start a command. Return the process and the descriptor that reads its output."""
    reading, writing = os.pipe()
    try:
        return spawn(replace(command, stdout=writing, stderr=writing)), reading
    except OSError:
        os.close(reading)
        raise
    finally:
        os.close(writing)


async def _collected(process: Process, reading: int) -> tuple[str, int]:
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PROBE_SECONDS):
                await process.ended()
    finally:
        process.kill()
        status = await process.ended()
        process.close()
        os.set_blocking(reading, False)
        with open(reading, "rb") as pipe:
            said = (pipe.read() or b"").decode("utf-8", "replace")
    return said, status


def _hints(said: str) -> list[str]:
    if "namespace" in said or "uid map" in said or "Operation not permitted" in said:
        return [
            "namespaces: run as root on the machine itself, or allow user namespaces"
            " (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap with"
            " the permission userns); in a container, allow mounts (CAP_SYS_ADMIN)"
        ]
    return []

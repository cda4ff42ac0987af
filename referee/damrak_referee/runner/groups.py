"""Control groups, versions 1 and 2: limits for all processes of a sandbox together.

The groups are created below the runner's own group, so that its limits apply to bots, too:
`damrak-MARK-INSTANCE/SEAT`, once in version 2, once for each controller in version 1.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from damrak_referee.runner.hierarchy import Hierarchy, NoGroups, enable, words, write
from damrak_referee.runner.priority import SHARES, WEIGHT
from damrak_referee.runner.sandbox import most_processes
from damrak_referee.runner.settings import MIB, RunnerSettings

PERIOD_US: Final = 100_000
_OLD_SECONDS: Final = 60
_NAME: Final = re.compile(r"damrak-(?P<mark>[0-9a-f]{6})-(?P<instance>[0-9a-f]{8})")
_QUOTA: Final = "cpu.cfs_quota_us"
_PATIENCE: Final = 6000  # steps of 5 ms for a killed group to become empty


@dataclass(frozen=True, slots=True)
class Usage:
    """The resources a group used, and how many of its processes the OOM killer ended."""

    cpu_us: int = 0
    memory_bytes: int = 0
    kills: int = 0


class Group:
    """The group of one sandbox, by controller."""

    def __init__(self, folders: Mapping[str, Path], unified: bool) -> None:
        self._folders = folders
        self._unified = unified

    def entrances(self) -> list[int]:
        """Open the group's process files; a process joins the group by writing 0 to each."""
        return [
            os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
            for folder in dict.fromkeys(self._folders.values())
        ]

    def kill(self) -> None:
        """Kill every process in it."""
        if self._unified:
            with contextlib.suppress(OSError):
                write(self._folders["memory"] / "cgroup.kill", 1)
                return
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def processes(self) -> set[int]:
        """Return the ids of the processes in the group."""
        found: set[int] = set()
        for folder in self._folders.values():
            with contextlib.suppress(OSError):
                found.update(map(int, (folder / "cgroup.procs").read_text().split()))
        return found

    def usage(self) -> Usage:
        """Return the usage so far; values that the kernel does not report are 0."""
        memory = self._folders["memory"]
        if self._unified:
            return Usage(
                cpu_us=_listed(memory / "cpu.stat", "usage_usec"),
                memory_bytes=_number(memory / "memory.peak"),
                kills=_listed(memory / "memory.events", "oom_kill"),
            )
        account = self._folders.get("cpuacct")
        return Usage(
            cpu_us=0 if account is None else _number(account / "cpuacct.usage") // 1000,
            memory_bytes=_number(memory / "memory.max_usage_in_bytes"),
            kills=_listed(memory / "memory.oom_control", "oom_kill"),
        )

    async def remove(self) -> bool:
        """Kill the remaining processes and remove the group; return whether it is gone."""
        for _ in range(_PATIENCE):
            if self._remove_empty():
                return True
            self.kill()
            await asyncio.sleep(0.005)
        return False

    def _remove_empty(self) -> bool:
        gone = True
        for folder in dict.fromkeys(self._folders.values()):
            try:
                folder.rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                gone = False
        return gone


class Groups:
    """The control groups of one runner's sandboxes."""

    def __init__(self, hierarchy: Hierarchy, mark: str, instance: str) -> None:
        self._bases = hierarchy.bases
        self._unified = hierarchy.unified
        self._mounts = hierarchy.mounts
        self._mark = mark
        self._name = f"damrak-{mark}-{instance}"

    def open(self) -> None:
        """Create the parent groups of the sandboxes' groups.

        Raises:
            NoGroups: they cannot be created.
        """
        try:
            for base in dict.fromkeys(self._bases.values()):
                (base / self._name).mkdir(exist_ok=True)
                if self._unified:
                    enable(base / self._name)
        except OSError as problem:
            self.close()
            raise NoGroups(f"control groups cannot be made: {problem}") from None

    def share_processors(self) -> bool:
        """Return whether groups can limit the use of processors; call it after `open`."""
        base = self._bases.get("cpu")
        if base is None or not self._unified:
            return base is not None and (base / self._name / _QUOTA).exists()
        return "cpu" in words(base / self._name / "cgroup.subtree_control")

    def make(self, name: str, settings: RunnerSettings, low_priority: bool = False) -> Group:
        """Create a group with these limits.

        Raises:
            OSError: it cannot be created; nothing is left behind.
        """
        try:
            return self._make(name, settings, low_priority)
        except FileNotFoundError:  # another runner removed our empty group as abandoned
            self.open()
            return self._make(name, settings, low_priority)

    async def sweep(self, is_held: Callable[[str], bool]) -> None:
        """Remove the groups of dead runners; `is_held` returns whether an instance is alive.

        It can only judge instances of this run folder. Groups of other folders are removed if they
        have been empty for a while; a runner that still needs one creates it again.
        """
        for mount in self._mounts:
            for above, names, _ in os.walk(mount):
                for name in names:
                    if (match := _NAME.fullmatch(name)) is None:
                        continue
                    folder = Path(above) / name
                    with contextlib.suppress(OSError):  # another runner may be sweeping, too
                        if match["mark"] != self._mark:
                            _remove_old(folder)
                        elif not is_held(match["instance"]):
                            await self._end(folder)

    async def _end(self, folder: Path) -> None:
        for inner in [path for path in folder.iterdir() if path.is_dir()]:
            await Group({"memory": inner}, self._unified).remove()
        folder.rmdir()

    def close(self) -> None:
        """Remove the parent groups; the groups in them are already gone."""
        for base in dict.fromkeys(self._bases.values()):
            with contextlib.suppress(OSError):
                (base / self._name).rmdir()

    def _make(self, name: str, settings: RunnerSettings, low_priority: bool) -> Group:
        folders = {wanted: base / self._name / name for wanted, base in self._bases.items()}
        group = Group(folders, self._unified)
        try:
            for folder in dict.fromkeys(folders.values()):
                folder.mkdir()
            for path, value in self._limits(folders, settings, low_priority):
                _limit(path, value)
        except OSError:
            group._remove_empty()
            raise
        return group

    def _limits(
        self, folders: Mapping[str, Path], settings: RunnerSettings, low_priority: bool
    ) -> Iterator[tuple[Path, int | str]]:
        memory, pids, cpu = folders["memory"], folders["pids"], folders.get("cpu")
        most = settings.memory_mb * MIB
        quota = int(settings.cpus * PERIOD_US)
        yield pids / "pids.max", most_processes(settings)
        if self._unified:
            yield memory / "memory.max", most
            yield from _if_there(memory / "memory.swap.max", 0)
            yield from _if_there(memory / "memory.oom.group", 1)
            yield from _if_there(memory / "cpu.max", f"{quota} {PERIOD_US}")
        else:
            yield memory / "memory.limit_in_bytes", most
            yield from _if_there(memory / "memory.memsw.limit_in_bytes", most)
            if cpu is not None:
                yield from _if_there(cpu / "cpu.cfs_period_us", PERIOD_US)
                yield from _if_there(cpu / _QUOTA, quota)
        if low_priority and cpu is not None:
            yield from _if_there(cpu / "cpu.weight", WEIGHT)
            yield from _if_there(cpu / "cpu.shares", SHARES)


def _remove_old(folder: Path) -> None:
    """Remove a folder that has been empty for a while, with the empty groups in it."""
    if time.time() - folder.stat().st_mtime > _OLD_SECONDS:
        for inner in [path for path in folder.iterdir() if path.is_dir()]:
            if time.time() - inner.stat().st_mtime > _OLD_SECONDS:
                inner.rmdir()
        folder.rmdir()


def _limit(path: Path, value: int | str) -> None:
    """Write a limit, except a share of processors above that of our own group.

    Version 1 refuses such a share as invalid. The smaller one of our own group holds without it.
    """
    try:
        write(path, value)
    except OSError as problem:
        if (path.name, problem.errno) != (_QUOTA, errno.EINVAL):
            raise


def _if_there(path: Path, value: int | str) -> Iterator[tuple[Path, int | str]]:
    if path.exists():
        yield path, value


def _number(path: Path) -> int:
    said = words(path)
    return int(said[0]) if said and said[0].isdigit() else 0


def _listed(path: Path, name: str) -> int:
    said = words(path)
    return int(said[said.index(name) + 1]) if name in said else 0

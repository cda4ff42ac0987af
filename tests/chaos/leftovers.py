"""Remains of a trial that should have been removed."""

from __future__ import annotations

from pathlib import Path

from chaos.victims import command_line
from damrak_referee.runner.instance import run_mark

CGROUPS = Path("/sys/fs/cgroup")


def leftovers(run: Path) -> list[str]:
    """Return processes, sockets, folders and control groups of a stopped referee, one line each."""
    return [*_processes(run), *_files(run), *_groups(run)]


def _processes(run: Path) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            line = command_line(int(entry.name))
            if str(run) in line:
                found.append(f"process {entry.name}: {line[:200]}")
    return found


def _files(run: Path) -> list[str]:
    if not run.exists():
        return []
    return [f"file {path.relative_to(run)}" for path in run.rglob("*")]


def _groups(run: Path) -> list[str]:
    if not run.exists():  # nothing has started
        return []
    mark = run_mark(run)
    return [f"control group {path}" for path in CGROUPS.rglob(f"damrak-{mark}-*")]

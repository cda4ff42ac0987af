"""Where in this machine's control groups we are, and may make our own, in either version."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NEEDED: Final = ("memory", "pids")
WANTED: Final = (*NEEDED, "cpu", "cpuacct")
_MAIN: Final = "damrak-main"


class NoGroups(Exception):
    """There are none to be had here; the message says why."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Our own group by controller; `unified` is version 2, where it is one and the same."""

    bases: Mapping[str, Path]
    unified: bool
    mounts: tuple[Path, ...]
    """Where all groups are, ours and those of runners that were started elsewhere."""


def find_hierarchy() -> Hierarchy:
    """The groups below which this machine lets us make others.

    Raises:
        NoGroups: it does not.
    """
    mounts = Path("/proc/self/mountinfo").read_text()
    own = Path("/proc/self/cgroup").read_text()
    first = version_1(mounts, own)
    points = tuple(point for _, point, kind, _ in _mounts(mounts) if kind in ("cgroup", "cgroup2"))
    bases: dict[str, Path]
    if all(name in first for name in NEEDED):
        bases, unified = {name: first[name] for name in WANTED if name in first}, False
    else:
        base = version_2(mounts, own)
        bases, unified = dict.fromkeys(WANTED, base), True
    for base in bases.values():
        if not os.access(base, os.W_OK):
            raise NoGroups(f"the control group {base} is not ours to divide")
    if unified:
        _make_room(bases["memory"])
    used = tuple(point for point in points if any(_is_in(base, point) for base in bases.values()))
    return Hierarchy(bases, unified, used)


def version_1(mounts: str, own: str) -> dict[str, Path]:
    """Our own group by controller, as far as version 1 has it."""
    mine = {
        name: path
        for line in own.splitlines()
        for number, names, path in [line.split(":", 2)]
        for name in names.split(",")
    }
    found = {}
    for root, point, kind, options in _mounts(mounts):
        if kind == "cgroup":
            for name in set(options) & set(WANTED) & mine.keys():
                found[name] = _below(point, root, mine[name])
    return found


def version_2(mounts: str, own: str) -> Path:
    """Our own group, or where root may make one beside it."""
    path = next((line[3:] for line in own.splitlines() if line.startswith("0::")), None)
    for root, point, kind, _ in _mounts(mounts):
        if kind != "cgroup2" or path is None:
            continue
        base = _below(point, root, path)
        if base.name == _MAIN:  # where a runner before us has moved us all
            base = base.parent
        # A login session is not ours to rearrange.
        if base.name.endswith(".scope") and os.geteuid() == 0:
            base = point
        lacking = set(NEEDED) - set(words(base / "cgroup.controllers"))
        if lacking:
            raise NoGroups(f"no control groups for {', '.join(sorted(lacking))} at {base}")
        return base
    raise NoGroups("no control groups are mounted")


def _make_room(base: Path) -> None:
    """Have `base` pass its controllers on, which it does once no process is in it itself."""
    passed_on = set(words(base / "cgroup.subtree_control"))
    if set(WANTED) & set(words(base / "cgroup.controllers")) <= passed_on:
        return
    if (base / "cgroup.events").exists():  # the root of all groups has none, and needs no room
        main = base / _MAIN
        try:
            main.mkdir(exist_ok=True)
            for process in words(base / "cgroup.procs"):
                with contextlib.suppress(ProcessLookupError):
                    write(main / "cgroup.procs", process)
        except OSError as problem:
            raise NoGroups(f"the control group {base} cannot be divided: {problem}") from None
    try:
        enable(base)
    except OSError as problem:
        raise NoGroups(f"the control group {base} cannot be divided: {problem}") from None


def enable(folder: Path) -> None:
    """Have a group of version 2 pass its controllers on.

    Raises:
        OSError: not even those that are needed.
    """
    there = set(words(folder / "cgroup.controllers"))
    for name in WANTED:
        if name in there:
            try:
                write(folder / "cgroup.subtree_control", f"+{name}")
            except OSError:
                if name in NEEDED:
                    raise


def _mounts(mounts: str) -> Iterator[tuple[str, Path, str, list[str]]]:
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        _, _, _, root, point, *_ = left.split()
        kind, _, options = right.split(" ", 2)
        yield root, Path(point), kind, options.split(",")


def _below(point: Path, root: str, path: str) -> Path:
    """Where a group is that the kernel calls `path`, in a mount that begins at `root`."""
    inner = path[len(root.rstrip("/")) :] if path.startswith(root.rstrip("/") + "/") else path
    folder = point / inner.strip("/")
    return folder if folder.is_dir() else point


def _is_in(folder: Path, point: Path) -> bool:
    return folder == point or point in folder.parents


def write(path: Path, value: int | str) -> None:
    """Tell the kernel something.

    Raises:
        OSError: it refuses.
    """
    with open(path, "w") as file:
        file.write(str(value))


def words(path: Path) -> list[str]:
    """What the kernel says in this file; nothing if it has no such file."""
    try:
        return path.read_text().split()
    except OSError:
        return []

"""The control-group hierarchy: where this process may create groups, in either version."""

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
    """Control groups are not available; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Our own group by controller; with `unified` (version 2) all are the same."""

    bases: Mapping[str, Path]
    unified: bool
    mounts: tuple[Path, ...]
    """The mount points of all groups, ours and those of other runners."""


def find_hierarchy() -> Hierarchy:
    """Find the groups below which this process may create others.

    Raises:
        NoGroups: there are none.
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
    """Return our own group by controller, for the controllers of version 1."""
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
    """Return our own group, or for root in a login session the root of the hierarchy."""
    path = next((line[3:] for line in own.splitlines() if line.startswith("0::")), None)
    for root, point, kind, _ in _mounts(mounts):
        if kind != "cgroup2" or path is None:
            continue
        base = _below(point, root, path)
        if base.name == _MAIN:  # an earlier runner has moved all processes there
            base = base.parent
        # A login session must not be rearranged.
        if base.name.endswith(".scope") and os.geteuid() == 0:
            base = point
        lacking = set(NEEDED) - set(words(base / "cgroup.controllers"))
        if lacking:
            raise NoGroups(f"no control groups for {', '.join(sorted(lacking))} at {base}")
        return base
    raise NoGroups("no control groups are mounted")


def _make_room(base: Path) -> None:
    """Let `base` delegate its controllers, which requires that it contains no process itself."""
    passed_on = set(words(base / "cgroup.subtree_control"))
    if set(WANTED) & set(words(base / "cgroup.controllers")) <= passed_on:
        return
    if (base / "cgroup.events").exists():  # the root group has none, and may have processes
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
    """Let a group of version 2 delegate its controllers.

    Raises:
        OSError: a required controller cannot be delegated.
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
    """Return the folder of the group that the kernel calls `path`, in a mount of `root`."""
    inner = path[len(root.rstrip("/")) :] if path.startswith(root.rstrip("/") + "/") else path
    folder = point / inner.strip("/")
    return folder if folder.is_dir() else point


def _is_in(folder: Path, point: Path) -> bool:
    return folder == point or point in folder.parents


def write(path: Path, value: int | str) -> None:
    """Write a value to a kernel file.

    Raises:
        OSError: the kernel refuses.
    """
    with open(path, "w") as file:
        file.write(str(value))


def words(path: Path) -> list[str]:
    """Return the words in a kernel file; an empty list if there is no such file."""
    try:
        return path.read_text().split()
    except OSError:
        return []

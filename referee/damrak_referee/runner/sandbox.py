"""The command that builds a sandbox and runs a program in it.

bubblewrap creates the mounts and namespaces. As root it does so with root's privileges, needed for
folders that only root may enter, and `setpriv` then drops all of them inside; as any other user it
does so in a user namespace.
"""

from __future__ import annotations

import resource
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from damrak_referee.runner.runtime import SITE, Runtime, with_parents
from damrak_referee.runner.settings import MIB, RunnerSettings
from damrak_referee.runner.spawn import Limits

BUBBLEWRAP: Final = "bwrap"
SETPRIV: Final = "setpriv"
PRLIMIT: Final = "prlimit"
BOTH_OF_BWRAP: Final = 2  # processes of a sandbox that do not belong to the bot
SOCKET: Final = "/run/referee.sock"
BOT: Final = "/bot"
ADDRESS: Final = f"unix:{SOCKET}"
_RIGHTS_TO_GIVE_UP_RIGHTS: Final = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
INSIDE_UID: Final = 40_000  # in a user namespace
# Memory that runtimes of other languages reserve and never use, Node.js the most.
_RESERVED_DATA: Final = 768 * MIB
_RESERVED_SPACE: Final = 1536 * MIB


@dataclass(frozen=True, slots=True)
class Tools:
    """Programs of this machine, and the system-call filter."""

    bubblewrap: str
    setpriv: str | None
    prlimit: str | None
    filter: bytes
    disable_userns: bool


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a sandbox apart from the runtime: paths outside, or None."""

    bot: str | None
    socket: str | None
    empty: str
    """An empty folder."""


def arguments(
    tools: Tools,
    runtime: Runtime,
    settings: RunnerSettings,
    content: Content,
    environment: Mapping[str, str],
    uid: int | None,
) -> list[str]:
    """Return the arguments of bubblewrap; `uid` is the slot's, None unless the runner is root."""
    return list(_arguments(tools, runtime, settings, content, environment, uid))


def command_inside(
    tools: Tools, settings: RunnerSettings, command: Sequence[str], uid: int | None
) -> list[str]:
    """Return the command that bubblewrap runs inside."""
    if uid is None:
        # Set inside, as a user namespace counts its own processes separately.
        most = f"--nproc={most_processes(settings)}"
        return [*([tools.prlimit, most, "--"] if tools.prlimit else []), *command]
    assert tools.setpriv is not None
    return [
        tools.setpriv,
        f"--reuid={uid}",
        f"--regid={uid}",
        "--clear-groups",
        "--inh-caps=-all",
        "--ambient-caps=-all",
        "--bounding-set=-all",
        "--no-new-privs",
        "--",
        *command,
    ]


def most_processes(settings: RunnerSettings) -> int:
    """Return the maximum number of processes of a bot's user, including those of bubblewrap."""
    return settings.processes + BOTH_OF_BWRAP


def limits(
    settings: RunnerSettings, *, own_user: bool, counted_together: bool, is_python: bool = True
) -> Limits:
    """Return the limits of each process; without control groups there are no others."""
    memory = settings.memory_mb * MIB
    bounds = {
        "CORE": 1,  # with 0 the kernel would still run its crash handler, outside the sandbox
        "FSIZE": settings.file_mb * MIB,
        "NOFILE": settings.open_files,
        "MEMLOCK": 64 * 1024,
        "MSGQUEUE": 0,
        "SIGPENDING": 1024,
        "NICE": 0,
        "RTPRIO": 0,
    }
    if own_user:
        bounds["NPROC"] = most_processes(settings)
    if not counted_together:
        bounds["DATA"] = memory + (0 if is_python else _RESERVED_DATA)
        bounds["AS"] = memory + _RESERVED_SPACE + settings.mapped_mb * MIB
    known = {  # not every system has all of them
        getattr(resource, f"RLIMIT_{name}"): (bound, bound)
        for name, bound in bounds.items()
        if hasattr(resource, f"RLIMIT_{name}")
    }
    # The soft limit's signal shows the cause; SIGKILL of the hard one could come from elsewhere.
    known[resource.RLIMIT_CPU] = (settings.cpu_seconds, settings.cpu_seconds + 1)
    return {what: _no_more_than_ours(what, bound) for what, bound in known.items()}


def _no_more_than_ours(what: int, bounds: tuple[int, int]) -> tuple[int, int]:
    """Reduce the bounds to the hard limit of this process."""
    ours = resource.getrlimit(what)[1]
    if ours == resource.RLIM_INFINITY:
        return bounds
    return min(bounds[0], ours), min(bounds[1], ours)


def _arguments(
    tools: Tools,
    runtime: Runtime,
    settings: RunnerSettings,
    content: Content,
    environment: Mapping[str, str],
    uid: int | None,
) -> Iterator[str]:
    yield from ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
    yield from ("--unshare-cgroup-try", "--hostname", "bot")
    yield from ("--die-with-parent", "--new-session", "--clearenv")
    if uid is None:
        yield "--unshare-user"
        yield from ("--uid", str(INSIDE_UID), "--gid", str(INSIDE_UID))
        if tools.disable_userns:
            yield "--disable-userns"
    else:
        yield from ("--cap-drop", "ALL")
        for right in _RIGHTS_TO_GIVE_UP_RIGHTS:
            yield from ("--cap-add", right)
    yield from _files(runtime, content)
    yield from ("--proc", "/proc", "--dev", "/dev")
    # Process 1 is bubblewrap, without a filter; if it runs as the bot's own user, its memory could
    # be written through this folder.
    yield from ("--ro-bind", content.empty, "/proc/1")
    for place, size in (("/tmp", settings.tmp_mb), ("/dev/shm", settings.shm_mb)):  # noqa: S108
        yield from ("--perms", "1777", "--size", str(size * MIB), "--tmpfs", place)
    yield from _exposed(runtime)
    yield from ("--remount-ro", "/dev")
    for name, value in {**dict(runtime.environment), **environment}.items():
        yield from ("--setenv", name, value)
    yield from ("--chdir", BOT if content.bot is not None else "/")
    yield from ("--remount-ro", "/")


def _files(runtime: Runtime, content: Content) -> Iterator[str]:
    whole = [inside for _, inside in runtime.binds if not inside.startswith(f"{SITE}/")]
    yield from _folders((*runtime.folders, "/run"), whole)
    for outside, inside in runtime.binds:
        yield from ("--ro-bind", outside, inside)
    for inside in runtime.masks:
        yield from ("--ro-bind", content.empty, inside)
    for target, link in runtime.links:
        yield from ("--symlink", target, link)
    if content.bot is not None:
        yield from ("--ro-bind", content.bot, BOT)
    if content.socket is not None:
        yield from ("--ro-bind", content.socket, SOCKET)


def _exposed(runtime: Runtime) -> Iterator[str]:
    """Yield arguments for the operator's folders, mounted over everything that could hide them."""
    parents = {str(Path(path).parent) for path in runtime.exposed}
    mounted = [inside for _, inside in runtime.binds]
    yield from _folders(sorted(with_parents(parents) - {"/tmp"}), mounted)  # noqa: S108
    for path in runtime.exposed:
        yield from ("--ro-bind", path, path)


def _folders(wanted: Iterable[str], there: Sequence[str]) -> Iterator[str]:
    """Yield arguments for folders open to all; those that bubblewrap implies are for root only."""
    for folder in wanted:
        if not any(folder == place or folder.startswith(f"{place}/") for place in there):
            yield from ("--perms", "0755", "--dir", folder)

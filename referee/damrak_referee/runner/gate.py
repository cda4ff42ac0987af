"""The relay as the runner sees it: a socket for each sandbox, through which it reaches its seat."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
from pathlib import Path
from typing import Final

from damrak_referee.runner.spawn import Command, Process, spawn

RELAY_MODULE: Final = "damrak_referee.runner.relay"
SUFFIX: Final = ".door"  # as long as that of the seat's own socket: paths must not be longer
_BACKLOG: Final = 16
_KEPT: Final = frozenset({"PATH", "LANG", "LC_ALL", "PYTHONPATH", "LD_LIBRARY_PATH"})
_EXITING: Final = 0x4  # PF_EXITING, as /proc/PID/stat has it among the flags


class Gate:
    """All that goes from sandboxes to the referee passes here; `process` must not end before us."""

    def __init__(self, python: str) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process: Process = spawn(
                Command(
                    [python, "-P", "-m", RELAY_MODULE, str(theirs.fileno())],
                    {name: os.environ[name] for name in _KEPT & os.environ.keys()},
                    {resource.RLIMIT_CORE: (0, 0)},
                    pass_on=(theirs.fileno(),),
                    stderr=None,
                )
            )
        self._line.setblocking(False)

    def open(self, seat: Path, uid: int | None) -> Path:
        """A socket for this user alone that leads to the one of the seat.

        Raises:
            OSError: it cannot be had.
        """
        if not seat.is_socket():
            raise FileNotFoundError(f"nobody listens at {seat}")
        door = seat.with_suffix(SUFFIX)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(door))
            if uid is not None:
                os.chown(door, uid, uid)
            os.chmod(door, 0o600)
            listening.listen(_BACKLOG)
            order = json.dumps({"door": str(door), "to": str(seat)}).encode()
            socket.send_fds(self._line, [order], [listening.fileno()])
        return door

    def close(self, seat: Path) -> None:
        """Hang up on whoever came in by the seat's door, if it has one."""
        door = seat.with_suffix(SUFFIX)
        with contextlib.suppress(OSError):  # it has none, or the relay is dead, and so are we soon
            door.unlink()
            self._line.send(json.dumps({"door": str(door)}).encode())

    @property
    def is_lost(self) -> bool:
        """Whether the relay has ended, and with it all that was said through doors."""
        # What it had open is closed before the kernel tells us: a bot may hear of it sooner.
        return _is_exiting(self.process.pid) or self.process.popen.poll() is not None

    async def end(self) -> None:
        """Have the relay end."""
        self._line.close()
        await self.process.ended()
        self.process.close()


def _is_exiting(process: int) -> bool:
    """Whether a child of ours is on its way out, or gone."""
    try:
        flags = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[6])
    except OSError:
        return True
    return bool(flags & _EXITING)

"""Gates: the runner's side of the relay, with one socket per sandbox that leads to its seat."""

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
SUFFIX: Final = ".door"  # as long as the suffix of the seat's socket, since paths are limited
_BACKLOG: Final = 16
_KEPT: Final = frozenset({"PATH", "LANG", "LC_ALL", "PYTHONPATH", "LD_LIBRARY_PATH"})
_EXITING: Final = 0x4  # PF_EXITING, among the flags in /proc/PID/stat


class Gate:
    """The relay of all traffic from sandboxes to the referee; `process` must not end first."""

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
        """Open a socket for this user only that leads to the socket of the seat.

        Raises:
            OSError: it cannot be created.
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
        """Close the seat's door, if it has one, and the connections through it."""
        door = seat.with_suffix(SUFFIX)
        with contextlib.suppress(OSError):  # no door; or the relay is dead, and we end soon
            door.unlink()
            self._line.send(json.dumps({"door": str(door)}).encode())

    @property
    def is_lost(self) -> bool:
        """Whether the relay has ended, and with it all connections through doors."""
        # Its sockets are closed before the kernel reports its end, so a bot may notice sooner.
        return _is_exiting(self.process.pid) or self.process.popen.poll() is not None

    async def end(self) -> None:
        """Shut the relay down."""
        self._line.close()
        await self.process.ended()
        self.process.close()


def _is_exiting(process: int) -> bool:
    """Return whether a child process is exiting or gone."""
    try:
        flags = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[6])
    except OSError:
        return True
    return bool(flags & _EXITING)

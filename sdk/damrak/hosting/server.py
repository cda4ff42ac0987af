"""The process that forks children. It never runs a bot and has one thread, so forking is safe."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import pickle
import select
import signal
import socket
import sys
import time
import traceback
from typing import Final, NoReturn

from damrak.hosting.child import HEADER, end_process, live, report_crashes
from damrak.hosting.forked import TABLES
from damrak.hosting.limits import adopt_orphans, die_with_parent
from damrak_engine.rules import Rules

assert sys.platform != "win32"  # not imported on Windows, which has no fork

LINE: Final = 3  # the only descriptor of a child in addition to the standard three
FIRST_UNUSED: Final = 256  # higher than any descriptor of this process
SWEEP_SECONDS: Final = 2.0


class Server:
    """Forks, kills and reaps children for its host, and kills all of them when the host is gone."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._wake, self._waker = socket.socketpair()
        self._tables: dict[int, Rules] = {}
        self._pids: dict[int, int] = {}  # by the host's number of the child

    def serve(self) -> None:
        """Process commands until the host has exited."""
        self._waker.setblocking(False)
        self._wake.setblocking(False)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        adopt_orphans()
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        gc.collect()
        gc.freeze()  # otherwise a child's first collection would copy all shared memory
        try:
            while True:
                ready = {descriptor for descriptor, _ in poll.poll()}
                if self._wake.fileno() in ready:
                    self._bury()
                if self._control.fileno() in ready and not self._obey():
                    return
        except OSError:  # the host exited while we wrote to it
            return
        finally:
            self._end_all()

    def _obey(self) -> bool:
        """Process one command; returns False if the host has exited."""
        header, descriptors, _, _ = socket.recv_fds(self._control, HEADER, 2)
        if not header:
            return False
        header += _exactly(self._control, HEADER - len(header))
        payload = _exactly(self._control, int.from_bytes(header, "little"))
        match pickle.loads(payload):  # noqa: S301 - written by our host
            case ("start", int(number)):
                self._fork(number, *descriptors)
            case ("kill", int(number)) if number in self._pids:
                _kill(self._pids[number])
            case ("where", int(number)) if number in self._pids:
                os.kill(self._pids[number], signal.SIGUSR1)
            case ("table", int(key), table):
                self._tables[key] = table.rules()
                if len(self._tables) > TABLES:
                    del self._tables[next(iter(self._tables))]
        return True

    def _fork(self, number: int, line: int, output: int) -> None:
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError:
            pid = -1
            self._tell(number, None)
        if pid == 0:
            self._become_child(parent, line, output)
        os.close(line)
        os.close(output)
        if pid > 0:
            self._pids[number] = pid

    def _become_child(self, parent: int, line: int, output: int) -> NoReturn:
        try:
            os.setsid()
            die_with_parent(parent)
            adopt_orphans()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            # These objects must not close descriptors that are reused by then.
            for ours in (self._control, self._wake, self._waker):
                ours.detach()
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.dup2(line, LINE, inheritable=False)
            os.closerange(LINE + 1, FIRST_UNUSED)
            live(socket.socket(fileno=LINE), self._tables)
        except BaseException:  # noqa: BLE001 - not from a bot: a bug of ours
            traceback.print_exc()
        finally:
            end_process(1)

    def _bury(self) -> None:
        """Reap dead children, kill their process groups, and notify the host."""
        with contextlib.suppress(BlockingIOError):
            while self._wake.recv(1024):
                pass
        for number, pid in list(self._pids.items()):
            dead, status = os.waitpid(pid, os.WNOHANG)
            if dead:
                del self._pids[number]
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)
                self._tell(number, os.waitstatus_to_exitcode(status))
        self._sweep()

    def _sweep(self) -> None:
        """Kill orphans of dead bots; those of a running bot are its own children."""
        deadline = time.monotonic() + SWEEP_SECONDS
        while time.monotonic() < deadline:
            orphans = _children() - set(self._pids.values())
            if not orphans:
                return
            for pid in orphans:
                _kill(pid)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.0005)

    def _tell(self, number: int, status: int | None) -> None:
        self._control.sendall(json.dumps([number, status]).encode() + b"\n")

    def _end_all(self) -> None:
        for pid in self._pids.values():
            _kill(pid)
        for pid in self._pids.values():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        self._pids.clear()
        self._sweep()


def _kill(pid: int) -> None:
    """Kill a process, and its group if it leads one."""
    for end in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(pid, signal.SIGKILL)


def _children() -> set[int]:
    """Return the children of this process; empty where /proc does not provide them."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return {int(pid) for pid in file.read().split()}
    except OSError:
        return set()


def _exactly(control: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = control.recv(size - len(data))
        if not more:
            raise OSError("the host is gone")
        data += more
    return data


def main() -> None:
    """Serve the host through the descriptor given on the command line."""
    report_crashes()
    Server(socket.socket(fileno=int(sys.argv[1]))).serve()
    os._exit(0)

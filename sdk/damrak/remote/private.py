"""A private referee in a child process, which ends with the process that started it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from damrak.errors import HostError
from damrak.remote.address import parse_address
from damrak.remote.control import Control

PARTING: Final = 5.0  # seconds for an orderly shut-down

# Like `python -m damrak_referee`, but on Linux the kernel kills it if the parent process exits.
BOOT: Final = """
import ctypes, os, runpy, signal, sys
parent = int(sys.argv.pop(1))
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
runpy.run_module("damrak_referee", run_name="__main__", alter_sys=True)
"""


class PrivateReferee:
    """A referee for the duration of the context; `address` is where bots connect.

    Raises:
        HostError: it could not be started; the message gives the reason.
    """

    def __init__(self, listen: str, options: tuple[str, ...] = ()) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="damrak"))  # socket paths must be short
        socket = f"unix:{self._folder}/referee.sock"
        log = self._folder / "log"
        where = ("--listen", listen, "--control", socket, "--run", str(self._folder), "--temporary")
        with log.open("wb") as file:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                [sys.executable, "-c", BOOT, str(os.getpid()), *where, *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
                start_new_session=True,  # Ctrl-C is for this process, which ends the referee
            )
        try:
            self.address = self._wait(log)
            self.control = Control(parse_address(socket))
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self.control:
            self._end()

    def _wait(self, log: Path) -> str:
        """Wait until the referee is ready, and return the address it listens on."""
        address = ""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            what, _, where = line.strip().partition(" on ")
            if what == "listening":
                address = where
            if what == "control" and address:
                return address
        said = log.read_text("utf-8", "replace").strip()
        last = said.splitlines()[-1] if said else "it said nothing"
        raise HostError(f"the referee did not start: {last.removeprefix('damrak-referee: ')}")

    def _end(self) -> None:
        process = self._process
        # The second signal ends it immediately: the caller has already waited for the games.
        for _ in range(2):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
        try:
            process.wait(PARTING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

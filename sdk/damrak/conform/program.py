"""The client's process, if `damrak conform` starts it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Final

from damrak.conform.scenario import Absent

MERCY_S: Final = 5.0
LINES_KEPT: Final = 12


class Program:
    """Starts the client with DAMRAK_ADDRESS and, if needed, DAMRAK_TOKEN in its environment.

    `{address}` in the command is replaced by the address, too.
    """

    def __init__(
        self, command: Sequence[str], address: str, token: str | None, stir: Callable[[], None]
    ) -> None:
        self._command = [part.replace("{address}", address) for part in command]
        own = {k: v for k, v in os.environ.items() if k not in ("DAMRAK_TICKET", "DAMRAK_TOKEN")}
        secret = {} if token is None else {"DAMRAK_TOKEN": token}
        self._environment = {**own, **secret, "DAMRAK_ADDRESS": address}
        self._stir = stir
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._said: list[str] = []

    @property
    def code(self) -> int | None:
        """The exit code; None before the program is started and while it runs."""
        return None if self._process is None else self._process.returncode

    @property
    def last_words(self) -> str:
        """The last non-empty line of output, for the report."""
        return next((line for line in reversed(self._said) if line), "")

    async def start(self) -> None:
        """Start the program unless it is running.

        Raises:
            Absent: it cannot be started.
        """
        if self._process is not None and self._process.returncode is None:
            return
        if self._watch is not None:
            await self._watch
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=sys.platform != "win32",
            )
        except OSError as problem:
            raise Absent(f"cannot start {self._command[0]}: {problem.strerror}") from None
        self._watch = asyncio.create_task(self._listen(self._process))

    async def stop(self) -> None:
        """Terminate the program, and kill it if it does not end."""
        process = self._process
        if process is None or self._watch is None:
            return
        if process.returncode is None:
            self._signal(process, signal.SIGTERM)
            try:
                await asyncio.wait_for(asyncio.shield(self._watch), MERCY_S)
            except TimeoutError:
                self._signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        await self._watch

    async def kill(self) -> None:
        """Kill the program without notice."""
        if self._process is not None and self._watch is not None:
            if self._process.returncode is None:
                self._signal(self._process, getattr(signal, "SIGKILL", signal.SIGTERM))
            await self._watch

    async def restart(self) -> None:
        """Start the program, killing it first if it is running.

        Raises:
            Absent: it cannot be started.
        """
        await self.kill()
        await self.start()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.read(4096):
            self._said += line.decode("utf-8", "replace").splitlines()
            del self._said[:-LINES_KEPT]
        await process.wait()
        self._stir()

    @staticmethod
    def _signal(process: asyncio.subprocess.Process, number: int) -> None:
        try:
            if sys.platform == "win32":
                process.send_signal(number)
            else:
                os.killpg(process.pid, number)  # with its child processes
        except ProcessLookupError:
            pass

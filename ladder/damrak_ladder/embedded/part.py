"""A process of the platform: started, monitored and stopped, with its output in a log file."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from damrak_ladder.installation.logs import gist

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 30.0
HEALTHY_AFTER_S: Final = 60.0
"""A process that ran for this long is restarted with the initial back-off."""

LARGEST_LOG: Final = 5_000_000
"""A longer log is moved aside; one old log is kept."""

_PR_SET_PDEATHSIG: Final = 1
_LIBC: Final = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with(parent: int) -> None:
    """Have this process killed when its parent ends, if supported; exit if that has happened."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


@dataclass(frozen=True, slots=True)
class Plan:
    """The definition of a part."""

    name: str
    command: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict)
    niceness: int = 0
    stop: Sequence[tuple[int, float]] = ((signal.SIGTERM, 5.0),)
    """Signals to stop it, each with the seconds to wait before the next; finally it is killed."""

    def steps(self) -> Iterator[tuple[float, int]]:
        """Yield the signals, each after the delay in seconds at which it is sent."""
        after = 0.0
        for number, seconds in self.stop:
            yield after, number
            after += seconds
        yield after, signal.SIGKILL


class Part:
    """A part of the platform, restarted with increasing back-off when it ends."""

    def __init__(self, plan: Plan, logs: Path | None) -> None:
        self.plan = plan
        self.log = None if logs is None else logs / f"{plan.name}.log"  # None: shared with ours
        self.process: subprocess.Popen[bytes] | None = None
        self._log_start = 0  # offset of the lines since this start
        self._began = 0.0
        self._wait = FIRST_WAIT_S
        self._next = 0.0

    def start(self) -> None:
        """Start the process."""
        parent, niceness = os.getpid(), self.plan.niceness

        def live_and_die_with_parent() -> None:
            # Only system calls here: it runs between fork and exec.
            die_with(parent)
            if niceness:
                os.nice(niceness)

        with contextlib.ExitStack() as files:
            log = None if self.log is None else files.enter_context(self.log.open("ab"))
            self._log_start = 0 if log is None else log.seek(0, os.SEEK_END)
            self.process = subprocess.Popen(  # noqa: S603 - our own programs
                list(self.plan.command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.plan.variables},
                start_new_session=True,  # Ctrl-C is for us; we stop the parts in order
                preexec_fn=live_and_die_with_parent,
            )
        self._began = time.monotonic()

    def found_dead(self) -> str | None:
        """Return how it ended, if it has since the last call, and schedule its next start."""
        if self.process is None or self.process.poll() is None:
            return None
        code = self.process.returncode
        self._end_group(signal.SIGKILL)  # kills what it left behind
        self.process = None
        now = time.monotonic()
        if now - self._began > HEALTHY_AFTER_S:
            self._wait = FIRST_WAIT_S
        self._next = now + self._wait
        self._wait = min(self._wait * 2, LONGEST_WAIT_S)
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        last = self.last_line()
        return f"{how}: {last}" if last else how

    def start_if_due(self) -> bool:
        """Restart it if it has ended and its back-off is over; return whether it was started."""
        if self.process is not None or time.monotonic() < self._next:
            return False
        self.start()
        return True

    @property
    def has_been_started(self) -> bool:
        """Whether it has ever been started."""
        return self._began > 0

    @property
    def is_alive(self) -> bool:
        """Whether it is running."""
        return self.process is not None and self.process.poll() is None

    def tell_to_stop(self, number: int) -> None:
        """Send a signal to the process; SIGKILL also to its children."""
        if self.process is None:
            return
        if number == signal.SIGKILL:
            self._end_group(number)
        elif self.process.poll() is None:
            self.process.send_signal(number)

    def last_line(self) -> str:
        """Return the last line logged since its last start; empty if there is none."""
        if self.log is None:
            return ""
        with contextlib.suppress(OSError), self.log.open("rb") as log:
            log.seek(max(self._log_start, self.log.stat().st_size - 50_000))
            lines = log.read().decode("utf-8", "replace").strip().splitlines()
            return gist(lines[-1].strip())[:300] if lines else ""
        return ""

    def cap_log(self) -> None:
        """Move the log aside if it has become long, and begin a new one."""
        if self.log is None:
            return
        with contextlib.suppress(OSError):
            if self.log.stat().st_size <= LARGEST_LOG:
                return
            old = self.log.with_suffix(".log.1")
            old.write_bytes(self.log.read_bytes())
            os.truncate(self.log, 0)  # the part appends, so it continues at the start
            self._log_start = 0

    def _end_group(self, number: int) -> None:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

"""The supervisor of the parts: starts them, restarts them, and stops them in order."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from damrak_ladder.embedded.load import Governor, seconds_of_tree
from damrak_ladder.embedded.part import Part, Plan
from damrak_ladder.installation.pace import ask_for_rest

LOOK_EVERY_S: Final = 1.0
LAST: Final = ("referee", "broker")
_LEAST_REST_S: Final = 0.2

Tell = Callable[[str], None]


class Supervisor:
    """Several parts, run in the foreground by one thread."""

    def __init__(
        self,
        plans: Sequence[Plan],
        logs: Path | None,
        home: Path,
        governor: Governor | None,
        tell: Tell,
    ) -> None:
        self.parts = [Part(plan, logs) for plan in plans]
        self._home = home
        self._governor = governor
        self._tell = tell
        self._signals = 0
        self._asked_until = 0.0
        self._wake, self._woken = -1, -1

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Treat SIGINT, SIGTERM and SIGHUP as requests to stop; stop all parts at the end."""
        self._woken, self._wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        wished = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self._note) for number in wished}
        # A child that ends wakes us, too.
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        try:
            yield
        finally:
            self._stop_all()
            signal.set_wakeup_fd(-1)
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(self._wake)
            os.close(self._woken)

    @property
    def is_to_stop(self) -> bool:
        """Whether a stop has been requested."""
        return self._signals > 0

    def start(self, name: str) -> None:
        """Start the part of this name."""
        self._named(name).start()

    def wait(self, is_ready: Callable[[], bool], patience_s: float) -> bool:
        """Watch the parts until `is_ready`; return False on a timeout or a request to stop."""
        end = time.monotonic() + patience_s
        while not self.is_to_stop and time.monotonic() < end:
            if is_ready():
                return True
            self.watch(0.1)
        return False

    def run(self) -> None:
        """Watch the parts until a stop is requested."""
        while not self.is_to_stop:
            self.watch(LOOK_EVERY_S)

    def watch(self, seconds: float) -> None:
        """Check the parts once, then wait for this time, or until something happens."""
        for part in self.parts:
            if (how := part.found_dead()) is not None:
                self._tell(f"{part.plan.name} has ended ({how}); starting it again")
            if part.has_been_started:
                part.start_if_due()
            part.cap_log()
        self._govern()
        select.select([self._woken], [], [], seconds)
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 4096)

    def _govern(self) -> None:
        if self._governor is None:
            return
        used = seconds_of_tree(os.getpid())
        if used is None:
            return
        now = time.time()
        until = self._governor.rest_until(used, now)
        if until - now > _LEAST_REST_S and abs(until - self._asked_until) > _LEAST_REST_S:
            with contextlib.suppress(OSError):
                ask_for_rest(self._home, until)
                self._asked_until = until

    def _stop_all(self) -> None:
        """Stop the parts: those that create work first, the referee and the broker last."""
        running = [part for part in self.parts if part.is_alive]
        last = [[part for part in running if part.plan.name == name] for name in LAST]
        self._stop([part for part in running if part.plan.name not in LAST])
        for parts in last:
            self._stop(parts)

    def _stop(self, parts: Sequence[Part]) -> None:
        asked = self._signals
        begin = time.monotonic()
        due = sorted(
            ((after, number, part) for part in parts for after, number in part.plan.steps()),
            key=lambda step: step[0],
        )
        while any(part.is_alive for part in parts):
            is_urgent = self._signals > max(asked, 1)  # asked again: at once
            while due and (is_urgent or due[0][0] <= time.monotonic() - begin):
                _, number, part = due.pop(0)
                part.tell_to_stop(number)
            select.select([self._woken], [], [], 0.05)
            with contextlib.suppress(BlockingIOError):
                os.read(self._woken, 4096)
        for part in parts:
            part.tell_to_stop(signal.SIGKILL)  # what it left behind

    def _named(self, name: str) -> Part:
        return next(part for part in self.parts if part.plan.name == name)

    def _note(self, _: int, __: FrameType | None) -> None:
        self._signals += 1

"""A pool of processes that work through a numbered job and return the results in order.

Each process takes the next free number, so that a slow one does not hold up the others; results are
sent in batches. Stopping the pool loses no finished work: completed results still arrive, and work
in progress is discarded without a trace.
"""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, Final, Protocol, TypeVar

from damrak.errors import HostError

BATCH_S: Final = 0.2
LAST_WORDS_S: Final = 10.0  # enough for a process that a busy machine does not schedule for a while
_SPAWN: Final = get_context("spawn")  # the same on every platform, and safe beside threads

Work = TypeVar("Work")
Result = TypeVar("Result", covariant=True)


class Job(Protocol[Work, Result]):
    """Numbered pieces of work. Must be picklable, because every process gets a copy."""

    @property
    def count(self) -> int:
        """Return the number of pieces."""

    def do(self, number: int) -> Work:
        """Do one piece. KeyboardInterrupt may interrupt it, which must leave nothing behind."""

    def keep(self, work: Work) -> Result:
        """Store finished work and return what to report of it; never interrupted."""

    def discard(self, number: int) -> None:
        """Undo `keep`, if it was called for this number."""


def work(job: Job[Any, Result], processes: int) -> Generator[Result]:
    """Yield the results in the order of their numbers; with 0 processes, work in this process.

    After Ctrl-C, finished results are still yielded, even those after a gap, before
    KeyboardInterrupt is raised. A caller can close the generator early: that stops the pool and
    discards the rest.

    Raises:
        HostError: a process of the pool crashed, or the job raised an unexpected exception.
    """
    if processes == 0:
        for number in range(job.count):
            yield job.keep(job.do(number))
        return
    expected = 0
    with _held_interrupt() as interrupt:  # before processes exist that could outlive an interrupt
        crew = _Crew(job, processes)
        try:
            while expected < job.count and not interrupt.asked:
                crew.listen()
                while expected in crew.results:
                    yield crew.results.pop(expected)
                    expected += 1
            if interrupt.asked:
                crew.stop()
                for number in sorted(crew.results):
                    yield crew.results.pop(number)
        finally:
            crew.stop()
            for number in crew.results:
                job.discard(number)
    if interrupt.asked:
        raise KeyboardInterrupt


class _Crew:
    """The worker processes, and the results that have arrived out of order."""

    def __init__(self, job: Job[Any, Any], processes: int) -> None:
        self.results: dict[int, Any] = {}
        self._processes: list[SpawnProcess] = []
        self._from: dict[Connection, SpawnProcess] = {}
        self._following = _SPAWN.Value("q", 0)  # removed from the system once no process holds it
        with _no_signals():  # until the process has installed its own handlers
            for _ in range(processes):
                receiver, sender = _SPAWN.Pipe(duplex=False)
                process = _SPAWN.Process(target=_member, args=(job, self._following, sender))
                process.start()
                sender.close()
                self._processes.append(process)
                self._from[receiver] = process

    def listen(self) -> None:
        """Receive results, waiting for at most `BATCH_S` seconds.

        Raises:
            HostError: a process reported a failure, or crashed.
        """
        for receiver in wait(list(self._from), BATCH_S):
            assert isinstance(receiver, Connection)
            self._take(receiver)

    def _take(self, receiver: Connection) -> None:
        try:
            news = receiver.recv()
        except (EOFError, OSError):
            process = self._from.pop(receiver)
            process.join()
            raise HostError(f"a worker process died (exit code {process.exitcode})") from None
        if news is None:
            del self._from[receiver]
        elif isinstance(news, str):
            raise HostError(news)
        else:
            self.results.update(news)

    def stop(self) -> None:
        """Stop all processes and receive the results that they have finished."""
        for process in self._processes:
            process.terminate()
        patience = time.monotonic() + LAST_WORDS_S
        while self._from and time.monotonic() < patience:
            for receiver in wait(list(self._from), BATCH_S):
                assert isinstance(receiver, Connection)
                try:
                    self._take(receiver)
                except HostError:
                    self._from.pop(receiver, None)
        for process in self._processes:
            process.join(max(0.0, patience - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
        self._processes.clear()


def _member(job: Job[Any, Any], following: Any, sender: Connection) -> None:
    """Run one worker process."""
    stop = _Stop()
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    _let_signals_in()
    finished: dict[int, Any] = {}
    sent_at = time.monotonic()
    try:
        while not stop.asked and (number := _claim(following)) < job.count:
            done = stop.unless_asked(job, number)
            if stop.asked:
                break
            finished[number] = job.keep(done)
            if time.monotonic() - sent_at > BATCH_S:
                sender.send(finished)
                finished = {}
                sent_at = time.monotonic()
        sender.send(finished)
        sender.send(None)
    except BrokenPipeError:
        pass  # the parent process has exited
    except OSError as problem:  # such as a full disk: a traceback would not help the user
        sender.send(finished)
        reason = (problem.strerror or str(problem)).lower()
        sender.send(f"{problem.filename}: {reason}" if problem.filename else reason)
    except HostError as problem:
        sender.send(finished)
        sender.send(str(problem))
    except Exception:  # noqa: BLE001 - reported to the parent process
        sender.send(finished)
        sender.send(f"a worker process failed: {traceback.format_exc(limit=-3)}")
    finally:
        sender.close()


def _claim(following: Any) -> int:
    with following.get_lock():
        number = int(following.value)
        following.value = number + 1
    return number


class _Stop:
    """A signal handler that only interrupts a piece of work."""

    def __init__(self) -> None:
        self.asked = False
        self._is_working = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if self._is_working:
            self._is_working = False
            raise KeyboardInterrupt

    def unless_asked(self, job: Job[Work, Any], number: int) -> Work | None:
        """Return the work, or None if it was interrupted."""
        try:
            self._is_working = True
            done = job.do(number)
            self._is_working = False
        except KeyboardInterrupt:
            return None
        finally:
            self._is_working = False
        return done


class _Interrupt:
    """A SIGINT handler that records the first Ctrl-C and raises at the second."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def _held_interrupt() -> Iterator[_Interrupt]:
    interrupt = _Interrupt()
    if current_thread() is not main_thread():  # signals are delivered to the main thread only
        yield interrupt
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _no_signals() -> Iterator[None]:
    """Block signals in processes that are started here, until they call `_let_signals_in`."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _let_signals_in() -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))

"""A crew of processes that work through a numbered job, and hand the results back in order.

Every process takes the next number that is still free, so a slow one holds nobody up; results
travel in batches. Nothing is lost on the way out: when the crew is stopped, what it has finished
still arrives, and what it was in the middle of never happened.
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
LAST_WORDS_S: Final = 10.0  # also on a machine that gives it no time for a while
_SPAWN: Final = get_context("spawn")  # alike everywhere, and safe beside threads

Work = TypeVar("Work")
Result = TypeVar("Result", covariant=True)


class Job(Protocol[Work, Result]):
    """Numbered pieces of work. It is sent to every process of the crew, so it can be pickled."""

    @property
    def count(self) -> int:
        """How many pieces there are."""

    def do(self, number: int) -> Work:
        """One piece; may be broken off by KeyboardInterrupt, and must then leave nothing behind."""

    def keep(self, work: Work) -> Result:
        """Put finished work away, and say what is to be reported of it; never broken off."""

    def discard(self, number: int) -> None:
        """Take back what `keep` put away, if it did."""


def work(job: Job[Any, Result], processes: int) -> Generator[Result]:
    """The results in the order of their numbers; 0 processes: all is done in this one.

    On Ctrl-C the results that are finished still come, even behind a gap, before KeyboardInterrupt
    does. A caller that has enough closes the generator: that stops the crew and discards the rest.

    Raises:
        HostError: a process of the crew died, or the job raised what it should not.
    """
    if processes == 0:
        for number in range(job.count):
            yield job.keep(job.do(number))
        return
    expected = 0
    with _held_interrupt() as interrupt:  # before there are any who would outlive one
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
    """The processes, and the results that have arrived out of turn."""

    def __init__(self, job: Job[Any, Any], processes: int) -> None:
        self.results: dict[int, Any] = {}
        self._processes: list[SpawnProcess] = []
        self._from: dict[Connection, SpawnProcess] = {}
        self._following = _SPAWN.Value("q", 0)  # gone from the system once nobody holds it here
        with _no_signals():  # until the process has said how it takes them
            for _ in range(processes):
                receiver, sender = _SPAWN.Pipe(duplex=False)
                process = _SPAWN.Process(target=_member, args=(job, self._following, sender))
                process.start()
                sender.close()
                self._processes.append(process)
                self._from[receiver] = process

    def listen(self) -> None:
        """Take in what arrives within a moment.

        Raises:
            HostError: bad news arrived, or none where some was due.
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
        """Have everyone stop, and take in what they have finished."""
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
    """The life of one process."""
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
        pass  # whoever started us has gone
    except OSError as problem:  # a full disk, say: the place in our source helps nobody
        sender.send(finished)
        reason = (problem.strerror or str(problem)).lower()
        sender.send(f"{problem.filename}: {reason}" if problem.filename else reason)
    except HostError as problem:
        sender.send(finished)
        sender.send(str(problem))
    except Exception:  # noqa: BLE001 - a process of its own: it is told there, not swallowed
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
    """A signal handler that breaks off a piece of work, and nothing else."""

    def __init__(self) -> None:
        self.asked = False
        self._is_working = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if self._is_working:
            self._is_working = False
            raise KeyboardInterrupt

    def unless_asked(self, job: Job[Work, Any], number: int) -> Work | None:
        """The work, or None if it was broken off."""
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
    """Ctrl-C, noted instead of raised; raised if it comes again."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def _held_interrupt() -> Iterator[_Interrupt]:
    interrupt = _Interrupt()
    if current_thread() is not main_thread():  # only that one can be interrupted
        yield interrupt
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _no_signals() -> Iterator[None]:
    """Processes started in here are deaf until they call `_let_signals_in`."""
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

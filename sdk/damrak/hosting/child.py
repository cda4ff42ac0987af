"""The program of a child process: one bot, one seat, one match.

It reads frames from its host (a length, then `marshal` or, once, `pickle`) and writes lines.
"""

from __future__ import annotations

import contextlib
import faulthandler
import marshal
import os
import pickle
import random
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, NoReturn, TextIO, cast

from damrak.hosting.driver import Driver, Question, SeatPlan
from damrak.hosting.faults import fault_of
from damrak.hosting.forms import event_of, observation_of, result_of
from damrak.hosting.limits import (
    MIB,
    forbid_core_dumps,
    limit_memory,
    limit_resources,
    release_reserve,
)
from damrak.hosting.messages import Decided, Done, Message, Printed, Ready, line_of
from damrak.hosting.stdout_guard import WatchedStdout
from damrak_engine.board import parse_board
from damrak_engine.clock import TimeLeft
from damrak_engine.options import Options
from damrak_engine.rules import Rules, rules_for

HEADER: Final = 4
end_process: Final = os._exit  # saved, because a bot might replace it
BALLAST: Final = 4 * MIB
LINE_LOST: Final = 76  # exit status of a child that has lost its host: EX_PROTOCOL


@dataclass(frozen=True, slots=True)
class Table:
    """The setting of a game, for a process that does not have its rules yet."""

    board: dict[str, Any]
    seats: int
    options: Options

    def rules(self) -> Rules:
        """Return the rules of this table."""
        return rules_for(parse_board(self.board), self.seats, self.options)


@dataclass(frozen=True, slots=True)
class Order:
    """The first message to a child; `table` is the key of one it was forked with, or the table."""

    plan: SeatPlan
    table: int | Table
    memory_bytes: int | None
    resources: tuple[tuple[str, int], ...] = ()


def frame(payload: bytes) -> bytes:
    """Return a payload in the host's format."""
    return len(payload).to_bytes(HEADER, "little") + payload


def live(line: socket.socket, tables: Mapping[int, Rules]) -> NoReturn:
    """Play a match over this connection, and end the process."""
    status = 1
    try:
        status = _play(line, tables)
    except BaseException:  # noqa: BLE001 - not from a bot: a bug of ours
        _report()
    finally:
        # Skip clean-up: exit handlers of the bot must not run.
        _flush()
        end_process(status)


def _play(line: socket.socket, tables: Mapping[int, Rules]) -> int:
    reader = line.makefile("rb")
    order: Order = pickle.loads(_payload(reader))  # noqa: S301 - written by our host
    rules = order.table.rules() if isinstance(order.table, Table) else tables[order.table]
    printing = _settle(order)
    ballast = bytearray(BALLAST)

    def say(message: Message) -> None:
        line.sendall(line_of(message))

    try:
        _attend(Driver(order.plan, rules), rules, reader, say, printing)
        return 0
    except _HostGone:
        return LINE_LOST
    except BaseException as problem:  # noqa: BLE001 - a bot may raise anything
        # A bot that is out of memory still holds it, and even raising the limit takes some.
        ballast.clear()
        release_reserve()
        fault = fault_of(problem)
        try:
            say(fault)
        except OSError:
            return LINE_LOST
        return 1


def _attend(
    driver: Driver,
    rules: Rules,
    reader: BinaryIO,
    say: Callable[[Message], None],
    printing: WatchedStdout,
) -> None:
    say(Ready(driver.name))
    while True:
        match marshal.loads(_payload(reader)):  # noqa: S302 - written by our host
            case ("ask", decision, observation, legal, events, decision_us, bank_us, objection):
                question = Question(
                    decision,
                    observation_of(rules, observation),
                    legal,
                    TimeLeft(decision_us, bank_us),
                    tuple([event_of(event) for event in events]),
                    objection,
                )
                if objection is not None:
                    sys.stderr.write(f"decision {decision}: rejected: {objection}\n")
                answer = driver.choose(question)
                say(Decided(decision, answer))
            case ("finish", events, result):
                try:
                    driver.finish([event_of(event) for event in events], result_of(result))
                finally:
                    if printing.detail:
                        say(Printed(printing.detail, printing.traceback))
                        _payload(reader)  # the host expects one line at a time
                say(Done())
                return


class _HostGone(Exception):
    """The connection to the host has ended."""


def _payload(reader: BinaryIO) -> bytes:
    try:
        header = reader.read(HEADER)
        payload = reader.read(int.from_bytes(header, "little"))
    except (OSError, ValueError):  # the bot closed it
        raise _HostGone from None
    if len(header) < HEADER:
        raise _HostGone
    return payload


def _settle(order: Order) -> WatchedStdout:
    """Prepare this process for the bot: folder, output, limits and random seed."""
    # Line-buffered, so that output is not lost if the process crashes.
    stdout = open(1, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    printing = WatchedStdout(stdout)
    sys.stdout = cast(TextIO, printing)
    sys.stderr = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    folder = order.plan.spec.folder
    if folder is not None:
        os.chdir(folder)
    forbid_core_dumps()
    if order.memory_bytes is not None:
        limit_memory(order.memory_bytes)
    limit_resources(order.resources)
    # Makes bots that ignore their own rng reproducible, too.
    random.seed(order.plan.chance)
    return printing


def _report() -> None:
    with contextlib.suppress(BaseException):  # the bot may have broken even this
        traceback.print_exc()


def _flush() -> None:
    for name in ("stdout", "stderr"):
        with contextlib.suppress(BaseException):  # the bot may have replaced it
            getattr(sys, name).flush()


def report_crashes() -> None:
    """Make this process and its forks print a traceback when they crash or receive SIGUSR1.

    This is the only trace of a crash in native code, and of a bot that hangs.
    """
    faulthandler.enable(2)
    if sys.platform != "win32":
        faulthandler.register(signal.SIGUSR1, 2)


def main() -> NoReturn:
    """Run a new, unforked child; the command line names the descriptor of its connection."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    report_crashes()
    if sys.platform == "win32":
        line = socket.fromshare(sys.stdin.buffer.read())
    else:
        line = socket.socket(fileno=int(sys.argv[1]))
    live(line, {})

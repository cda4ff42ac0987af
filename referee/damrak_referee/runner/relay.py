"""Between the sandboxes and the referee: bytes pass, but from a bot only so many a second.

gRPC reads a connection as long as there is something to read, and has no limit for what is below
messages: a bot that sends such frames without end would keep the thread busy that all others need.
What a bot has sent beyond its allowance stays unread, so that the bot waits, and nobody else.

A process of its own, `python -m damrak_referee.runner.relay DESCRIPTOR`, which understands nothing
of what it passes on. The descriptor is a line of packets from its runner: an open one brings a
socket that listens, a name for it and the path where to connect; with the line the process ends.
"""

from __future__ import annotations

import contextlib
import gc
import json
import select
import signal
import socket
import sys
from collections.abc import Callable
from time import monotonic
from typing import Final

from damrak_referee.runner.spawn import raise_open_files

RATE: Final = 1 << 20  # bytes a second from one seat, all its connections together
BURST: Final = 4 << 20  # that it may have saved up: the largest message that is received
PRICE: Final = 1 << 16  # of a connection, which is dear for the referee: in bytes
CHUNK: Final = 1 << 16
PACKET: Final = 1 << 12
GONE: Final = select.EPOLLHUP | select.EPOLLERR


class Allowance:
    """What one seat may still send."""

    __slots__ = ("_at", "_left")

    def __init__(self, now: float) -> None:
        self._left = float(BURST)
        self._at = now

    def spend(self, price: int) -> None:
        """Take so much off; it may be more than there is."""
        self._left -= price

    def wait(self, now: float) -> float:
        """The seconds until there is something again; 0 if there is."""
        self._left = min(self._left + (now - self._at) * RATE, BURST)
        self._at = now
        return 0.0 if self._left > 0 else (CHUNK - self._left) / RATE


class Relay:
    """All doors, and who has to wait."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._poll = select.epoll()
        self._act: dict[int, Callable[[int], None]] = {}
        self._resume: dict[Callable[[], None], float] = {}  # when
        self._doors: dict[str, Door] = {}
        self._ends = False
        self.watch(line.fileno(), select.EPOLLIN, self._obey)

    def run(self) -> None:
        """Work until the runner hangs up."""
        while not self._ends:
            # One at a time: what the next is about may be closed, and its number another's.
            for descriptor, events in self._poll.poll(self._patience(), 1):
                self._act[descriptor](events)
        for door in self._doors.values():
            door.close()
        self._poll.close()
        self._line.close()

    def watch(self, descriptor: int, events: int, act: Callable[[int], None]) -> None:
        """Have this called on such events."""
        self._act[descriptor] = act
        self._poll.register(descriptor, events)

    def change(self, descriptor: int, events: int) -> None:
        """On other events."""
        self._poll.modify(descriptor, events)

    def forget(self, descriptor: int) -> None:
        """On none any more."""
        del self._act[descriptor]
        self._poll.unregister(descriptor)

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Have this called after a while."""
        self._resume[act] = monotonic() + seconds

    def _patience(self) -> float | None:
        if not self._resume:
            return None
        now = monotonic()
        for act in [act for act, when in self._resume.items() if when <= now]:
            del self._resume[act]
            act()
        return max(0.0, min(self._resume.values(), default=now) - now) if self._resume else None

    def _obey(self, _events: int) -> None:
        data, descriptors, _flags, _address = socket.recv_fds(self._line, PACKET, 1)
        if not data:
            self._ends = True
            return
        order = json.loads(data)
        if descriptors:
            listening = socket.socket(fileno=descriptors[0])
            self._doors[order["door"]] = Door(self, listening, order["to"])
        elif (door := self._doors.pop(order["door"], None)) is not None:
            door.close()


class Door:
    """One seat's socket: whoever connects there is connected with the referee."""

    def __init__(self, relay: Relay, listening: socket.socket, to: str) -> None:
        self.relay = relay
        self.allowance = Allowance(monotonic())
        self.passages: set[Passage] = set()
        self._listening = listening
        self._to = to
        self._is_open = True
        listening.setblocking(False)
        relay.watch(listening.fileno(), select.EPOLLIN, self._enter)

    def close(self) -> None:
        """Hang up on everybody."""
        self._is_open = False
        self.relay.forget(self._listening.fileno())
        self._listening.close()
        for passage in list(self.passages):
            passage.close()

    def _enter(self, _events: int) -> None:
        if wait := self.allowance.wait(monotonic()):
            self.relay.change(self._listening.fileno(), 0)
            self.relay.later(wait, self._go_on)
            return
        self.allowance.spend(PRICE)
        with contextlib.suppress(OSError):
            bot, _ = self._listening.accept()
            referee = socket.socket(socket.AF_UNIX)
            try:
                referee.setblocking(False)
                referee.connect(self._to)
                bot.setblocking(False)
            except OSError:
                referee.close()
                bot.close()
                raise
            self.passages.add(Passage(self, bot, referee))

    def _go_on(self) -> None:
        if self._is_open:
            self.relay.change(self._listening.fileno(), select.EPOLLIN)


class Passage:
    """One connection: what a side has sent, and the other has not taken yet, is a chunk at most."""

    def __init__(self, door: Door, bot: socket.socket, referee: socket.socket) -> None:
        self._door = door
        self._bot, self._referee = bot, referee
        self._up = self._down = b""
        self._bot_ended = self._waits = False
        self._events = {bot.fileno(): select.EPOLLIN, referee.fileno(): select.EPOLLIN}
        door.relay.watch(bot.fileno(), select.EPOLLIN, self._from_bot)
        door.relay.watch(referee.fileno(), select.EPOLLIN, self._from_referee)

    def close(self) -> None:
        """Hang up on both."""
        for side in (self._bot, self._referee):
            self._door.relay.forget(side.fileno())
            side.close()
        self._door.passages.discard(self)

    def _from_bot(self, events: int) -> None:
        self._guarded(self._hear_bot, events)

    def _from_referee(self, events: int) -> None:
        self._guarded(self._hear_referee, events)

    def _guarded(self, hear: Callable[[int], None], events: int) -> None:
        try:
            hear(events)
        except OSError:
            self.close()
        else:
            if self._bot.fileno() >= 0:
                self._listen()

    def _hear_bot(self, events: int) -> None:
        if events & select.EPOLLOUT:
            self._down = self._down[self._bot.send(self._down) :]
        if events & select.EPOLLIN and not (self._up or self._bot_ended):
            allowance = self._door.allowance
            if wait := allowance.wait(monotonic()):
                self._waits = True
                self._door.relay.later(wait, self._go_on)
                return
            data = self._bot.recv(CHUNK)
            allowance.spend(len(data))
            if data:
                self._up = self._sent(self._referee, data)
            else:
                self._bot_ended = True
                self._referee.shutdown(socket.SHUT_WR)
        elif events & GONE:  # it cannot hear the referee either
            self.close()

    def _hear_referee(self, events: int) -> None:
        if events & select.EPOLLOUT:
            self._up = self._up[self._referee.send(self._up) :]
        if events & select.EPOLLIN and not self._down:
            data = self._referee.recv(CHUNK)
            if not data:
                self.close()
                return
            self._down = self._sent(self._bot, data)
        elif events & GONE:
            self.close()

    def _go_on(self) -> None:
        self._waits = False
        if self._bot.fileno() >= 0:
            self._listen()

    def _listen(self) -> None:
        """To either side, unless what it said last is still on its way, or it has to wait."""
        from_bot = not (self._up or self._bot_ended or self._waits)
        self._want(self._bot, from_bot, bool(self._down))
        self._want(self._referee, not self._down, bool(self._up))

    def _want(self, side: socket.socket, reading: bool, writing: bool) -> None:
        events = select.EPOLLIN * reading | select.EPOLLOUT * writing
        descriptor = side.fileno()
        if self._events[descriptor] != events:
            self._events[descriptor] = events
            self._door.relay.change(descriptor, events)

    @staticmethod
    def _sent(to: socket.socket, data: bytes) -> bytes:
        """What could not be sent yet."""
        try:
            return data[to.send(data) :]
        except BlockingIOError:
            return data


def main() -> None:
    """Be the relay of the runner that started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise_open_files()
    gc.disable()  # a passage and its socket know each other, and are parted by hand
    Relay(socket.socket(fileno=int(sys.argv[1]))).run()


if __name__ == "__main__":
    main()

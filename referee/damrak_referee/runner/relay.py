"""The relay between sandboxes and the referee, which limits the rate of bytes from bots.

gRPC reads a connection as long as there is data, and has no limits below the level of messages: a
bot that sends frames without end would occupy the thread that serves all others. Data beyond a
bot's allowance stays unread, so that only this bot has to wait.

It is a separate process, `python -m damrak_referee.runner.relay DESCRIPTOR`, which does not parse
the data. The descriptor is a packet socket from its runner. A packet that opens a door carries a
listening socket, its name, and the path to connect to. The process ends with the connection.
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

RATE: Final = 1 << 20  # bytes per second from one seat, over all its connections
BURST: Final = 4 << 20  # that can accumulate: the size of the largest accepted message
PRICE: Final = 1 << 16  # bytes charged per connection, as one is costly for the referee
CHUNK: Final = 1 << 16
PACKET: Final = 1 << 12
GONE: Final = select.EPOLLHUP | select.EPOLLERR


class Allowance:
    """A token bucket for the bytes of one seat."""

    __slots__ = ("_at", "_left")

    def __init__(self, now: float) -> None:
        self._left = float(BURST)
        self._at = now

    def spend(self, price: int) -> None:
        """Charge the price; the bucket may be overdrawn."""
        self._left -= price

    def wait(self, now: float) -> float:
        """Return the seconds until sending is allowed; 0 if it is."""
        self._left = min(self._left + (now - self._at) * RATE, BURST)
        self._at = now
        return 0.0 if self._left > 0 else (CHUNK - self._left) / RATE


class Relay:
    """The event loop, with all doors and timers."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._poll = select.epoll()
        self._act: dict[int, Callable[[int], None]] = {}
        self._resume: dict[Callable[[], None], float] = {}  # by callback, the time
        self._doors: dict[str, Door] = {}
        self._ends = False
        self.watch(line.fileno(), select.EPOLLIN, self._obey)

    def run(self) -> None:
        """Work until the runner closes the connection."""
        while not self._ends:
            # One at a time: an action may close the next descriptor, whose number is then reused.
            for descriptor, events in self._poll.poll(self._patience(), 1):
                self._act[descriptor](events)
        for door in self._doors.values():
            door.close()
        self._poll.close()
        self._line.close()

    def watch(self, descriptor: int, events: int, act: Callable[[int], None]) -> None:
        """Call `act` on these events of the descriptor."""
        self._act[descriptor] = act
        self._poll.register(descriptor, events)

    def change(self, descriptor: int, events: int) -> None:
        """Change the events of a watched descriptor."""
        self._poll.modify(descriptor, events)

    def forget(self, descriptor: int) -> None:
        """Stop watching the descriptor."""
        del self._act[descriptor]
        self._poll.unregister(descriptor)

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Call `act` after a delay."""
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
    """One seat's socket: each connection to it is relayed to the referee."""

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
        """Stop listening, and close all connections."""
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
    """One connection. In each direction it buffers at most one chunk."""

    def __init__(self, door: Door, bot: socket.socket, referee: socket.socket) -> None:
        self._door = door
        self._bot, self._referee = bot, referee
        self._up = self._down = b""
        self._bot_ended = self._waits = False
        self._events = {bot.fileno(): select.EPOLLIN, referee.fileno(): select.EPOLLIN}
        door.relay.watch(bot.fileno(), select.EPOLLIN, self._from_bot)
        door.relay.watch(referee.fileno(), select.EPOLLIN, self._from_referee)

    def close(self) -> None:
        """Close both sides."""
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
        elif events & GONE:  # nor can it receive from the referee
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
        """Read each side, unless its last data is unsent or it has to wait."""
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
        """Send data; return the part that could not be sent yet."""
        try:
            return data[to.send(data) :]
        except BlockingIOError:
            return data


def main() -> None:
    """Run the relay of the runner that started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise_open_files()
    gc.disable()  # a passage and its callbacks form a cycle, which `close` breaks
    Relay(socket.socket(fileno=int(sys.argv[1]))).run()


if __name__ == "__main__":
    main()

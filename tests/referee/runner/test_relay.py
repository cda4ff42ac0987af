"""The relay between sandboxes and their referee, in a thread of this process."""

from __future__ import annotations

import json
import select
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread

import pytest

if sys.platform != "linux":
    pytest.skip("there are no sandboxes", allow_module_level=True)

from damrak_referee.runner.relay import BURST, CHUNK, PRICE, RATE, Relay

LATE = 10  # connections beyond the allowance
PATIENCE = 60.0  # seconds: a safety net, not a measurement
IN_SOCKETS = 1 << 20  # more bytes than the kernel buffers for a reader that does not read


class Seat:
    """A door, and the referee behind it."""

    def __init__(self, folder: Path, name: str, line: socket.socket, kept: ExitStack) -> None:
        self._line = line
        self._kept = kept
        self._name = name
        self._door = folder / f"{name}.door"
        self.referee = kept.enter_context(_listening(folder / f"{name}.sock"))
        with _listening(self._door) as listening:
            order = {"door": name, "to": str(folder / f"{name}.sock")}
            socket.send_fds(line, [json.dumps(order).encode()], [listening.fileno()])

    def connect(self) -> tuple[socket.socket, socket.socket]:
        """Return a bot's end of a connection, and the referee's."""
        return self.knock(), self.accept()

    def accept(self) -> socket.socket:
        """Return the referee's end of the next connection."""
        referee = self._kept.enter_context(self.referee.accept()[0])
        referee.settimeout(PATIENCE)
        return referee

    def knock(self) -> socket.socket:
        """Return a bot's end of a connection that may not be accepted."""
        bot = self._kept.enter_context(socket.socket(socket.AF_UNIX))
        bot.settimeout(PATIENCE)
        bot.connect(str(self._door))
        return bot

    def close(self) -> None:
        """Close the door, as at the end of the match."""
        self._line.send(json.dumps({"door": self._name}).encode())


def _listening(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    listening.settimeout(PATIENCE)
    listening.bind(str(path))
    listening.listen()
    return listening


@pytest.fixture
def seats() -> Iterator[tuple[Seat, Seat]]:
    """Yield two seats at one relay."""
    folder = Path(tempfile.mkdtemp(prefix="dmk"))
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    relay = Thread(target=Relay(theirs).run, daemon=True)
    relay.start()
    with ours, ExitStack() as kept:
        yield Seat(folder, "one", ours, kept), Seat(folder, "two", ours, kept)
    relay.join(PATIENCE)
    assert not relay.is_alive()
    shutil.rmtree(folder)


def received(line: socket.socket, size: int) -> bytes:
    """Return `size` received bytes."""
    data = bytearray()
    while len(data) < size:
        more = line.recv(CHUNK)
        assert more
        data += more
    return bytes(data)


def flood(bot: socket.socket, seconds: float) -> int:
    """Return a lower bound of the number of bytes that can be sent in this time."""
    sent, until = 0, time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        bot.settimeout(left)
        with suppress(TimeoutError):
            sent += bot.send(bytes(CHUNK))
    bot.settimeout(PATIENCE)
    return sent


def test_bytes_pass_both_ways_unchanged(seats: tuple[Seat, Seat]) -> None:
    bot, referee = seats[0].connect()
    up, down = bytes(range(256)) * 8_000, bytes(reversed(range(256))) * 40_000
    asking = Thread(target=bot.sendall, args=(up,))
    answering = Thread(target=referee.sendall, args=(down,))
    asking.start()
    answering.start()
    assert received(referee, len(up)) == up
    assert received(bot, len(down)) == down
    asking.join()
    answering.join()


def test_either_side_may_hang_up(seats: tuple[Seat, Seat]) -> None:
    bot, referee = seats[0].connect()
    bot.sendall(b"last words")
    bot.shutdown(socket.SHUT_WR)
    assert received(referee, 10) == b"last words"
    assert referee.recv(1) == b""
    referee.sendall(b"farewell")
    assert received(bot, 8) == b"farewell"
    referee.close()
    assert bot.recv(1) == b""
    bot, referee = seats[0].connect()
    bot.sendall(b"gone")
    bot.close()
    assert received(referee, 4) == b"gone"
    assert referee.recv(1) == b""


def test_only_the_sender_of_too_much_waits(
    seats: tuple[Seat, Seat], monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, referee = seats[0].connect()
    began = time.monotonic()
    saved_up = BURST - PRICE
    # With time standing still, the accumulated allowance is used up.
    with monkeypatch.context() as standstill:
        standstill.setattr("damrak_referee.runner.relay.monotonic", lambda: began)
        sending = Thread(target=bot.sendall, args=(bytes(saved_up),))
        sending.start()
        assert received(referee, saved_up) == bytes(saved_up)
        sending.join()
    reading = Thread(target=lambda: [None for _ in iter(lambda: referee.recv(CHUNK), b"")])
    reading.start()
    sent = flood(bot, 0.5)
    assert sent < RATE * (time.monotonic() - began) + IN_SOCKETS
    quiet, theirs = seats[1].connect()
    for number in range(100):
        quiet.sendall(b"%3d" % number)
        assert received(theirs, 3) == b"%3d" % number
    bot.close()
    reading.join(PATIENCE)
    assert not reading.is_alive()


def test_connections_cost_as_well(seats: tuple[Seat, Seat]) -> None:
    began = time.monotonic()
    for _ in range(BURST // PRICE):
        seats[0].connect()
    seats[0].referee.settimeout(0.01)
    for _ in range(LATE):
        seats[0].knock()
    let_in = 0
    while let_in < LATE:
        try:
            seats[0].accept()
        except TimeoutError:
            continue
        let_in += 1
        assert let_in <= 2 + (time.monotonic() - began) * RATE / PRICE


def test_a_door_without_a_target_disconnects(seats: tuple[Seat, Seat]) -> None:
    seats[0].referee.close()
    assert seats[0].knock().recv(1) == b""


def test_after_the_match_the_door_is_closed(seats: tuple[Seat, Seat]) -> None:
    bot, referee = seats[0].connect()
    seats[0].close()
    assert bot.recv(1) == b""
    assert referee.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        seats[0].knock()


def test_a_bot_that_does_not_read_is_disconnected_after_its_referee(
    seats: tuple[Seat, Seat],
) -> None:
    bot, referee = seats[0].connect()
    flood(referee, 0.2)
    referee.close()  # the relay still has data that it cannot deliver
    waiting = select.poll()
    waiting.register(bot, 0)  # only for the end of the connection
    assert waiting.poll(1000 * PATIENCE)

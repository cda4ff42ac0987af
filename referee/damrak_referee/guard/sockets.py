"""TCP sockets of this process that gRPC owns: counters, closing, listeners. Linux only.

The descriptors belong to gRPC, which may close them on another thread at any time. They are
therefore used by number, without duplicating them (a duplicate would keep a closed socket in gRPC's
epoll set), and a socket is identified by its cookie, which the kernel never reuses.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
from typing import Final, NamedTuple

from damrak_referee.guard.clients import Endpoint, endpoint

IS_SUPPORTED: Final = sys.platform == "linux"

SO_COOKIE: Final = 57
SO_ATTACH_FILTER: Final = 26
TCP_INFO: Final = 11
RECEIVED_AT: Final = 128  # offset of tcpi_bytes_received in struct tcp_info
BACKLOG: Final = 256  # connections that gRPC has not accepted yet
DISCARDED: Final = 1 << 24  # bytes, more than any receive buffer holds

# Holds the interpreter lock: each call takes less than a microsecond.
_libc: Final = ctypes.PyDLL(None) if IS_SUPPORTED else None
_buffer: Final = ctypes.create_string_buffer(256)
_length: Final = ctypes.c_uint32()
_length_at: Final = ctypes.byref(_length)
_U64: Final = struct.Struct("=Q")


class Connection(NamedTuple):
    """An accepted connection."""

    local_port: int
    peer: Endpoint


def descriptors() -> list[int]:
    """Return the open descriptors of this process."""
    return [int(name) for name in os.listdir("/proc/self/fd")]


def cookie_of(descriptor: int) -> int:
    """Return the identity of a socket; 0 if the descriptor is not an open socket."""
    found = _option(descriptor, socket.SOL_SOCKET, SO_COOKIE, 8)
    return _U64.unpack_from(_buffer)[0] if found == 8 else 0


def received_bytes(descriptor: int) -> int | None:
    """Return the bytes that a connection has received; None if it is gone."""
    found = _option(descriptor, socket.IPPROTO_TCP, TCP_INFO, 256)
    return _U64.unpack_from(_buffer, RECEIVED_AT)[0] if found >= RECEIVED_AT + 8 else None


def connection_of(descriptor: int) -> Connection | None:
    """Return the ends of an accepted or outgoing TCP connection; None for anything else."""
    local = _name(descriptor, is_peer=False)
    peer = None if local is None else _name(descriptor, is_peer=True)
    return None if local is None or peer is None else Connection(local.port, peer)


def listeners_on(port: int) -> list[int]:
    """Return the descriptors that listen on this TCP port."""
    found = []
    for descriptor in descriptors():
        local = _name(descriptor, is_peer=False)
        if local is not None and local.port == port and _is_listening(descriptor):
            found.append(descriptor)
    return found


def shorten_backlog(descriptor: int) -> None:
    """Give a listener a shorter backlog than gRPC asked for.

    After an address is blocked, its connections in the backlog still have to be accepted.
    """
    if _libc is not None:
        _libc.listen(descriptor, BACKLOG)


def close(descriptor: int, cookie: int) -> None:
    """Shut a connection down if the descriptor is still this socket; gRPC then closes it.

    The bytes that have already arrived are discarded. gRPC would parse them before it closes the
    connection, which takes as long as a flood of 64 KiB.
    """
    if _libc is not None and cookie_of(descriptor) == cookie:
        _libc.shutdown(descriptor, socket.SHUT_RDWR)
        _libc.recv(descriptor, None, DISCARDED, socket.MSG_TRUNC | socket.MSG_DONTWAIT)


def attach_filter(descriptor: int, program: bytes) -> bool:
    """Attach a BPF program to a listener; return whether the kernel accepted it."""
    if _libc is None:
        return False
    code = ctypes.create_string_buffer(program, len(program))
    argument = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    taken = _libc.setsockopt(
        descriptor, socket.SOL_SOCKET, SO_ATTACH_FILTER, argument, len(argument)
    )
    return bool(taken == 0)


def _option(descriptor: int, level: int, option: int, size: int) -> int:
    """Read a socket option into the buffer; return its length, or 0 on failure."""
    _length.value = size
    if _libc is None or _libc.getsockopt(descriptor, level, option, _buffer, _length_at) != 0:
        return 0
    return _length.value


def _is_listening(descriptor: int) -> bool:
    size = _option(descriptor, socket.SOL_SOCKET, socket.SO_ACCEPTCONN, 4)
    return size == 4 and _buffer.raw[0] == 1


def _name(descriptor: int, *, is_peer: bool) -> Endpoint | None:
    if _libc is None:
        return None
    _length.value = 256
    read = _libc.getpeername if is_peer else _libc.getsockname
    if read(descriptor, _buffer, _length_at) != 0 or _length.value < 8:
        return None
    raw = _buffer.raw
    family = int.from_bytes(raw[:2], sys.byteorder)
    port = int.from_bytes(raw[2:4], "big")
    if family == socket.AF_INET:
        return endpoint(socket.inet_ntop(family, raw[4:8]), port)
    if family == socket.AF_INET6:
        return endpoint(socket.inet_ntop(family, raw[8:24]), port)
    return None

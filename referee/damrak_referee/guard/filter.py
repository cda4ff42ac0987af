"""A kernel filter for a listener that drops packets of listed clients.

It is a classic BPF program, which needs no privileges. On a listener it sees only packets that
would open a connection. An accepted connection keeps the program that the listener had at that
time, so established connections are not affected.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Network
from typing import Final

MOST_CLIENTS: Final = 256  # the maximum that fits in the memory the kernel grants a filter

_IP: Final = -0x100000  # SKF_NET_OFF: offsets count from the IP header
_LOAD_BYTE: Final = 0x30
_LOAD_WORD: Final = 0x20
_SHIFT_RIGHT: Final = 0x74
_JUMP: Final = 0x05
_JUMP_IF_EQUAL: Final = 0x15
_RETURN: Final = 0x06
_ACCEPT: Final = 0xFFFFFFFF
_DROP: Final = 0
_IPV4_SOURCE: Final = 12
_IPV6_SOURCE: Final = 8


def program_for(clients: Iterable[str]) -> bytes:
    """Return the program that drops these clients: IPv4 addresses and IPv6 /64 networks."""
    listed = list(clients)[-MOST_CLIENTS:]
    ipv4 = [int(IPv4Address(client)) for client in listed if ":" not in client]
    ipv6 = [int(IPv6Network(client).network_address) >> 64 for client in listed if ":" in client]
    accept = _instruction(_RETURN, value=_ACCEPT)
    for_ipv4 = [_instruction(_LOAD_WORD, value=_IP + _IPV4_SOURCE)]
    for source in ipv4:
        for_ipv4 += [
            _instruction(_JUMP_IF_EQUAL, 0, 1, source),
            _instruction(_RETURN, value=_DROP),
        ]
    for_ipv4.append(accept)
    for_ipv6 = []
    for source in ipv6:
        for_ipv6 += [
            _instruction(_LOAD_WORD, value=_IP + _IPV6_SOURCE),
            _instruction(_JUMP_IF_EQUAL, 0, 3, source >> 32),
            _instruction(_LOAD_WORD, value=_IP + _IPV6_SOURCE + 4),
            _instruction(_JUMP_IF_EQUAL, 0, 1, source & 0xFFFFFFFF),
            _instruction(_RETURN, value=_DROP),
        ]
    for_ipv6.append(accept)
    version = [
        _instruction(_LOAD_BYTE, value=_IP),
        _instruction(_SHIFT_RIGHT, value=4),
        _instruction(_JUMP_IF_EQUAL, 1, 0, 6),
        _instruction(_JUMP, value=len(for_ipv6)),  # skip the part for IPv6
    ]
    return b"".join(version + for_ipv6 + for_ipv4)


def _instruction(code: int, if_true: int = 0, if_false: int = 0, value: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value & 0xFFFFFFFF)

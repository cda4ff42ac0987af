"""Ports for those who have to be told beforehand where to listen."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
SOME = range(20_000, 28_000)  # where few listen


def free_port() -> int:
    """A port of this machine's own address that nobody else will get while this process lives.

    The kernel hands out none of them: a port that it has chosen could be anybody's by the time it
    is used. Among tests that run side by side each is claimed by the name of a socket.
    """
    for port in _ours():
        if _is_claimed(port):
            continue
        with socket.socket() as trial:
            try:
                trial.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")


def _ours() -> range:
    lowest, highest = map(int, RANGE.read_text().split()) if RANGE.exists() else (32_768, 60_999)
    if lowest > SOME.start + 1_000:
        return range(SOME.start, min(SOME.stop, lowest))
    if highest < 64_000:
        return range(highest + 1, 65_536)
    return SOME  # all are handed out here; claiming is all that can be done


def _is_claimed(port: int) -> bool:
    """Whether somebody has claimed it; otherwise it is ours from now on."""
    if sys.platform != "linux":
        return False
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0damrak-tests-port-{port}")
    except OSError:
        claim.close()
        return True
    claim.detach()  # open until the process ends, and with it the claim
    return False

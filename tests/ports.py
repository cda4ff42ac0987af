"""Free ports for servers that need a fixed port in advance."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
SOME = range(20_000, 28_000)  # rarely used by other programs


def free_port() -> int:
    """Return a port of the loopback address that no other test uses while this process runs.

    The port is outside the kernel's ephemeral range: a port that the kernel has chosen could be
    taken by another program before it is used. Parallel tests claim each port by the name of a
    socket.
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
    return SOME  # the kernel uses the whole range, so that claims are the only protection


def _is_claimed(port: int) -> bool:
    """Return whether another process has claimed the port; otherwise claim it."""
    if sys.platform != "linux":
        return False
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0damrak-tests-port-{port}")
    except OSError:
        claim.close()
        return True
    claim.detach()  # open until the process ends, which releases the claim
    return False

"""Ports of the platform: availability checks, and the choice of the lobby's port."""

from __future__ import annotations

import errno
import socket
import sys
import time
from dataclasses import dataclass
from typing import Final

from damrak_ladder.usage_errors import Misuse

LOBBY_PORT: Final = 7171
"""The port for remote bots, unless it is taken."""

_claims: Final[list[socket.socket]] = []  # held until this process ends


@dataclass(frozen=True, slots=True)
class Address:
    """An address of this machine."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def is_free(self) -> bool:
        """Return whether the address is free to listen on."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((self.host, self.port))
            except OSError as problem:
                if problem.errno == errno.EADDRINUSE:
                    return False
                raise Misuse(f"{self}: {(problem.strerror or 'cannot be had').lower()}") from None
        return True


def check_site(site: Address) -> None:
    """Check that the site's address is free.

    Raises:
        Misuse: it is not; the message explains how to fix that.
    """
    for _ in range(20):  # a process killed a moment ago may still be exiting
        if site.is_free():
            return
        time.sleep(0.1)
    other = _free_port(site.host)
    raise Misuse(
        f"port {site.port} is in use by another program: choose one with "
        f"DAMRAK_PORT, for example DAMRAK_PORT={other}"
    )


def lobby_address(host: str) -> Address:
    """Return the address for remote bots: the usual port, or another one if it is taken.

    The referee that will listen there starts later. If two platforms look at the same time, only
    one gets a port, and its referee keeps it across restarts.
    """
    address = Address(host, LOBBY_PORT)
    while not (_claimed(address.port) and address.is_free()):
        address = Address(host, _free_port(host))
    return address


def _claimed(port: int) -> bool:
    """Claim the port among the platforms of this machine; return whether that succeeded."""
    if sys.platform != "linux":
        return True
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0damrak-lobby-{port}")
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def _free_port(host: str) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        trial.bind((host, 0))
        port: int = trial.getsockname()[1]
        return port

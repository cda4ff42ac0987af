"""Addresses of referees: HOST:PORT, or unix:PATH on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from damrak_ladder.referees.errors import RefereeTrouble

UNIX: Final = "unix:"
_PORTS: Final = range(1, 1 << 16)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a referee is driven; `host` is empty for a Unix socket."""

    text: str
    host: str = ""

    @property
    def is_local(self) -> bool:
        """Whether what is said stays on this machine."""
        return not self.host or self.host == "localhost" or _is_loopback(self.host)


def parse_address(text: str) -> Address:
    """The address that this names.

    Raises:
        RefereeTrouble: it is none.
    """
    if text.startswith(UNIX) and len(text) > len(UNIX):
        return Address(text)
    host, _, port = text.rpartition(":")
    is_port = port.isascii() and port.isdigit() and int(port) in _PORTS
    if not host or not is_port or "/" in host:
        raise RefereeTrouble(text, "is neither HOST:PORT nor unix:PATH", is_lasting=True)
    return Address(text, host.removeprefix("[").removesuffix("]"))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False

"""Addresses that servers listen on: `HOST:PORT` or `unix:PATH`."""

from __future__ import annotations

import ipaddress
import os
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

LONGEST_PATH: Final = 107
"""The maximum length of a socket path in bytes, set by the kernel."""

UNIX: Final = "unix:"


@dataclass(frozen=True, slots=True)
class Address:
    """An address to listen on or to connect to; `path` is set only for Unix sockets."""

    host: str = ""
    port: int = 0
    path: Path | None = None

    def __str__(self) -> str:
        if self.path is not None:
            return f"{UNIX}{self.path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether it is reachable only from this machine."""
        if self.path is not None or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_everywhere(self) -> bool:
        """Whether it is the wildcard address, to which no client can connect."""
        return self.path is None and self.host in ("0.0.0.0", "::")  # noqa: S104  # compared, not bound

    def at_port(self, port: int) -> Address:
        """Return the same host with the port that was assigned."""
        return replace(self, port=port)

    def reachable(self) -> Address:
        """Return this address, with the machine's own name in place of a wildcard address."""
        return replace(self, host=socket.getfqdn()) if self.is_everywhere else self


def parse_address(text: str) -> Address:
    """Parse an address.

    Raises:
        ValueError: `text` is not an address; the message shows the expected form.
    """
    if text.startswith(UNIX):
        return _unix(text.removeprefix(UNIX))
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{text!r} is neither HOST:PORT nor unix:PATH")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(f"{text!r}: write an IPv6 address in brackets, as in [::1]:{port}")
    return Address(host=host, port=int(port))


def _unix(text: str) -> Address:
    if not text:
        raise ValueError("unix: lacks the path of a socket")
    path = Path(text).absolute()
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise ValueError(f"{path} is too long for a socket: {LONGEST_PATH} bytes at most")
    return Address(path=path)

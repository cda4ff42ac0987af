"""Where a server listens: `HOST:PORT`, or `unix:PATH`."""

from __future__ import annotations

import ipaddress
import os
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

LONGEST_PATH: Final = 107
"""Bytes of a socket's path; the kernel has no room for more."""

UNIX: Final = "unix:"


@dataclass(frozen=True, slots=True)
class Address:
    """A place to listen at or to be found at; `path` is set for Unix sockets alone."""

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
        """Whether nobody on another machine can reach it."""
        if self.path is not None or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_everywhere(self) -> bool:
        """Whether it stands for every address of the machine, so that nobody can be sent to it."""
        return self.path is None and self.host in ("0.0.0.0", "::")  # noqa: S104  # compared, not bound

    def at_port(self, port: int) -> Address:
        """The same host with the port that was found for it."""
        return replace(self, port=port)

    def reachable(self) -> Address:
        """Itself, or the machine's own name where it stands for every address of the machine."""
        return replace(self, host=socket.getfqdn()) if self.is_everywhere else self


def parse_address(text: str) -> Address:
    """The address that `text` names.

    Raises:
        ValueError: saying what an address looks like.
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

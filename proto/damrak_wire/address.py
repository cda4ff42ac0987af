"""Addresses of referees: HOST:PORT, or unix:PATH on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from damrak_wire.errors import WireError

UNIX: Final = "unix:"
PORTS: Final = range(1, 1 << 16)


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a referee; `host` and `port` are empty for a Unix socket."""

    text: str
    host: str = ""
    port: int = 0

    @property
    def is_loopback(self) -> bool:
        """Whether connections to it stay on this machine."""
        return self.text.startswith(UNIX) or self.host == "localhost" or _is_loopback(self.host)


def parse_address(text: str) -> Address:
    """Return the address in this text.

    Raises:
        WireError: it is not an address; the message explains the format.
    """
    if text.startswith(UNIX):
        if len(text) == len(UNIX):
            raise _wrong(text, "write unix:PATH with the path of the socket")
        return Address(text)
    if "://" in text or "/" in text:
        raise _wrong(text, "write HOST:PORT without http:// and without a path")
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port:
        raise _wrong(text, "write HOST:PORT, both of them")
    if not (port.isascii() and port.isdigit() and int(port) in PORTS):
        raise _wrong(text, f"{port!r} is no port: a number from 1 to 65535")
    if host.startswith("[") and host.endswith("]"):
        return Address(text, host[1:-1], int(port))
    if ":" in host:
        raise _wrong(text, "write IPv6 addresses in brackets, [::1]:7777")
    if any(character.isspace() for character in host):
        raise _wrong(text, "there is a space in it")
    return Address(text, host, int(port))


def _wrong(text: str, cure: str) -> WireError:
    return WireError(f"address {text!r}", cure)


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False

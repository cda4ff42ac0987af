"""Endpoints of connections, and the client addresses that limits apply to."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final, NamedTuple
from urllib.parse import unquote

IPV6_PREFIX: Final = 64


class Endpoint(NamedTuple):
    """One end of a TCP connection. IPv4-mapped IPv6 addresses are written as IPv4."""

    host: str
    port: int

    @property
    def client(self) -> str:
        """The address that limits apply to: an IPv4 address, or the /64 network of an IPv6 one.

        A host normally has a whole /64, so single IPv6 addresses cannot be limited.
        """
        if ":" not in self.host:
            return self.host
        return str(IPv6Network((self.host, IPV6_PREFIX), strict=False))


def endpoint(host: str, port: int) -> Endpoint:
    """Return the endpoint with its address in canonical form.

    Raises:
        ValueError: `host` is not an IP address.
    """
    address: IPv4Address | IPv6Address = ip_address(host.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return Endpoint(str(mapped or address), port)


def endpoint_of(peer: str) -> Endpoint | None:
    """Return the endpoint in a gRPC peer string; None for peers without a network address."""
    family, _, rest = peer.partition(":")
    if family not in ("ipv4", "ipv6"):
        return None
    host, _, port = unquote(rest).rpartition(":")
    try:
        return endpoint(host.strip("[]"), int(port))
    except ValueError:
        return None

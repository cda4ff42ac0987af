"""Allowed addresses of webhooks: the public internet, never the internal network.

Names are resolved once, and the addresses that were checked are those connected to. So a name that
resolves differently the second time (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from damrak_ladder.notices.errors import BadWebhook

LONGEST_URL: Final = 500

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Iterable[str]]
"""Resolves a host name and a port to addresses."""

# Formally public: the internal control address of one big cloud, IPv6 ranges that embed IPv4
# addresses, which may be internal, and ranges for documentation.
_NOT_OURS_TO_ASK: Final = tuple(
    ip_network(text)
    for text in (
        "168.63.129.16/32",
        "192.0.0.0/24",
        "2001::/32",
        "2002::/16",
        "3fff::/20",
    )
)
_ALL_OF_VERSION_6: Final = ip_network("2000::/3")
"""The range of public IPv6 addresses; all others are local to some network."""


@dataclass(frozen=True, slots=True)
class Target:
    """The parsed URL of a webhook."""

    is_encrypted: bool
    host: str
    port: int
    path: str  # including the query

    @property
    def authority(self) -> str:
        """Return host and port in the form of an HTTP request."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        usual = 443 if self.is_encrypted else 80
        return name if self.port == usual else f"{name}:{self.port}"


def target_of(url: str, allow_loopback: bool) -> Target:
    """Parse the URL of a webhook and check it as far as possible without resolving the host.

    With `allow_loopback` plain http is allowed, too, but for this machine only.

    Raises:
        BadWebhook
    """
    if len(url) > LONGEST_URL:
        raise BadWebhook(_("The address is too long."))
    if not url.isascii() or not url.isprintable() or " " in url:
        raise BadWebhook(_("The address may contain only ASCII characters, without spaces."))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadWebhook(_("This is not a valid address.")) from None
    if parts.scheme not in {"https", "http"} or not host:
        raise BadWebhook(_("The address must begin with https:// and a host."))
    if parts.username is not None or parts.password is not None:
        raise BadWebhook(
            _("The address must not contain a user name or password. Verify the signature instead.")
        )
    if parts.fragment:
        raise BadWebhook(_("The address must not contain a fragment (#…)."))
    is_encrypted = parts.scheme == "https"
    if not is_encrypted and not (allow_loopback and _is_this_machine(host)):
        raise BadWebhook(
            _(
                "Only https addresses are accepted, because notifications must be "
                "encrypted in transit."
            )
        )
    if port == 0:
        raise BadWebhook(_("This is not a valid address."))
    path = parts.path or "/"
    return Target(
        is_encrypted=is_encrypted,
        host=host,
        port=port or (443 if is_encrypted else 80),
        path=f"{path}?{parts.query}" if parts.query else path,
    )


def destination_of(
    url: str, allow_loopback: bool, resolve: Resolve
) -> tuple[Target, list[Address]]:
    """Return the parsed URL and the addresses to connect to, for forms and for delivery.

    Raises:
        BadWebhook: this destination is not allowed.
    """
    target = target_of(url, allow_loopback)
    return target, places_of(target, allow_loopback, resolve)


def places_of(target: Target, allow_loopback: bool, resolve: Resolve) -> list[Address]:
    """Return the addresses of the host. A single forbidden address rules out all of them.

    Raises:
        BadWebhook: the host has no address, or one that is not public.
    """
    try:
        found = [ip_address(text.partition("%")[0]) for text in resolve(target.host, target.port)]
    except (OSError, UnicodeError):
        raise BadWebhook(_("The host name could not be resolved.")) from None
    if not found:
        raise BadWebhook(_("The host name could not be resolved."))
    for address in found:
        if not (is_public(address) or (allow_loopback and address.is_loopback)):
            raise BadWebhook(_("The host does not have a public IP address."))
    return found


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of this name from the system's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_kind, place in found]


def is_public(address: Address) -> bool:
    """Return whether the address is on the public internet, not in an internal network."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if isinstance(address, IPv6Address) and address not in _ALL_OF_VERSION_6:
        return False
    if any(address in network for network in _NOT_OURS_TO_ASK):
        return False
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified
    )


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False

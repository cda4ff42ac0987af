"""gRPC channels, encrypted unless they are local or the user has disabled encryption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import grpc

from damrak.remote.address import Address

__all__ = ["Security", "open_channel", "security_for"]

OPTIONS: Final = (
    # Use a private subchannel pool, so that back-off is not shared and close() really closes the
    # connection.
    ("grpc.use_local_subchannel_pool", 1),
    # Notice a host that vanishes silently well within the grace period of a match. The third option
    # covers a process that hangs while its kernel still acknowledges packets.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 8_000),
    ("grpc.http2.ping_timeout_ms", 8_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.min_reconnect_backoff_ms", 10_000),  # timeout of a connection attempt
    # Otherwise gRPC transparently retries a call that meets a server about to stop, at times
    # endlessly and without a pause, and uses gigabytes of memory.
    ("grpc.enable_retries", 0),
)


@dataclass(frozen=True, slots=True)
class Security:
    """The protection of a connection, with everything in PEM.

    `authorities` are the trusted certificate authorities, or None for the default ones.
    `certificate` and its `key` authenticate us to the server.
    """

    is_encrypted: bool
    authorities: bytes | None = None
    certificate: bytes | None = None
    key: bytes | None = None

    def __repr__(self) -> str:
        return f"Security(is_encrypted={self.is_encrypted})"


def security_for(
    address: Address,
    authorities: bytes | None,
    is_insecure: bool,
    certificate: bytes | None = None,
    key: bytes | None = None,
) -> Security:
    """Return TLS settings, or no encryption if it was waived or the connection is local."""
    is_plain = is_insecure or address.is_loopback
    if authorities is None and certificate is None and is_plain:
        return Security(is_encrypted=False)
    return Security(True, authorities, certificate, key)


def open_channel(
    address: Address, security: Security, more: Sequence[tuple[str, int]] = ()
) -> grpc.Channel:
    """Return a channel with additional options; connection errors are raised by the first call."""
    options = (*OPTIONS, *more)
    if not security.is_encrypted:
        return grpc.insecure_channel(address.text, options)
    credentials = grpc.ssl_channel_credentials(
        security.authorities, security.key, security.certificate
    )
    return grpc.secure_channel(address.text, credentials, options)

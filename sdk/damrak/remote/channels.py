"""Connections to an address: encrypted unless they stay on this machine or somebody said no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import grpc

from damrak.remote.address import Address

__all__ = ["Security", "open_channel", "security_for"]

OPTIONS: Final = (
    # A channel of its own for everyone: no back-off of one is another's, and closing closes.
    ("grpc.use_local_subchannel_pool", 1),
    # A host that is gone without a word is noticed well within the grace of a match. The third is
    # for one that stands still while its kernel goes on acknowledging.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 8_000),
    ("grpc.http2.ping_timeout_ms", 8_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.min_reconnect_backoff_ms", 10_000),  # how long an attempt to connect may take
    # A call that meets a server about to stop gRPC would else repeat by itself, at times without
    # pause or end, in memory that grows by gigabytes.
    ("grpc.enable_retries", 0),
)


@dataclass(frozen=True, slots=True)
class Security:
    """How a connection is protected, all of it in PEM.

    `authorities` are those to be believed, None: the usual ones. With `certificate` and its `key`
    we say who we are.
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
    """TLS, unless it was waived or what is said stays on this machine anyhow."""
    is_plain = is_insecure or address.is_loopback
    if authorities is None and certificate is None and is_plain:
        return Security(is_encrypted=False)
    return Security(True, authorities, certificate, key)


def open_channel(
    address: Address, security: Security, more: Sequence[tuple[str, int]] = ()
) -> grpc.Channel:
    """A channel, with more options than the usual; what is wrong shows in the first call."""
    options = (*OPTIONS, *more)
    if not security.is_encrypted:
        return grpc.insecure_channel(address.text, options)
    credentials = grpc.ssl_channel_credentials(
        security.authorities, security.key, security.certificate
    )
    return grpc.secure_channel(address.text, credentials, options)

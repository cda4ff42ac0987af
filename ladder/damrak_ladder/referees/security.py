"""Security and channel options of connections to referees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import grpc

from damrak_ladder.referees.addresses import Address
from damrak_ladder.referees.errors import RefereeTrouble

OPTIONS: Final = (
    # A private subchannel pool, so that back-off is not shared and close() closes the connection.
    ("grpc.use_local_subchannel_pool", 1),
    # Detects a host that has vanished. The third option is for one that hangs while its kernel
    # still acknowledges packets.
    ("grpc.keepalive_time_ms", 8_000),
    ("grpc.keepalive_timeout_ms", 8_000),
    ("grpc.http2.ping_timeout_ms", 8_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.min_reconnect_backoff_ms", 5_000),  # the time-out of a connection attempt
    # A call that meets a server about to stop would otherwise be retried by gRPC, at times without
    # pause or end, in memory that grows by gigabytes.
    ("grpc.enable_retries", 0),
    ("grpc.max_receive_message_length", -1),  # replays may be long
)


@dataclass(frozen=True, slots=True)
class Security:
    """The protection of connections to referees: PEM certificates and the access key.

    `authorities` are the trusted certificate authorities (None: the system's). With `certificate`
    and `private_key` the client authenticates itself. Connections that leave this machine are
    encrypted unless `may_be_plain`.
    """

    key: str = field(default="", repr=False)
    authorities: bytes | None = None
    certificate: bytes | None = None
    private_key: bytes | None = field(default=None, repr=False)
    may_be_plain: bool = False

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Return the metadata of every call."""
        return (("authorization", f"Bearer {self.key}"),) if self.key else ()

    def credentials_for(self, address: Address) -> grpc.ChannelCredentials | None:
        """Return the channel credentials for this address; None if it is not encrypted.

        Raises:
            RefereeTrouble: the certificate comes without its key, or the other way round.
        """
        if (self.certificate is None) != (self.private_key is None):
            problem = "a certificate and its private key belong together"
            raise RefereeTrouble(address.text, problem, is_lasting=True)
        is_plain = address.is_loopback or self.may_be_plain
        if is_plain and self.authorities is None and self.certificate is None:
            return None
        if not address.host:  # a local socket cannot be intercepted
            return None
        return grpc.ssl_channel_credentials(self.authorities, self.private_key, self.certificate)

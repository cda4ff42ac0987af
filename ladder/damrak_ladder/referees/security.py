"""How connections to referees are protected, and what they are like."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import grpc

from damrak_ladder.referees.addresses import Address
from damrak_ladder.referees.errors import RefereeTrouble

OPTIONS: Final = (
    # A channel of its own for everyone: no back-off of one is another's, and closing closes.
    ("grpc.use_local_subchannel_pool", 1),
    # A host that is gone without a word is noticed. The third is for one that stands still while
    # its kernel goes on acknowledging.
    ("grpc.keepalive_time_ms", 8_000),
    ("grpc.keepalive_timeout_ms", 8_000),
    ("grpc.http2.ping_timeout_ms", 8_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.min_reconnect_backoff_ms", 5_000),  # how long an attempt to connect may take
    # A call that meets a server about to stop gRPC would else repeat by itself, at times without
    # pause or end, in memory that grows by gigabytes.
    ("grpc.enable_retries", 0),
    ("grpc.max_receive_message_length", -1),  # replays may be long
)


@dataclass(frozen=True, slots=True)
class Security:
    """What protects the way to referees, all of it in PEM, and the key that opens them.

    `authorities` are those to be believed, None: the usual ones. With `certificate` and its
    `private_key` we say who we are. Connections that leave this machine are encrypted unless
    `may_be_plain`.
    """

    key: str = field(default="", repr=False)
    authorities: bytes | None = None
    certificate: bytes | None = None
    private_key: bytes | None = field(default=None, repr=False)
    may_be_plain: bool = False

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What every call carries."""
        return (("authorization", f"Bearer {self.key}"),) if self.key else ()

    def credentials_for(self, address: Address) -> grpc.ChannelCredentials | None:
        """What a channel to there is made with; None if it is not encrypted.

        Raises:
            RefereeTrouble: the certificate comes without its key, or the other way round.
        """
        if (self.certificate is None) != (self.private_key is None):
            problem = "a certificate and its private key belong together"
            raise RefereeTrouble(address.text, problem, is_lasting=True)
        is_plain = address.is_loopback or self.may_be_plain
        if is_plain and self.authorities is None and self.certificate is None:
            return None
        if not address.host:  # nobody listens in on a socket of this machine
            return None
        return grpc.ssl_channel_credentials(self.authorities, self.private_key, self.certificate)

"""Limits of a client address, and the token bucket that enforces rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from damrak_referee.settings.settings import Settings

KIB: Final = 1024
BURST_SECONDS: Final = 16  # of each rate that may be used at once
BYTES_BURST_SECONDS: Final = 8  # as many TLS handshakes as there may be anonymous connections
AUTHENTICATED_BURST_SECONDS: Final = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one client address. Connections are anonymous until a token or ticket is accepted.

    An HTTP/2 frame has at least 9 bytes, so a limit on bytes also limits frames.
    """

    connections: int = 4096  # open at once
    anonymous_connections: int = (
        256  # of those, without a token or ticket; as many may come at once
    )
    anonymous_kib_per_s: int = 64  # of all anonymous connections together
    anonymous_calls_per_s: int = 20  # that do not authenticate
    authenticated_kib_per_s: int | None = 4096  # of one authenticated connection
    first_message_s: float = 10.0  # until the first valid message of a connection
    cool_off_s: float = 10.0  # without new connections after abuse

    @property
    def connects_per_s(self) -> float:
        """New connections per second that never authenticate."""
        return self.anonymous_connections / BURST_SECONDS


def limits_from(settings: Settings, authenticated_kib_per_s: int | None) -> Limits:
    """Return the limits as set; None means no limit for authenticated connections."""
    return Limits(
        connections=settings.connections_per_peer,
        anonymous_connections=settings.anonymous_connections,
        anonymous_kib_per_s=settings.anonymous_kib_per_s,
        anonymous_calls_per_s=settings.anonymous_calls_per_s,
        authenticated_kib_per_s=authenticated_kib_per_s,
        first_message_s=settings.join_seconds,
        cool_off_s=settings.cool_off_seconds,
    )


class Bucket:
    """A token bucket, which holds a few seconds of its rate and may be overdrawn."""

    __slots__ = ("_at", "_left", "burst", "rate")

    def __init__(self, rate: float, now: float, seconds: float = BURST_SECONDS) -> None:
        self.rate = rate
        self.burst = rate * seconds
        self._left = self.burst
        self._at = now

    def spend(self, amount: float, now: float) -> bool:
        """Take the amount; return whether it was available. A negative amount is a refund."""
        self._left = min(self._left + (now - self._at) * self.rate, self.burst) - amount
        self._left = min(self._left, self.burst)
        self._at = now
        return self._left >= 0

    def forgive(self) -> None:
        """Clear the overdraft."""
        self._left = max(self._left, 0.0)

    def is_full(self, now: float) -> bool:
        """Return whether nothing was used recently."""
        return self.spend(0, now) and self._left >= self.burst

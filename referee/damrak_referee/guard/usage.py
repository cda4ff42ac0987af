"""Usage records of the guard: connections and client addresses."""

from __future__ import annotations

from enum import IntEnum

from damrak_referee.guard.clients import Endpoint
from damrak_referee.guard.limits import (
    AUTHENTICATED_BURST_SECONDS,
    BYTES_BURST_SECONDS,
    KIB,
    Bucket,
    Limits,
)


class Standing(IntEnum):
    """How far a connection has identified itself."""

    SILENT = 0  # no valid message yet
    ANONYMOUS = 1  # a valid message, such as a health check
    AUTHENTICATED = 2  # a token, ticket or key was accepted


class Account:
    """The usage of one client address. Only unauthenticated usage is charged."""

    __slots__ = ("bytes", "calls", "client", "connects", "tracked")

    def __init__(self, client: str, limits: Limits, now: float) -> None:
        self.client = client
        self.connects = Bucket(limits.connects_per_s, now)
        self.bytes = Bucket(limits.anonymous_kib_per_s * KIB, now, BYTES_BURST_SECONDS)
        self.calls = Bucket(limits.anonymous_calls_per_s, now)
        self.tracked: set[Tracked] = set()

    def is_idle(self, now: float) -> bool:
        """Return whether the account can be dropped."""
        buckets = (self.connects, self.bytes, self.calls)
        return not self.tracked and all(bucket.is_full(now) for bucket in buckets)

    def forgive(self) -> None:
        """Clear what is overdrawn, after a cool-off."""
        for bucket in (self.connects, self.bytes, self.calls):
            bucket.forgive()

    @property
    def anonymous(self) -> list[Tracked]:
        """Its connections that have not authenticated."""
        return [it for it in self.tracked if it.standing < Standing.AUTHENTICATED]


class Tracked:
    """An open connection."""

    __slots__ = (
        "account",
        "cookie",
        "descriptor",
        "endpoint",
        "is_closing",
        "rate",
        "received",
        "since",
        "standing",
    )

    def __init__(
        self, account: Account, descriptor: int, cookie: int, endpoint: Endpoint, now: float
    ) -> None:
        self.account = account
        self.descriptor = descriptor
        self.cookie = cookie
        self.endpoint = endpoint
        self.standing = Standing.SILENT
        self.since = now
        self.received = 0  # bytes, as of the last check
        self.rate: Bucket | None = None  # set on authentication
        self.is_closing = False
        account.tracked.add(self)

    def authenticate(self, limits: Limits, now: float) -> None:
        """Refund what the connection was charged, and limit it individually from now on."""
        self.standing = Standing.AUTHENTICATED
        self.account.connects.spend(-1, now)
        self.account.bytes.spend(-self.received, now)
        if limits.authenticated_kib_per_s is not None:
            rate = limits.authenticated_kib_per_s * KIB
            self.rate = Bucket(rate, now, AUTHENTICATED_BURST_SECONDS)

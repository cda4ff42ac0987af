"""The guard of one TCP listener: finds connections that exceed a limit, closes and blocks them.

It checks the counters of all connections up to 100 times a second, from a timer of the event loop.
If a client exceeds a limit of anonymous connections, all of these are closed, and the kernel drops
its connection attempts until the cool-off ends. Its authenticated connections stay, so its games
continue; another user behind the same address gets in when their kernel retries.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Final

import structlog

from damrak_referee.guard import sockets
from damrak_referee.guard.clients import Endpoint, endpoint_of
from damrak_referee.guard.filter import program_for
from damrak_referee.guard.limits import Limits
from damrak_referee.guard.usage import Account, Standing, Tracked

INTERVAL: Final = 0.01  # seconds between two checks
WASTED: Final = 8  # the charge for a connection that ended without a valid message
SHARE: Final = 0.02  # of the processor time, at most, even with very many connections

TOO_MANY: Final = "too many connections"
CONNECTS: Final = "connects too often"
BYTES: Final = "too many bytes"
CALLS: Final = "too many calls"
SILENT: Final = "no valid message in time"
COOLING: Final = "cooling off"

_log = structlog.get_logger()


class Guard:
    """Protection of the listeners on one port. It does nothing before `protect`."""

    def __init__(self, limits: Limits) -> None:
        self.closed: Counter[str] = Counter()  # connections, by reason
        self._limits = limits
        self._port = 0
        self._listeners: list[int] = []
        self._timer: asyncio.TimerHandle | None = None
        self._accounts: dict[str, Account] = {}
        self._tracked: dict[int, Tracked] = {}  # by cookie
        self._by_endpoint: dict[Endpoint, Tracked] = {}
        self._others: set[int] = set()  # cookies of sockets of other kinds
        self._early: dict[Endpoint, Standing] = {}  # of connections not found yet
        self._blocked: dict[str, float] = {}  # clients, with the time the block ends
        self._is_filter_due = False

    def protect(self, port: int) -> None:
        """Start guarding the listeners on this port of the running process."""
        if not sockets.IS_SUPPORTED:
            _log.warning("guard_unavailable", risk="floods of connections are not limited here")
            return
        self._port = port
        self._listeners = sockets.listeners_on(port)
        for listener in self._listeners:
            sockets.shorten_backlog(listener)
        self._timer = asyncio.get_running_loop().call_later(INTERVAL, self._look_again)

    def stop(self) -> None:
        """Stop guarding."""
        if self._timer is not None:
            self._timer.cancel()
        self._listeners = []

    @property
    def blocked(self) -> int:
        """The number of clients whose connection attempts are dropped."""
        return len(self._blocked)

    def count(self, *, authenticated: bool) -> int:
        """Return the number of connections that were open at the last check."""
        found = [it.standing == Standing.AUTHENTICATED for it in list(self._tracked.values())]
        return sum(found) if authenticated else len(found) - sum(found)

    # --- for the services

    def call_started(self, peer: str) -> str:
        """Charge the client for a call; return the reason for a refusal, or an empty string."""
        end = endpoint_of(peer) if self._listeners else None
        if end is None:
            return ""
        now = time.monotonic()
        tracked = self._by_endpoint.get(end)
        if end.client in self._blocked:
            is_known = tracked is not None and tracked.standing == Standing.AUTHENTICATED
            return "" if is_known else COOLING
        account = self._account(end.client, now)
        if account.calls.spend(1, now):
            return ""
        # The connections may be newer than the last check, and thousands of calls may be queued.
        self._find(now)
        self._block(account, CALLS, now)
        self._apply_filter()
        return CALLS

    def understood(self, peer: str) -> None:
        """Note that a connection has sent a valid message."""
        self._raise(peer, Standing.ANONYMOUS)

    def authenticated(self, peer: str) -> None:
        """Note that a call of this connection gave a valid token, ticket or key."""
        end = self._raise(peer, Standing.AUTHENTICATED)
        if end is not None and (account := self._accounts.get(end.client)) is not None:
            account.calls.spend(-1, time.monotonic())

    def _raise(self, peer: str, standing: Standing) -> Endpoint | None:
        end = endpoint_of(peer) if self._listeners else None
        if end is None:
            return None
        tracked = self._by_endpoint.get(end)
        if tracked is None:
            self._early[end] = max(standing, self._early.get(end, standing))
        elif tracked.standing < standing:
            self._set(tracked, standing, time.monotonic())
        return end

    def _set(self, tracked: Tracked, standing: Standing, now: float) -> None:
        if standing == Standing.AUTHENTICATED:
            tracked.authenticate(self._limits, now)
        else:
            tracked.standing = standing

    # --- the periodic check

    def _look_again(self) -> None:
        began = time.monotonic()
        try:
            self._look(began)
        except OSError as problem:
            _log.warning("guard_failed", why=str(problem))
        took = time.monotonic() - began
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(max(INTERVAL, took / SHARE), self._look_again)

    def _look(self, now: float) -> None:
        self._find(now)
        for tracked in self._tracked.values():
            if not tracked.is_closing:
                self._check(tracked, now)
        for account in list(self._accounts.values()):
            self._check_counts(account, now)
        self._end_blocks(now)
        for client in self._blocked:
            for tracked in self._accounts[client].anonymous:
                self._close(tracked, COOLING)
        self._apply_filter()

    def _find(self, now: float) -> None:
        """Update the tracked connections from those that are open."""
        seen = {cookie: it for it in sockets.descriptors() if (cookie := sockets.cookie_of(it))}
        for cookie in self._tracked.keys() - seen.keys():
            self._forget(self._tracked.pop(cookie), now)
        self._others &= seen.keys()
        for cookie in seen.keys() - self._tracked.keys() - self._others:
            found = sockets.connection_of(seen[cookie])
            if found is None or found.local_port != self._port:
                self._others.add(cookie)
            else:
                self._add(seen[cookie], cookie, found.peer, now)
        self._early.clear()  # what is not open now is gone

    def _add(self, descriptor: int, cookie: int, end: Endpoint, now: float) -> None:
        account = self._account(end.client, now)
        tracked = Tracked(account, descriptor, cookie, end, now)
        self._tracked[cookie] = self._by_endpoint[end] = tracked
        has_paid = account.connects.spend(1, now)
        if (early := self._early.get(end)) is not None:
            self._set(tracked, early, now)
        elif not has_paid:
            self._block(account, CONNECTS, now)

    def _forget(self, tracked: Tracked, now: float) -> None:
        account = tracked.account
        account.tracked.discard(tracked)
        if self._by_endpoint.get(tracked.endpoint) is tracked:
            del self._by_endpoint[tracked.endpoint]
        is_wasted = tracked.standing == Standing.SILENT and not tracked.is_closing
        if is_wasted and not account.connects.spend(WASTED - 1, now):
            self._block(account, CONNECTS, now)

    def _check(self, tracked: Tracked, now: float) -> None:
        received = sockets.received_bytes(tracked.descriptor)
        if received is None:
            return
        used, tracked.received = received - tracked.received, received
        if tracked.standing == Standing.AUTHENTICATED:
            if tracked.rate is not None and not tracked.rate.spend(used, now):
                self._block(tracked.account, BYTES, now)
                self._close(tracked, BYTES)
            return
        if not tracked.account.bytes.spend(used, now):
            self._block(tracked.account, BYTES, now)
        late = now - tracked.since > self._limits.first_message_s
        if late and tracked.standing == Standing.SILENT:
            self._close(tracked, SILENT)

    def _check_counts(self, account: Account, now: float) -> None:
        limits = self._limits
        if account.client not in self._blocked:
            too_many = len(account.tracked) > limits.connections
            if too_many or len(account.anonymous) > limits.anonymous_connections:
                self._block(account, TOO_MANY, now)
            elif account.is_idle(now):
                del self._accounts[account.client]

    # --- blocks

    def _block(self, account: Account, why: str, now: float) -> None:
        if account.client not in self._blocked:
            self._blocked[account.client] = now + self._limits.cool_off_s
            self._is_filter_due = True
            self.closed[why] += len(account.anonymous)
            for tracked in account.anonymous:
                self._shut(tracked)
            _log.warning(
                "client_blocked", address=account.client, why=why, seconds=self._limits.cool_off_s
            )

    def _apply_filter(self) -> None:
        if not self._is_filter_due:
            return
        self._is_filter_due = False
        program = program_for(self._blocked)
        for listener in self._listeners:
            if not sockets.attach_filter(listener, program):
                _log.warning("filter_refused", consequence="blocked clients are closed late")

    def _end_blocks(self, now: float) -> None:
        for client in [client for client, until in self._blocked.items() if until <= now]:
            del self._blocked[client]
            self._accounts[client].forgive()
            self._is_filter_due = True

    def _close(self, tracked: Tracked, why: str) -> None:
        if not tracked.is_closing:
            self.closed[why] += 1
            self._shut(tracked)

    @staticmethod
    def _shut(tracked: Tracked) -> None:
        tracked.is_closing = True
        sockets.close(tracked.descriptor, tracked.cookie)

    def _account(self, client: str, now: float) -> Account:
        account = self._accounts.get(client)
        if account is None:
            account = self._accounts[client] = Account(client, self._limits, now)
        return account

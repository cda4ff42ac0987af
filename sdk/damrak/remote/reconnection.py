"""A seat's line to the referee that reconnects when the connection is lost.

A thread keeps the connection up, with the ticket of the last Welcome, for as long as the match
tolerates an absence. It receives messages even while the bot computes, so that a lost connection or
the end of the match is noticed at once.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final

from damrak.errors import RefereeError
from damrak.remote.address import Address
from damrak.remote.channels import Security
from damrak.remote.connection import PARTING, Connection, parsed
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result
from damrak_wire.table import Ended, Response, Welcomed

FIRST_WAIT: Final = 0.05  # seconds before the first reconnection attempt
LONGEST_WAIT: Final = 2.0
SPARE: Final = 5.0  # seconds beyond the grace period, in which the referee can confirm the loss


class KeptLine:
    """A line that reconnects when it is lost; `on_over` is called from its own thread."""

    def __init__(
        self,
        address: Address,
        security: Security,
        software: str,
        ticket: str,
        on_over: Callable[[], None] = lambda: None,
        spare: float = SPARE,
    ) -> None:
        self.is_over = False
        self._address = address
        self._security = security
        self._software = software
        self._ticket = ticket
        self._on_over = on_over
        self._heard: SimpleQueue[Response | RefereeError] = SimpleQueue()
        self._guard = Lock()
        self._connection: Connection | None = None
        self._is_seated = False  # whether that connection has received a Welcome
        self._closed = Event()
        self._hurry = Event()
        self._rules: Rules | None = None
        self._seat = 0
        self._spare = self._absence = spare
        self._trouble: RefereeError | None = None  # set by another thread
        self._thread = Thread(target=self._keep, name="line", daemon=True)
        self._thread.start()

    def say(self, data: bytes) -> None:
        """Send a message if the seat is connected, otherwise drop it."""
        with self._guard:
            if self._connection is not None and self._is_seated:
                self._connection.say(data)

    def hear(self) -> Response:
        """Return the next message of the referee; a second Welcome ends an absence."""
        heard = self._heard.get()
        if isinstance(heard, RefereeError):
            raise heard
        return heard

    def renew(self, address: Address, ticket: str) -> None:
        """Reconnect with this ticket: a new call invalidates the old one."""
        with self._guard:
            self._address, self._ticket = address, ticket
        self._hurry.set()

    def give_up(self, reason: RefereeError) -> None:
        """End the line, and make `hear` raise this error."""
        self._trouble = reason
        self._closed.set()
        self._hurry.set()
        self._hang_up()

    def close(self) -> None:
        """Close the line."""
        self._closed.set()
        self._hurry.set()
        with self._guard:
            if self._connection is not None:
                self._connection.half_close()
        if self.is_over:
            self._thread.join(PARTING)
        self._hang_up()

    def _hang_up(self) -> None:
        with self._guard:
            if self._connection is not None:
                self._connection.break_off()

    # ---- the thread ------------------------------------------------------------------------------

    def _keep(self) -> None:
        trouble = RefereeError("the line was closed", is_lasting=True)
        try:
            trouble = self._attend()
        except Exception as problem:  # noqa: BLE001 - reported to the session
            trouble = RefereeError(f"the line failed: {problem!r}", is_lasting=True)
        finally:
            self._end(self._trouble or trouble)

    def _attend(self) -> RefereeError:
        """Connect, receive messages, and reconnect; returns the reason for the end."""
        lost_at = monotonic()
        wait = FIRST_WAIT
        while not self._closed.is_set():
            self._hurry.clear()
            with self._guard:
                if self._closed.is_set():
                    break
                address, ticket = self._address, self._ticket
                connection = Connection(address, self._security, self._software, ticket)
                self._connection = connection
            try:
                was_there, trouble = self._listen(connection, address)
            finally:
                with self._guard:
                    self._connection, self._is_seated = None, False
                connection.break_off()
            if self.is_over:
                return trouble
            if was_there:
                lost_at, wait = monotonic(), FIRST_WAIT
            has_new_ticket = ticket != self._ticket and not was_there
            if trouble.is_lasting and not has_new_ticket:
                return trouble
            if not self._ticket or monotonic() - lost_at > self._absence:
                return trouble
            self._hurry.wait(wait * random.uniform(0.5, 1.0))
            wait = min(2 * wait, LONGEST_WAIT)
        return RefereeError("the line was closed", is_lasting=True)

    def _listen(self, connection: Connection, address: Address) -> tuple[bool, RefereeError]:
        """Receive messages of a connection; returns whether a Welcome came, and why it ended."""
        is_welcome = False
        try:
            for data in connection.messages():
                response = parsed(data, self._rules, address)
                if isinstance(response, Welcomed):
                    is_welcome = True
                    self._settle(response)
                if response is not None:
                    self._pass_on(response)
        except RefereeError as trouble:
            return is_welcome, trouble
        return is_welcome, RefereeError(f"{address.text}: the referee hung up", is_lasting=False)

    def _settle(self, welcome: Welcomed) -> None:
        self._rules, self._seat = welcome.rules, welcome.seat
        self._absence = welcome.control.grace_ms / 1000 + self._spare
        with self._guard:
            self._ticket = welcome.rejoin_ticket
            self._is_seated = True

    def _pass_on(self, response: Response) -> None:
        if isinstance(response, Ended):
            self.is_over = True
        self._heard.put(response)
        if isinstance(response, Ended) and not self._is_finish(response):
            self._on_over()

    def _is_finish(self, ended: Ended) -> bool:
        """Return whether the bot has played to the end and should receive the result."""
        return isinstance(ended.outcome, Result) and not ended.outcome.seats[self._seat].fault

    def _end(self, trouble: RefereeError) -> None:
        was_over, self.is_over = self.is_over, True
        self._heard.put(trouble)
        if not was_over:
            with contextlib.suppress(Exception):
                self._on_over()

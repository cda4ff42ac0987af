"""A table for tests: the arbiter behind a gRPC server that can cut connections and repeat messages.

It is not a referee: it has one match, accepts every ticket it issued, and has no limits. The
behaviour of real referees is tested with real ones.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Any

import grpc

from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl
from damrak_engine.dice import SeedDice
from damrak_engine.effects import Ask, Finished, Rejected, Stale, Tell, Voided
from damrak_engine.match import Match
from damrak_engine.observation import observe
from damrak_engine.rules import Rules, rules_for
from damrak_wire import table as wire

SEED = bytes(range(32))
PATIENT = TimeControl(decision_ms=20_000, bank_ms=120_000, increment_ms=1_000, grace_ms=20_000)
PINGS = (
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),
)
RULES = rules_for(load_board("practice"), 2)


class Cut(Exception):
    """The connection is to be cut."""


class TestTable:
    """One match. `meddle` is called with every message to a seat, and its return value is sent."""

    __test__ = False

    def __init__(
        self,
        rules: Rules = RULES,
        seed: bytes = SEED,
        control: TimeControl = PATIENT,
        address: str = "127.0.0.1:0",
        credentials: grpc.ServerCredentials | None = None,
    ) -> None:
        self.rules, self.seed, self.control = rules, seed, control
        self.match = Match(rules, SeedDice(seed), control)
        self.tickets = {secrets.token_hex(16): seat for seat in range(rules.seats)}
        self.names: dict[int, list[str]] = {seat: [] for seat in range(rules.seats)}
        self.heard: dict[int, list[Any]] = {seat: [] for seat in range(rules.seats)}
        self.joins = 0
        self.meddle: Callable[[int, bytes], Sequence[bytes]] = lambda _seat, data: [data]
        self._ruled_out: set[int] = set()
        self._told = dict.fromkeys(range(rules.seats), 0)
        self._queues: dict[int, SimpleQueue[bytes | None]] = {}
        self.changed = Condition()
        self._pool = ThreadPoolExecutor(16)
        self._server = grpc.server(self._pool, options=PINGS)
        play = grpc.stream_stream_rpc_method_handler(self._play)
        handler = grpc.method_handlers_generic_handler("damrak.v1.Table", {"Play": play})
        self._server.add_generic_rpc_handlers((handler,))
        if credentials is None:
            self.port = self._server.add_insecure_port(address)
        else:
            self.port = self._server.add_secure_port(address, credentials)
        self.address = address.replace(":0", f":{self.port}") if self.port > 1 else address
        self._server.start()

    def ticket(self, seat: int) -> str:
        """Return the ticket for this seat."""
        return next(ticket for ticket, of in self.tickets.items() if of == seat)

    def close(self) -> None:
        """Stop serving."""
        with self.changed:
            for queue in self._queues.values():
                queue.put(None)
        self._server.stop(0).wait()
        self._pool.shutdown(wait=False)

    def wait(self, holds: Callable[[], bool], seconds: float = 60.0) -> bool:
        """Wait until a condition is true."""
        with self.changed:
            return self.changed.wait_for(holds, seconds)

    def fail(self, seat: int, reason: str, detail: str) -> None:
        """Forfeit a seat."""
        with self.changed:
            self._carry_out(self.match.failed(seat, reason, detail, "bot", _now()))

    def void(self, detail: str) -> None:
        """Declare the match void."""
        with self.changed:
            self._carry_out(self.match.void("host", detail, _now()))

    def repeat(self, seat: int) -> None:
        """Repeat the question that this seat owes an answer to."""
        with self.changed:
            self._carry_out(self.match.reconnected(seat, _now()))

    # ---- one connection -------------------------------------------------------------------------

    def _play(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        first = wire.parse_request(next(requests))
        assert isinstance(first, wire.Join)
        seat = self.tickets.get(first.ticket)
        if seat is None:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "no such ticket")
        queue: SimpleQueue[bytes | None] = SimpleQueue()
        context.add_callback(lambda: queue.put(None))
        with self.changed:
            self.joins += 1
            if old := self._queues.get(seat):
                old.put(None)
            self._queues[seat] = queue
            self._welcome(seat, first.ticket)
            self.changed.notify_all()
        Thread(target=self._read, args=(seat, requests, queue), daemon=True).start()
        while (data := queue.get()) is not None:
            try:
                said = self.meddle(seat, data)
                with self.changed:
                    self.changed.notify_all()  # a test may be waiting for this
                yield from said
            except Cut:
                self._leave(seat, queue)
                context.abort(grpc.StatusCode.UNAVAILABLE, "cut")

    def _read(self, seat: int, requests: Iterator[bytes], queue: SimpleQueue[bytes | None]) -> None:
        try:
            for data in requests:
                with self.changed:
                    self._hear(seat, wire.parse_request(data))
                    self.changed.notify_all()
        except grpc.RpcError:
            pass
        self._leave(seat, queue)

    def _leave(self, seat: int, queue: SimpleQueue[bytes | None]) -> None:
        queue.put(None)
        with self.changed:
            if self._queues.get(seat) is queue:
                del self._queues[seat]
                self._carry_out(self.match.disconnected(seat, _now()))

    # ---- the match ------------------------------------------------------------------------------

    def _welcome(self, seat: int, ticket: str) -> None:
        has_begun = bool(self._told[seat])
        self._say(
            seat,
            wire.welcome(
                wire.Welcome(
                    match="m1",
                    seat=seat,
                    rules=self.rules,
                    control=self.control,
                    chance=hashlib.sha256(b"damrak-bot" + self.seed + bytes([seat])).digest(),
                    commitment=hashlib.sha256(self.seed).hexdigest(),
                    rejoin_ticket=ticket,
                    history=[wire.event_bytes(event) for event in self.match.history(seat)],
                    observation=observe(self.match.state, seat) if has_begun else None,
                )
            ),
        )
        self._told[seat] = len(self.match.history(seat))
        self._carry_out(self.match.reconnected(seat, _now()))

    def _hear(self, seat: int, said: Any) -> None:
        self.heard[seat].append(said)
        now = _now()
        match said:
            case wire.Ready(name):
                self.names[seat].append(name)
                if all(self.names.values()) and not any(self._told.values()):
                    self._carry_out(self.match.begin(now))
            case wire.Decided(decision, action, note, _):
                self._carry_out(self.match.decided(seat, decision, action, now, note))
            case wire.Nonsense(decision, what):
                self._carry_out(self.match.nonsense(seat, decision, what, now))
            case wire.Failed(reason, detail, _):
                self._carry_out(self.match.failed(seat, reason, detail, "bot", now))
                self.names[seat].append("(failed)")
                if all(self.names.values()) and not any(self._told.values()):
                    self._carry_out(self.match.begin(now))

    def _carry_out(self, effects: Sequence[Any]) -> None:
        for effect in effects:
            match effect:
                case Ask(seat):
                    self._say(seat, wire.question(effect, *self._news(seat)))
                case Rejected(seat):
                    self._say(seat, wire.rejection(effect))
                case Stale(seat):
                    self._say(seat, wire.stale(effect))
                case Tell():
                    pass
                case Finished(result):
                    for seat in self._queues:
                        self._say(seat, wire.ending_result(*self._news(seat), result))
                case Voided(owner, detail):
                    for seat in self._queues:
                        self._say(seat, wire.ending_void(0, (), owner, detail))
        for fault in self.match.faults:
            if fault.seat in self._queues and fault.seat not in self._ruled_out:
                self._ruled_out.add(fault.seat)
                ending = wire.ending_fault(0, (), fault.seat, fault.reason, fault.detail)
                self._say(fault.seat, ending)
        self.changed.notify_all()

    def _news(self, seat: int) -> tuple[int, list[bytes]]:
        history = self.match.history(seat)
        first, self._told[seat] = self._told[seat], len(history)
        return first, [wire.event_bytes(event) for event in history[first:]]

    def _say(self, seat: int, data: bytes) -> None:
        if seat in self._queues:
            self._queues[seat].put(data)


def _now() -> int:
    return time.monotonic_ns() // 1000

"""A running match: the arbiter, its chairs, and the time.

It is independent of gRPC: chairs have abstract links. Everything happens in the thread of the
event loop, in steps that never wait.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

import structlog

from damrak_engine.clock import US_PER_MS
from damrak_engine.dice import Dice, SeedDice, commitment
from damrak_engine.effects import Ask, Effect, Finished, Owner, Rejected, Stale, Tell
from damrak_engine.match import Match
from damrak_engine.observation import Observation, observe
from damrak_engine.replay import Played
from damrak_referee.software import software
from damrak_referee.table.chair import Chair
from damrak_referee.table.feed import Feed
from damrak_referee.table.outcome import Outcome, TableOrder, outcome_of, wall_clock
from damrak_referee.table.stopwatch import OnDecision, Stopwatch
from damrak_referee.table.tickets import Tickets
from damrak_referee.table.timekeeper import NS_PER_US, Alarm, Timekeeper
from damrak_referee.table.turnstile import Turnstile
from damrak_wire.table import Decided, ending_fault, ending_result, ending_void, rejection, stale

log = structlog.get_logger()

CALLED_OFF: Final = "The match was called off."


class Table:
    """A match and its participants. Create it in the event loop in which it will run.

    `tickets` are needed if the order has remote seats. `on_decision` is called with the durations
    of every decision in seconds: from question to answer, the part of it that the bot reports as
    thinking, and what the referee took to ask. The dice follow from the seed unless `dice` are
    given, for experiments.
    """

    def __init__(
        self,
        order: TableOrder,
        referee: str,
        tickets: Tickets | None = None,
        on_decision: OnDecision | None = None,
        dice: Dice | None = None,
    ) -> None:
        self.order = order
        self.commitment = commitment(order.seed)
        self.begun = asyncio.Event()
        self._referee = referee
        self._stopwatch = Stopwatch(on_decision)
        dice = dice or SeedDice(order.seed)
        self._match = Match(order.rules, dice, order.control, order.first)
        self.chairs = tuple(
            Chair(self, seat, player.bot, tickets if seat in order.remote else None)
            for seat, player in enumerate(order.players)
        )
        self.feed = Feed(order, self.commitment, self._match.log, self._clocks)
        loop = asyncio.get_running_loop()
        self._time = Timekeeper()
        self._alarm = Alarm(loop, self._time, lambda: self.happens(self._tick))
        self._turnstile = Turnstile(loop, self._time, order.jitter_ms * US_PER_MS, self._break_off)
        self.happens = self._turnstile.take
        self._ordered_ns = self._time.real_ns()
        self._cause_ns = 0  # when the message being handled was received
        self._faults_told = 0
        self._changed = asyncio.Event()  # a bot is ready or has failed, or the match is over
        self._parted = asyncio.Event()  # a client has disconnected
        self._over = asyncio.Event()

    # ---- the match as a whole -----------------------------------------------------------------

    async def play(self, start_limit_ms: int) -> Outcome:
        """Wait for the bots, up to the limit, and play to the end; return the outcome."""
        started = wall_clock()
        try:
            await self._gather(start_limit_ms / 1000)
            self.happens(self._begin)
            await self._over.wait()
        except BaseException:
            self.void("host", CALLED_OFF)
            self.feed.void("host", CALLED_OFF)  # even after a result, which was not delivered
            raise
        played = Played(started, wall_clock(), software(), self._referee)
        seats = tuple([chair.outcome() for chair in self.chairs])
        outcome = outcome_of(self.order, self._match, played, seats, self._stopwatch.timings())
        self.feed.finish(outcome)
        return outcome

    def fail(self, seat: int, reason: str, detail: str, owner: Owner, traceback: str = "") -> None:
        """Fail a seat; if that is the host's fault, the match is void."""
        if owner == "host":
            self._turnstile.flush()
        self.happens(self._fail, seat, reason, detail, owner, traceback)

    def void(self, owner: Owner, detail: str) -> None:
        """End the match without a result; no effect once it is over."""
        self._turnstile.flush()
        self.happens(self._void, owner, detail)

    async def part(self, limit_s: float) -> None:
        """Wait until all seats have disconnected, up to the limit."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while any(chair.link is not None for chair in self.chairs):
                    self._parted.clear()
                    await self._parted.wait()

    def close(self) -> None:
        """Void the match unless it is over, and close all connections."""
        self.void("host", CALLED_OFF)
        for chair in self.chairs:
            if chair.link is not None:
                chair.link.close("UNAVAILABLE", "This table is closed.")

    def observation(self, seat: int) -> Observation | None:
        """Return the position as this seat may see it; None before the match has begun."""
        return observe(self._match.state, seat) if self.begun.is_set() else None

    async def _gather(self, limit_s: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while self._missing() and not self._match.is_over:
                    self._changed.clear()
                    await self._changed.wait()
        for chair in self._missing():
            is_here = chair.link is not None
            owner: Owner = "bot" if is_here or chair.seat not in self.order.remote else "network"
            detail = "was not ready in time" if chair.was_taken else "never connected"
            self.fail(chair.seat, "timeout", detail, owner)

    def _missing(self) -> list[Chair]:
        return [chair for chair in self.chairs if not chair.is_ready and not chair.is_done]

    def _begin(self) -> None:
        if self._match.is_over:
            return
        self.begun.set()
        now = self._stamp()
        for chair in self.chairs:
            if chair.link is None and not chair.is_done:
                self._match.disconnected(chair.seat, now)
        self._deliver(self._match.begin(now))

    # ---- steps --------------------------------------------------------------------------------

    def decided(self, chair: Chair, said: Decided, received_ns: int) -> None:
        """Handle a bot's answer."""
        match = self._match
        faults = len(match.faults)
        self._cause_ns = received_ns
        now = self._time.at(received_ns)
        effects = match.decided(chair.seat, said.decision, said.action, now, said.note)
        kind = type(effects[0]) if effects else None
        if kind is not Stale and kind is not Rejected and not self._failed_since(faults, chair):
            times = (chair.cause_ns, chair.asked_ns, received_ns)
            self._stopwatch.decided(chair.seat, times, said.think_us)
        self._carry_out(effects)

    def nonsense(self, chair: Chair, decision: int, what: str) -> None:
        """Handle an answer that does not name an action."""
        self._carry_out(self._match.nonsense(chair.seat, decision, what, self._stamp()))

    def is_ready(self, chair: Chair) -> None:
        """Record that a bot is ready."""
        chair.ready_us = (self._time.real_ns() - self._ordered_ns) // NS_PER_US
        self._changed.set()

    def returned(self, chair: Chair) -> None:
        """Record that a client has connected to a seat."""
        if self.begun.is_set():
            self._carry_out(self._match.reconnected(chair.seat, self._stamp()))

    def left(self, chair: Chair) -> None:
        """Record that a seat has lost its connection."""
        self._parted.set()
        if self.begun.is_set() and not self._match.is_over:
            self._carry_out(self._match.disconnected(chair.seat, self._stamp()))

    def _fail(self, seat: int, reason: str, detail: str, owner: Owner, traceback: str) -> None:
        match = self._match
        faults = len(match.faults)
        effects = match.failed(seat, reason, detail, owner, self._stamp())
        chair = self.chairs[seat]
        if self._failed_since(faults, chair):
            chair.traceback = traceback
        self._carry_out(effects)

    def _void(self, owner: Owner, detail: str) -> None:
        self._carry_out(self._match.void(owner, detail, self._stamp()))

    def _tick(self) -> None:
        if not self._match.is_over:
            self._carry_out(self._match.tick(self._stamp()))

    def _stamp(self) -> int:
        self._cause_ns = self._time.real_ns()
        return self._time.at(self._cause_ns)

    def _failed_since(self, faults: int, chair: Chair) -> bool:
        all_faults = self._match.faults
        return len(all_faults) > faults and any(
            fault.seat == chair.seat for fault in all_faults[faults:]
        )

    def _break_off(self, problem: Exception) -> None:
        """Void the match after an internal error, so that no participant is left waiting."""
        log.error("table_broke", match=self.order.match, exc_info=problem)
        self._turnstile.forget()
        try:
            self._deliver(self._match.void("host", "The referee failed.", self._time.now()))
        except Exception:
            log.exception("table_broke_again", match=self.order.match)
        self._changed.set()
        self._over.set()

    # ---- effects of steps ---------------------------------------------------------------------

    def _carry_out(self, effects: list[Effect]) -> None:
        if self.order.jitter_ms and any(type(e) in (Tell, Finished) for e in effects):
            self._turnstile.after_pause(self._deliver_late, effects)
        else:
            self._deliver(effects)

    def _deliver_late(self, effects: list[Effect]) -> None:
        self._stamp()
        self._deliver(effects)

    def _deliver(self, effects: list[Effect]) -> None:
        """Carry out the effects, questions as early as possible."""
        chairs = self.chairs
        encoded: dict[int, bytes] = {}
        told = False
        for effect in effects:
            if type(effect) is Tell:
                chairs[effect.seat].tell(effect.events)
                told = True
            elif type(effect) is Ask:
                chairs[effect.seat].ask(effect, self._cause_ns, encoded)
            elif type(effect) is Stale:
                chairs[effect.seat].send(stale(effect))
            elif type(effect) is Rejected:
                chairs[effect.seat].rejected(effect.decision, effect.reason, rejection(effect))
        match = self._match
        if told:
            for chair in chairs:
                chair.encode(encoded)
        if len(match.faults) > self._faults_told:
            self._part_with_failed()
        if told:
            for chair in chairs:
                chair.tell_promptly()
            self.feed.grow(len(match.log))
        if match.is_over:
            self._finish()
        else:
            deadline = match.next_deadline()
            if deadline is not None:
                self._alarm.set(deadline)

    def _part_with_failed(self) -> None:
        faults = self._match.faults
        for fault in faults[self._faults_told :]:
            chair = self.chairs[fault.seat]
            if fault.owner == "network" and fault.seat not in self.order.remote:
                fault = replace(fault, owner="bot")  # a local seat has no network in between
            chair.fault = fault
            if fault.owner != "host":  # otherwise all seats receive that the match is void
                seat, reason, detail = fault.seat, fault.reason, fault.detail
                chair.end(partial(ending_fault, seat=seat, reason=reason, detail=detail))
                chair.on_fault()
        self._faults_told = len(faults)
        self._changed.set()

    def _finish(self) -> None:
        match = self._match
        if match.voided is not None:
            void = match.voided
            ending = partial(ending_void, owner=void.owner, detail=void.detail)
            self.feed.void(void.owner, void.detail)
        else:
            assert match.result is not None
            ending = partial(ending_result, result=match.result)
        for chair in self.chairs:
            chair.end(ending)
        self._alarm.cancel()
        self._changed.set()
        self._over.set()

    def _clocks(self) -> tuple[list[int], list[int]]:
        """Return the seats to decide (in the set-up also those that have), and all banks."""
        match, now = self._match, self._time.now()
        left = [match.time_left(seat, now) for seat in range(len(self.chairs))]
        return match.state.owing(), [time.bank_us // US_PER_MS for time in left]

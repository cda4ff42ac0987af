"""A running match, from the first socket to the last: table, places of seats, and report."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, assert_never

import structlog

from damrak_engine.replay import Player
from damrak_referee.blocks.seat_access import (
    FAREWELL,
    CalledPlace,
    LocalPlace,
    OpenPlace,
    SeatPlace,
)
from damrak_referee.blocks.start_limit import Slot, Starting
from damrak_referee.lobby.lobby import Call, Lobby
from damrak_referee.runner.client import Exit, HouseBot, Runner, Uploaded
from damrak_referee.runner.errors import RunnerError
from damrak_referee.server.metrics import Metrics
from damrak_referee.server.watch_service import Feeds
from damrak_referee.table.outcome import Outcome, SeatOutcome, TableOrder
from damrak_referee.table.table import Table
from damrak_referee.table.tickets import Tickets
from damrak_wire.orders import Archive, BlockOrder, House, MatchOrder, Open, Remote, Ticket
from damrak_wire.reports import MatchReport, MatchStarted, MatchVoided, SeatReport

REASONS: Final = {"ended": "crash", "crash": "crash", "memory": "memory", "output": "crash"}
"""Fault reasons by cause of exit; any other cause is the host's fault."""

LOOK_EVERY: Final = 0.005  # seconds between two checks whether programs are ready

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Premises:
    """The shared services with which a referee plays matches."""

    name: str
    address: str  # for the tickets of open seats
    runner: Runner
    lobby: Lobby
    tickets: Tickets
    feeds: Feeds
    metrics: Metrics
    starting: Starting


class RunningMatch:
    """A match in progress or about to start. Create it inside the running event loop."""

    def __init__(self, premises: Premises, block: BlockOrder, order: MatchOrder) -> None:
        self.order = order
        self.is_begun = False
        self._premises = premises
        self._block = block
        by_ticket = [isinstance(seat.place, (Remote, Open)) for seat in order.seats]
        self._table = Table(
            TableOrder(
                match=order.match,
                block=block.block,
                attempt=block.attempt,
                ladder=block.ladder or None,
                rules=block.rules(order),
                seed=order.seed,
                control=block.control,
                first=order.first,
                players=tuple(Player(seat.bot, seat.version, seat.owner) for seat in order.seats),
                jitter_ms=block.jitter_ms,
                watch_delay_ms=block.watch_delay_ms,
                remote=frozenset(seat for seat, is_remote in enumerate(by_ticket) if is_remote),
            ),
            premises.name,
            premises.tickets,
        )
        premises.feeds.add(self._table.feed)

    def new_tickets(self) -> list[Ticket]:
        """Issue tickets for the open seats."""
        return [
            Ticket(
                self.order.match,
                number,
                self._premises.address,
                self._premises.tickets.issue(self._table.chairs[number]),
            )
            for number, seat in enumerate(self.order.seats)
            if isinstance(seat.place, Open)
        ]

    def void(self, detail: str) -> None:
        """End the match without a result, through no fault of a bot; `play` returns soon."""
        self._table.void("host", detail)

    async def play(
        self,
        start_limit_ms: int,
        refused: Mapping[str, str],
        on_start: Callable[[MatchStarted], None],
        slot: Slot | None,
    ) -> MatchReport | MatchVoided:
        """Play the match to its end, clean up, and return the report.

        `refused` are archives that cannot be seated, with the reasons. The slot is released as soon
        as the local programs are ready.
        """
        with structlog.contextvars.bound_contextvars(match=self.order.match):
            _log.debug("match_starting")
            self._premises.metrics.started += 1
            kinds = Counter(type(seat.place).__name__.lower() for seat in self.order.seats)
            self._premises.metrics.seats.update(kinds)
            playing = asyncio.ensure_future(self._table.play(start_limit_ms))
            announcing = asyncio.ensure_future(self._announce(on_start))
            places: list[SeatPlace] = []
            farewell = 0.0
            try:
                places = self._places(start_limit_ms, refused)
                await self._open(places, playing)
                if slot is not None:
                    await self._programs_ready(places, playing)
                    slot.release()
                outcome = await playing
                if self._table.begun.is_set():  # perhaps over before it was announced
                    self._say_begun(on_start)
                if outcome.voided is None:
                    farewell = FAREWELL
                    await self._table.part(FAREWELL)
            finally:
                announcing.cancel()
                self._table.void("host", "the referee broke")  # no effect if it is over
                exits = await asyncio.gather(*(place.close(farewell) for place in places))
                self._premises.metrics.seats.subtract(kinds)
                self._table.close()
            return self._report(outcome, exits)

    async def _announce(self, on_start: Callable[[MatchStarted], None]) -> None:
        await self._table.begun.wait()
        self._say_begun(on_start)

    def _say_begun(self, on_start: Callable[[MatchStarted], None]) -> None:
        if not self.is_begun:
            self.is_begun = True
            on_start(MatchStarted(self.order.match, self._table.commitment))

    async def _open(self, places: list[SeatPlace], playing: asyncio.Future[Outcome]) -> None:
        # Wait for all of them, or one might open something that is never closed.
        opening = asyncio.gather(*(place.open() for place in places), return_exceptions=True)
        either: list[asyncio.Future[Any]] = [opening, playing]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not opening.done():  # declared void before all seats were opened
            opening.cancel()
        try:
            problems = [found for found in await opening if found is not None]
        except asyncio.CancelledError:
            if not playing.done():
                raise
            return
        for problem in problems:
            if not isinstance(problem, (RunnerError, OSError, RuntimeError)):  # as gRPC raises
                raise problem
            _log.warning("match_cannot_start", why=str(problem))
            self._table.void("host", f"a seat could not be started: {problem}")

    async def _programs_ready(
        self, places: list[SeatPlace], playing: asyncio.Future[Outcome]
    ) -> None:
        pairs = zip(places, self._table.chairs, strict=True)
        chairs = [chair for place, chair in pairs if isinstance(place, LocalPlace)]
        while not playing.done() and not all(chair.is_ready or chair.is_done for chair in chairs):
            await asyncio.sleep(LOOK_EVERY)

    # --- seats

    def _places(self, start_limit_ms: int, refused: Mapping[str, str]) -> list[SeatPlace]:
        places: list[SeatPlace] = []
        for number, seat in enumerate(self.order.seats):
            chair = self._table.chairs[number]
            match seat.place:
                case House(spec):
                    places.append(self._local(number, HouseBot(spec)))
                case Archive(sha256):
                    if sha256 in refused:
                        self._table.fail(number, "crash", refused[sha256], "bot")
                        places.append(OpenPlace(self._premises.tickets, chair))
                    else:
                        places.append(self._local(number, Uploaded(sha256)))
                case Remote(bot):
                    places.append(self._called(number, bot, start_limit_ms))
                case Open():
                    places.append(OpenPlace(self._premises.tickets, chair))
                case _:
                    assert_never(seat.place)
        return places

    def _local(self, number: int, bot: HouseBot | Uploaded) -> LocalPlace:
        socket = self._premises.runner.folder / f"{secrets.token_hex(6)}.sock"
        return LocalPlace(
            self._table.chairs[number],
            self._premises.runner,
            bot,
            socket,
            partial(self._exited, number),
            self._block.low_priority,
        )

    def _exited(self, number: int, found: Exit) -> None:
        reason = REASONS.get(found.cause)
        if found.cause == "stopped" or self._table.chairs[number].is_done:
            return  # stopped by us, or out of the game already: the others play on
        if reason is None or found.owner == "host":
            self._table.void("host", f"seat {number + 1}: {found.detail or found.cause}")
            return
        detail = found.detail or "the program ended before the match did"
        self._table.fail(number, reason, detail, "bot")

    def _called(self, number: int, bot: str, start_limit_ms: int) -> CalledPlace:
        chair = self._table.chairs[number]
        tickets = self._premises.tickets

        def decline(reason: str) -> None:
            detail = f"declined: {reason}" if reason else "declined"
            self._table.fail(number, "disconnect", detail, "bot")

        def bar() -> None:
            tickets.revoke(chair)
            self._table.fail(number, "disconnect", "its token was revoked", "bot")

        call = Call(
            bot=bot,
            match=self.order.match,
            new_ticket=partial(tickets.issue, chair),
            is_seated=lambda: chair.link is not None,
            has_come=lambda: chair.is_ready or chair.link is not None,
            is_out=lambda: chair.is_done,
            on_decline=decline,
            on_barred=bar,
            until=asyncio.get_running_loop().time() + start_limit_ms / 1000,
            grace_ms=self._block.control.grace_ms,
        )
        return CalledPlace(self._premises.lobby, tickets, chair, call)

    # --- the report

    def _report(self, outcome: Outcome, exits: list[Exit | None]) -> MatchReport | MatchVoided:
        metrics, attempt = self._premises.metrics, self._block.attempt
        seats = tuple(map(_seat_report, outcome.seats, exits))
        for seat in seats:
            if seat.fault is not None:
                metrics.faults[seat.fault.reason, seat.fault.owner] += 1
        if outcome.voided is not None:
            owner, detail = outcome.voided.owner, outcome.voided.detail
            metrics.voided[owner] += 1
            _log.info("match_void", owner=owner, detail=detail)
            return MatchVoided(self.order.match, attempt, owner, detail, seats)
        assert outcome.replay is not None
        assert outcome.replay_file is not None
        timings = outcome.timings
        metrics.total.add(timings.total_us)
        metrics.think.add(timings.think_us)
        metrics.own.add(timings.queue_us)
        reason = outcome.replay.result.reason
        metrics.finished[reason] += 1
        _log.info("match_finished", reason=reason, decisions=len(timings.seats))
        return MatchReport(self.order.match, attempt, outcome.replay_file, seats, timings)


def _seat_report(seat: SeatOutcome, found: Exit | None) -> SeatReport:
    fault = seat.fault
    if found is not None and fault is not None and fault.reason == "timeout":
        fault = replace(fault, traceback=fault.traceback or found.stack)
    return SeatReport(
        name=seat.name,
        output=found.output if found is not None else "",
        fault=fault,
        rejections=seat.rejections,
        cpu_us=found.cpu_us if found is not None else 0,
        memory_bytes=found.memory_bytes if found is not None else 0,
        ready_us=seat.ready_us,
    )

"""Running tables for tests: real servers on Unix sockets, and clients that speak the protocol."""

from __future__ import annotations

import asyncio
import gc
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import grpc

from damrak.hosting.driver import Driver, Question, SeatPlan
from damrak.specs import parse_spec
from damrak_engine.boards import load_board
from damrak_engine.clock import US_PER_MS, TimeControl
from damrak_engine.match import Match
from damrak_engine.options import DEFAULTS, Options
from damrak_engine.replay import Player
from damrak_engine.rules import Rules, rules_for
from damrak_referee.server.seat_service import SeatService, seat_server
from damrak_referee.table.link import SeatLimits
from damrak_referee.table.outcome import Outcome, TableOrder
from damrak_referee.table.table import Table
from damrak_referee.table.tickets import Tickets
from damrak_wire import table as wire

T = TypeVar("T")
PLAY = "/damrak.v1.Table/Play"
OPTIONS = [
    ("grpc.use_local_subchannel_pool", 1),
    # Otherwise calls to a server that stops could be retried without end.
    ("grpc.enable_retries", 0),
]
PATIENCE = 300.0  # seconds: a safety net; nothing here measures time
FOREVER = 600_000  # milliseconds
SEED = bytes(range(32))
PATIENT = TimeControl(decision_ms=None, bank_ms=FOREVER, grace_ms=FOREVER)
LIMITS = SeatLimits(join_s=PATIENCE, farewell_s=60.0)


class LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time can be advanced, for tests of timeouts."""

    leapt_s = 0.0

    def time(self) -> float:
        """Return the time in seconds, including all leaps."""
        return super().time() + self.leapt_s


def leap(seconds: float) -> None:
    """Advance the time of the running loop."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, LeapingLoop)
    loop.leapt_s += seconds


def run(main: Coroutine[Any, Any, T], loop: Callable[[], Any] | None = None) -> T:
    """Run a test; fail on exceptions in tasks that nothing awaits."""
    problems: list[dict[str, Any]] = []
    gc.freeze()  # the collections below only concern the objects of this test

    async def watched() -> T:
        asyncio.get_running_loop().set_exception_handler(lambda _, what: problems.append(what))
        result = await asyncio.wait_for(main, PATIENCE)
        gc.collect()
        await asyncio.sleep(0)
        return result

    with asyncio.Runner(loop_factory=loop) as runner:
        result = runner.run(watched())
    gc.collect()
    assert problems == []
    return result


def rules(seats: int = 2, options: Options = DEFAULTS, board: str = "practice") -> Rules:
    return rules_for(load_board(board), seats, options)


def order(seats: int = 2, **values: Any) -> TableOrder:
    given: dict[str, Any] = {
        "match": "m1",
        "block": "b1",
        "attempt": 1,
        "ladder": "main",
        "rules": rules(seats) if "rules" not in values else values["rules"],
        "seed": SEED,
        "control": PATIENT,
        "first": None,
        "players": tuple(Player(f"bot{seat}", "7", "ann") for seat in range(seats)),
    }
    return TableOrder(**(given | values))


class Client:
    """One connection to a seat."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel
        self.call: Any = channel.stream_stream(PLAY)()
        self.rules: Rules | None = None
        self.heard: list[bytes] = []
        self.welcome: wire.Welcomed | None = None

    async def say(self, data: bytes) -> None:
        await self.call.write(data)

    async def hear_bytes(self) -> bytes | None:
        """Return the next message; None at the end of the stream."""
        data = await self.call.read()
        if not isinstance(data, bytes):
            return None
        self.heard.append(data)
        return data

    async def hear_bytes_or_nothing(self) -> None:
        """Read the next message, or ignore the error that ends the stream."""
        with suppress(grpc.aio.AioRpcError):
            await self.hear_bytes()

    async def hear(self) -> Any:
        data = await self.hear_bytes()
        return None if data is None else wire.parse_response(data, self.rules)

    async def expect(self, kind: type[T]) -> T:
        said = await self.hear()
        assert isinstance(said, kind), said
        return said

    async def join(self, ticket: str = "", prompt: bool = False) -> wire.Welcomed:
        await self.say(wire.join("test", ticket, prompt))
        self.welcome = await self.expect(wire.Welcomed)
        self.rules = self.welcome.rules
        return self.welcome

    async def sit(self, name: str = "", ticket: str = "", prompt: bool = False) -> Client:
        """Join and be ready."""
        await self.join(ticket, prompt)
        await self.say(wire.ready(name))
        return self

    async def answer(self, asked: wire.Asked, action: int | None = None, **more: Any) -> None:
        choice = asked.legal[0] if action is None else action
        await self.say(wire.decided(asked.decision, choice, **more))

    async def play(self, choose: Callable[[wire.Asked], int] | None = None) -> wire.Ended:
        """Answer every question until the end."""
        while True:
            said = await self.hear()
            match said:
                case wire.Asked():
                    await self.answer(said, None if choose is None else choose(said))
                case wire.Ended():
                    return said
                case None:
                    raise ConnectionError(await self.status())

    async def status(self) -> str:
        """Return the status with which the connection ended."""
        code = await self.call.code()
        return f"{code.name}: {await self.call.details()}"

    async def leave(self) -> None:
        self.call.cancel()
        await asyncio.sleep(0)

    async def hang_up(self) -> None:
        """Close the connection; a seat accepts only a few at once."""
        await self._channel.close()


def driven(spec: str, welcome: wire.Welcomed) -> Callable[[wire.Asked], int]:
    """Return a function that returns the answers of an SDK bot."""
    chance = int.from_bytes(welcome.chance)
    plan = SeatPlan(parse_spec(spec), welcome.seat, welcome.control, chance)
    driver = Driver(plan, welcome.rules)

    def choose(asked: wire.Asked) -> int:
        chosen = driver.choose(
            Question(asked.decision, asked.observation, asked.legal, asked.time_left, asked.events)
        )
        action: int = chosen.action  # type: ignore[union-attr]
        return action

    return choose


class Hall:
    """A table with a socket for each seat, or one for all and tickets."""

    def __init__(self, stack: AsyncExitStack, folder: Path) -> None:
        self._stack = stack
        self._folder = folder
        self.tickets = Tickets()
        self.table: Table
        self.first_tickets: list[str] = []
        self._sockets: list[Path] = []
        self.play: asyncio.Task[Outcome]

    async def open(self, table: Table, limits: SeatLimits = LIMITS) -> None:
        self.table = table
        public = self._folder / "public"
        if table.order.remote:
            server = grpc.aio.server()
            service = SeatService(self.tickets.redeem, limits)
            server.add_generic_rpc_handlers((service.handlers(),))
            server.add_insecure_port(f"unix:{public}")
            await self._start(server)
        for chair in table.chairs:
            if chair.seat in table.order.remote:
                self.first_tickets.append(self.tickets.issue(chair))
                self._sockets.append(public)
            else:
                socket = self._folder / str(chair.seat)
                await self._start(seat_server(chair, socket, limits))
                self.first_tickets.append("")
                self._sockets.append(socket)

    async def _start(self, server: grpc.aio.Server) -> None:
        await server.start()
        self._stack.push_async_callback(server.stop, None)

    def start(self, limit_ms: int = FOREVER) -> None:
        self.play = asyncio.create_task(self.table.play(limit_ms))
        self._stack.callback(self.play.cancel)

    async def connect(self, seat: int) -> Client:
        """Open a separate connection to this seat."""
        channel = grpc.aio.insecure_channel(f"unix:{self._sockets[seat]}", options=OPTIONS)
        await self._stack.enter_async_context(channel)
        return Client(channel)

    async def sit(self, seat: int, prompt: bool = False) -> Client:
        """Return a client that is ready in this seat."""
        client = await self.connect(seat)
        return await client.sit(f"bot in {seat}", self.first_tickets[seat], prompt)

    async def leave(self, seat: int, client: Client) -> None:
        """Leave a seat and wait until its connection is gone, so that no other overtakes it."""
        await client.leave()
        while self.table.chairs[seat].link is not None:
            await asyncio.sleep(0)

    async def run_out(self, seat: int) -> None:
        """Let the time of this seat run out, once no other seat owes an answer."""
        match = self.table._match
        while [n for n in range(len(self.table.chairs)) if _owes(match, n)] != [seat]:
            await asyncio.sleep(0)
        self.table._time._skipped_us -= FOREVER * US_PER_MS
        self.table.happens(self.table._tick)

    async def outcome(self) -> Outcome:
        return await self.play


def _owes(match: Match, seat: int) -> bool:
    return match._player(seat).clock.deadline is not None


@asynccontextmanager
async def hall(
    seats: int = 2,
    *,
    limits: SeatLimits = LIMITS,
    start: bool = True,
    limit_ms: int = FOREVER,
    dice: Any = None,
    on_decision: Any = None,
    **values: Any,
) -> AsyncIterator[Hall]:
    """Yield a table that waits for bots."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        made = Hall(stack, Path(folder))
        table = Table(order(seats, **values), "referee-1", made.tickets, on_decision, dice)
        await made.open(table, limits)
        if start:
            made.start(limit_ms)
        yield made


async def everyone_plays(clients: list[Client]) -> list[wire.Ended]:
    """Let all clients answer with their first legal action until the end."""
    return list(await asyncio.gather(*[client.play() for client in clients]))


async def gathered(*waited: Awaitable[Any]) -> list[Any]:
    return list(await asyncio.gather(*waited))

"""Clients that play at random, at negligible cost compared with the exchange itself."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import grpc

from damrak.benchmark.referee.orders import OPEN, block
from damrak.benchmark.referee.process import Server
from damrak_proto.v1 import control_pb2, control_pb2_grpc, table_pb2
from damrak_wire.orders import encode_block

PLAY: Final = "/damrak.v1.Table/Play"
OPTIONS: Final = (
    ("grpc.enable_retries", 0),
    ("grpc.use_local_subchannel_pool", 1),  # separate connections, as bots have
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
)


@dataclass(slots=True)
class Tally:
    """Counts for the time when all matches of a round were running."""

    decisions: int = 0
    sent: int = 0  # bytes
    received: int = 0
    cpu: float = 0.0  # seconds of server and clients together


class Round:
    """Matches of two that begin together; counted while all of them are running."""

    def __init__(self, matches: int, cpu: Callable[[], float]) -> None:
        self.tally = Tally()
        self.begun = self.ended = 0.0
        self._cpu = cpu
        self.all_joined = asyncio.Event()
        self._seats = self._waiting = 2 * matches
        self._asked = 0

    def joined(self) -> None:
        """Record that a seat has joined; the last one lets all matches begin."""
        self._waiting -= 1
        if not self._waiting:
            self.all_joined.set()

    def first_question(self, now: float) -> None:
        """Record the first question of a seat; the last one starts the clock."""
        self._asked += 1
        if self._asked == self._seats:
            self.begun = now
            self.tally.cpu = -self._cpu()

    def over(self, now: float) -> None:
        """Record the end of a match; the first one stops the clock."""
        if not self.ended:
            self.ended = now
            self.tally.cpu += self._cpu()

    @property
    def counts(self) -> bool:
        """Whether all matches are running."""
        return bool(self.begun) and not self.ended

    @property
    def seconds(self) -> float:
        """The time for which all matches were running."""
        return self.ended - self.begun


def channel(address: str) -> grpc.aio.Channel:
    """Return a separate connection."""
    return grpc.aio.insecure_channel(address, options=OPTIONS)


@asynccontextmanager
async def channels(address: str, number: int) -> AsyncIterator[list[grpc.aio.Channel]]:
    """Open `number` connections, closed on exit."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(channel(address)) for _ in range(number)]


async def play_round(
    server: Server, matches: int, name: str, places: Sequence[grpc.aio.Channel]
) -> tuple[Round, list[control_pb2.MatchReport]]:
    """Play `matches` matches of two at once; returns the counts and the reports.

    Each seat uses one of the connections alone.
    """
    this = Round(matches, lambda: server.cpu_seconds + time.process_time())
    async with channel(server.control) as master:
        stub = control_pb2_grpc.ControlStub(master)
        started = await stub.StartBlock(encode_block(block(name, [OPEN, OPEN], matches)))
        follow = stub.FollowBlock(control_pb2.FollowBlockRequest(block=name, attempt=1))
        seats = [
            asyncio.create_task(_play(place, ticket.ticket, this, number))
            for number, (ticket, place) in enumerate(zip(started.tickets, places, strict=True))
        ]
        reports = []
        async for said in follow:
            if said.HasField("finished"):
                reports.append(said.finished)
        await asyncio.gather(*seats)
    return this, reports


async def _play(own: grpc.aio.Channel, ticket: str, this: Round, number: int) -> None:
    chance = random.Random(number).random
    clock = asyncio.get_running_loop().time
    call: grpc.aio.StreamStreamCall[bytes, bytes] = own.stream_stream(PLAY)()
    hello = table_pb2.Hello(lowest_version=1, highest_version=1, software="damrak-benchmark")
    join = table_pb2.PlayRequest(join=table_pb2.Join(hello=hello, ticket=ticket))
    await call.write(join.SerializeToString())
    await call.read()
    this.joined()
    await this.all_joined.wait()
    ready = table_pb2.PlayRequest(ready=table_pb2.Ready(name="any"))
    await call.write(ready.SerializeToString())
    request = table_pb2.PlayRequest(decision=table_pb2.Decision(think_us=1))
    reply = request.decision
    is_first = True
    parse = table_pb2.PlayResponse.FromString
    tally = this.tally
    while True:
        data = await call.read()
        if not isinstance(data, bytes):
            raise ConnectionError("the referee hung up in the middle of a match")
        said = parse(data)
        kind = said.WhichOneof("message")
        if kind == "ending":
            this.over(clock())
            break
        if kind != "question":
            continue
        if is_first:
            is_first = False
            this.first_question(clock())
        question = said.question
        legal = question.legal
        choice = legal[int(chance() * len(legal))]
        reply.decision, reply.action = question.decision, choice
        answer = request.SerializeToString()
        await call.write(answer)
        if this.counts:
            tally.decisions += 1
            tally.received += len(data)
            tally.sent += len(answer)
    await call.done_writing()
    while await call.read() is not grpc.aio.EOF:
        pass

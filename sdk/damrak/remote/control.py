"""Driving a referee: start a block of games, follow it to its end, cancel it.

with Control(parse_address("unix:/run/damrak/referee.sock")) as control:
    control.start(order)
    for news in control.follow(order.block, order.attempt):
        ...
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc

from damrak.errors import RefereeError
from damrak.remote.address import Address
from damrak.remote.channels import Security, open_channel
from damrak.remote.troubles import trouble_of
from damrak_proto.v1 import control_pb2 as pb
from damrak_proto.v1.control_pb2_grpc import ControlStub
from damrak_wire.lobby import BotToken, encode_tokens
from damrak_wire.orders import BlockOrder, Ticket, decode_ticket, encode_block
from damrak_wire.reports import BlockEnded, BlockNews, decode_news

CHUNK: Final = 1 << 18
# A block that nobody follows is soon cancelled, so whoever follows comes back at once.
RETRY_SECONDS: Final = 0.1
RETRIES: Final = 50
UNLIMITED: Final = (("grpc.max_receive_message_length", -1),)  # replays may be long

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A bot in the lobby; `free` is how many more games it would take."""

    bot: str
    free: int
    playing: int
    software: str


@dataclass(frozen=True, slots=True)
class Status:
    """What a referee is and does."""

    referee: str
    software: str
    is_draining: bool
    running: int
    capacity: int
    ended: int
    house: tuple[str, ...]
    isolation: str
    missing: tuple[str, ...]
    waiting: tuple[Waiting, ...]


class Control:
    """A referee's master; a context manager. Every method raises RefereeError."""

    def __init__(self, address: Address, security: Security | None = None, key: str = "") -> None:
        self._address = address
        security = Security(is_encrypted=False) if security is None else security
        self._channel = open_channel(address, security, UNLIMITED)
        self._stub = ControlStub(self._channel)
        self._metadata = (("authorization", f"Bearer {key}"),) if key else ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._channel.close()

    def start(self, order: BlockOrder) -> tuple[Ticket, ...]:
        """Start a block; the tickets are for its open seats. Doing it twice does it once."""
        reply = self._call(self._stub.StartBlock, encode_block(order))
        return tuple(decode_ticket(ticket) for ticket in reply.tickets)

    def follow(self, block: str, attempt: int) -> Iterator[BlockNews]:
        """All about a block, from its beginning to its end, each piece of news once.

        A connection that is lost is made again. What was told before is told again then, in the
        same order, and passed over here.
        """
        told = failures = 0
        request = pb.FollowBlockRequest(block=block, attempt=attempt)
        while True:
            calls = self._stub.FollowBlock(request, metadata=self._metadata)
            passed = 0
            try:
                for message in calls:
                    failures = 0
                    passed += 1
                    if passed <= told:
                        continue
                    told = passed
                    news = decode_news(message)
                    if news is not None:
                        yield news
                    if isinstance(news, BlockEnded):
                        return
                trouble = RefereeError(f"{self._address.text}: it hung up", is_lasting=False)
            except grpc.RpcError as problem:
                trouble = trouble_of(problem, self._address, key="key")
            finally:
                calls.cancel()
            failures += 1
            if trouble.is_lasting or failures > RETRIES:
                raise trouble
            time.sleep(RETRY_SECONDS)

    def cancel(self, block: str, attempt: int, reason: str) -> None:
        """End a block; what is not over is void."""
        request = pb.CancelBlockRequest(block=block, attempt=attempt, reason=reason)
        self._call(self._stub.CancelBlock, request)

    def upload(self, archive: Path) -> str:
        """Give the referee an uploaded bot's archive; its name from now on."""
        data = archive.read_bytes()
        name = hashlib.sha256(data).hexdigest()
        pieces = [data[i : i + CHUNK] for i in range(0, len(data), CHUNK)] or [b""]
        requests = (
            pb.UploadRequest(sha256=name if i == 0 else "", data=piece)
            for i, piece in enumerate(pieces)
        )
        self._call(self._stub.Upload, requests)
        return name

    def set_tokens(self, tokens: Iterable[BotToken]) -> None:
        """Say which remote bots may wait in the lobby, in place of what was said before."""
        self._call(self._stub.SetBotTokens, encode_tokens(tokens))

    def drain(self, deadline_ms: int = 0) -> int:
        """Have it take no more blocks and stop after those that run; how many matches do."""
        reply = self._call(self._stub.Drain, pb.DrainRequest(deadline_ms=deadline_ms))
        return reply.running

    def status(self) -> Status:
        """What it is and does."""
        reply = self._call(self._stub.GetStatus, pb.GetStatusRequest())
        return Status(
            referee=reply.referee,
            software=reply.software,
            is_draining=reply.draining,
            running=reply.running,
            capacity=reply.capacity,
            ended=reply.ended,
            house=tuple(reply.house),
            isolation=reply.isolation,
            missing=tuple(reply.missing),
            waiting=tuple(
                Waiting(it.bot, it.free, it.playing, it.software) for it in reply.waiting
            ),
        )

    def _call(self, method: Callable[..., T], request: Any) -> T:
        try:
            return method(request, metadata=self._metadata)
        except grpc.RpcError as problem:
            raise trouble_of(problem, self._address, key="key") from None

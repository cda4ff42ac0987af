"""Driving a referee: start a block, follow it to its end, cancel it.

    with Control(parse_address("unix:/run/damrak/referee.sock")) as control:
        control.start(order)
        for news in control.follow(order.block, order.attempt):
            ...

Made where it is used: gRPC does not survive a fork.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc

from damrak_ladder.referees.addresses import Address
from damrak_ladder.referees.errors import RefereeTrouble
from damrak_ladder.referees.refusals import trouble_of
from damrak_ladder.referees.security import OPTIONS, Security
from damrak_proto.v1 import control_pb2 as pb
from damrak_proto.v1.control_pb2_grpc import ControlStub
from damrak_wire.errors import WireError
from damrak_wire.lobby import BotToken, encode_tokens
from damrak_wire.orders import BlockOrder, Ticket, decode_ticket, encode_block
from damrak_wire.reports import BlockEnded, BlockNews, decode_news

CHUNK: Final = 1 << 18
CALL_SECONDS: Final = 20.0
UPLOAD_SECONDS: Final = 300.0
CANCEL_SECONDS: Final = 60.0  # it answers when all that belonged to the block is gone
# A block that nobody follows is soon cancelled, so whoever follows comes back at once.
RETRY_SECONDS: Final = 0.1
RETRIES: Final = 20

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
    """A referee's master; a context manager. Every method raises RefereeTrouble."""

    def __init__(self, address: Address, security: Security | None = None) -> None:
        self.address = address
        security = Security() if security is None else security
        credentials = security.credentials_for(address)
        if credentials is None:
            self._channel = grpc.insecure_channel(address.text, OPTIONS)
        else:
            self._channel = grpc.secure_channel(address.text, credentials, OPTIONS)
        self._stub = ControlStub(self._channel)
        self._metadata = security.metadata

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; calls that run end with it."""
        self._channel.close()

    def start(self, order: BlockOrder) -> tuple[Ticket, ...]:
        """Start a block; the tickets are for its open seats. Doing it twice does it once.

        Raises:
            RefereeBusy, ArchivesMissing, OrderRefused: besides other trouble.
        """
        reply = self._call(self._stub.StartBlock, encode_block(order))
        return tuple(decode_ticket(ticket) for ticket in reply.tickets)

    def follow(self, block: str, attempt: int) -> Iterator[BlockNews]:
        """All about a block, from its beginning to its end, each piece of news once.

        A connection that is lost is made again. What was told before is told again then, in the
        same order, and passed over here.

        Raises:
            RefereeForgot: it has lost the block, which is to be played again.
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
                    news = self._heard(message)
                    if news is not None:
                        yield news
                    if isinstance(news, BlockEnded):
                        return
                trouble = RefereeTrouble(self.address.text, "it hung up")
            except grpc.RpcError as problem:
                trouble = trouble_of(problem, self.address)
            finally:
                calls.cancel()
            failures += 1
            # What is not about the connection is not cured by another one.
            if type(trouble) is not RefereeTrouble or trouble.is_lasting or failures > RETRIES:
                raise trouble
            time.sleep(RETRY_SECONDS)

    def cancel(self, block: str, attempt: int, reason: str) -> None:
        """End a block; what is not over is void."""
        request = pb.CancelBlockRequest(block=block, attempt=attempt, reason=reason)
        self._call(self._stub.CancelBlock, request, CANCEL_SECONDS)

    def upload(self, archive: bytes) -> str:
        """Give the referee an uploaded bot's archive; its name from now on."""
        name = hashlib.sha256(archive).hexdigest()
        starts = range(0, max(len(archive), 1), CHUNK)
        requests = (
            pb.UploadRequest(sha256="" if start else name, data=archive[start : start + CHUNK])
            for start in starts
        )
        self._call(self._stub.Upload, requests, UPLOAD_SECONDS)
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

    def _heard(self, message: pb.FollowBlockResponse) -> BlockNews | None:
        try:
            return decode_news(message)
        except WireError as problem:
            raise RefereeTrouble(self.address.text, f"it talks nonsense: {problem}") from None

    def _call(self, method: Callable[..., T], request: Any, seconds: float = CALL_SECONDS) -> T:
        try:
            return method(request, metadata=self._metadata, timeout=seconds)
        except grpc.RpcError as problem:
            raise trouble_of(problem, self.address) from None

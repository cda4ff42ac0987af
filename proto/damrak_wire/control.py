"""Driving a referee: start a block of games, follow it to its end, cancel it.

Whoever drives one has a subclass of `ControlClient` that opens the channel in its own way and
says in its own words what went wrong. Made where it is used: gRPC does not survive a fork.
"""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc

from damrak_proto.v1 import control_pb2 as pb
from damrak_proto.v1.control_pb2_grpc import ControlStub
from damrak_wire.errors import WireError
from damrak_wire.lobby import BotToken, encode_tokens
from damrak_wire.orders import BlockOrder, Ticket, decode_ticket, encode_block
from damrak_wire.reports import BlockEnded, BlockNews, decode_news
from damrak_wire.status import Status, decode_status

CHUNK: Final = 1 << 18
CALL_SECONDS: Final = 20.0
UPLOAD_SECONDS: Final = 300.0
CANCEL_SECONDS: Final = 60.0  # it answers when all that belonged to the block is gone
# A block that nobody follows is soon cancelled, so whoever follows comes back at once.
RETRY_SECONDS: Final = 0.1

T = TypeVar("T")


class ControlClient(ABC):
    """A referee's master; a context manager. Every method raises what the subclass makes of it."""

    retries = 20
    """How often in a row a lost connection is made again while a block is followed."""

    def __init__(self, channel: grpc.Channel, metadata: Sequence[tuple[str, str]]) -> None:
        self._channel = channel
        self._metadata = tuple(metadata)
        self._stub = ControlStub(channel)

    @abstractmethod
    def _refused(self, problem: grpc.RpcError) -> Exception:
        """A call that failed, in our words."""

    @abstractmethod
    def _broken(self, problem: str) -> Exception:
        """The referee does not keep to the protocol, and this is how."""

    @abstractmethod
    def _may_pass(self, trouble: Exception) -> bool:
        """Whether another connection might help."""

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
        """Start a block; the tickets are for its open seats. Doing it twice does it once."""
        reply = self._call(self._stub.StartBlock, encode_block(order))
        try:
            return tuple(decode_ticket(ticket) for ticket in reply.tickets)
        except WireError as problem:
            raise self._broken(str(problem)) from None

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
                    news = self._heard(message)
                    if news is not None:
                        yield news
                    if isinstance(news, BlockEnded):
                        return
                trouble = self._broken("it hung up")
            except grpc.RpcError as problem:
                trouble = self._refused(problem)
            finally:
                calls.cancel()
            failures += 1
            if failures > self.retries or not self._may_pass(trouble):
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
        return decode_status(self._call(self._stub.GetStatus, pb.GetStatusRequest()))

    def _heard(self, message: pb.FollowBlockResponse) -> BlockNews | None:
        try:
            return decode_news(message)
        except WireError as problem:
            raise self._broken(f"it said what is not of this protocol: {problem}") from None

    def _call(self, method: Callable[..., T], request: Any, seconds: float = CALL_SECONDS) -> T:
        try:
            return method(request, metadata=self._metadata, timeout=seconds)
        except grpc.RpcError as problem:
            raise self._refused(problem) from None

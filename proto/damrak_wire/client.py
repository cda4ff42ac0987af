"""Client for controlling a referee: start a block of games, follow it to its end, cancel it.

Programs subclass `ControlClient` to open the channel and to define their own exceptions. Create a
client in the process that uses it: gRPC does not survive a fork.
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
CANCEL_SECONDS: Final = 60.0  # it answers when everything of the block has stopped
# A block without a follower is soon cancelled, so a follower reconnects at once.
RETRY_SECONDS: Final = 0.1

T = TypeVar("T")


class ControlClient(ABC):
    """A referee's client and context manager; methods raise the exceptions of the subclass."""

    retries = 20
    """The maximum number of consecutive retries after a lost connection in `follow`."""

    def __init__(self, channel: grpc.Channel, metadata: Sequence[tuple[str, str]]) -> None:
        self._channel = channel
        self._metadata = tuple(metadata)
        self._stub = ControlStub(channel)

    @abstractmethod
    def _refused(self, problem: grpc.RpcError) -> Exception:
        """Return the exception to raise for a call that failed."""

    @abstractmethod
    def _broken(self, problem: str) -> Exception:
        """Return the exception to raise for this violation of the protocol by the referee."""

    @abstractmethod
    def _may_pass(self, trouble: Exception) -> bool:
        """Return whether a new connection might help."""

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
        """Close the connection and abort all running calls."""
        self._channel.close()

    def start(self, order: BlockOrder) -> tuple[Ticket, ...]:
        """Start a block and return the tickets for its open seats; idempotent."""
        reply = self._call(self._stub.StartBlock, encode_block(order))
        try:
            return tuple(decode_ticket(ticket) for ticket in reply.tickets)
        except WireError as problem:
            raise self._broken(str(problem)) from None

    def follow(self, block: str, attempt: int) -> Iterator[BlockNews]:
        """Yield all news of a block from its beginning to its end, each once.

        A lost connection is opened again. The referee then repeats all news in the same order,
        and news that was already received is skipped.
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
        """Cancel a block; matches that are not over are void."""
        request = pb.CancelBlockRequest(block=block, attempt=attempt, reason=reason)
        self._call(self._stub.CancelBlock, request, CANCEL_SECONDS)

    def upload(self, archive: bytes) -> str:
        """Send an uploaded bot's archive to the referee; return the name to use for it."""
        name = hashlib.sha256(archive).hexdigest()
        starts = range(0, max(len(archive), 1), CHUNK)
        requests = (
            pb.UploadRequest(sha256="" if start else name, data=archive[start : start + CHUNK])
            for start in starts
        )
        self._call(self._stub.Upload, requests, UPLOAD_SECONDS)
        return name

    def set_tokens(self, tokens: Iterable[BotToken]) -> None:
        """Replace the tokens of the remote bots that may wait in the lobby."""
        self._call(self._stub.SetBotTokens, encode_tokens(tokens))

    def drain(self, deadline_ms: int = 0) -> int:
        """Stop the referee after its running blocks; return the number of running matches."""
        reply = self._call(self._stub.Drain, pb.DrainRequest(deadline_ms=deadline_ms))
        return reply.running

    def status(self) -> Status:
        """Return the status of the referee."""
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

"""The Control service, through which the ladder controls the referee."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, NoReturn

import grpc
import grpc.aio
import structlog

from damrak_proto.v1 import control_pb2 as pb, control_pb2_grpc
from damrak_referee.blocks.archives import Archives, UploadRefused
from damrak_referee.blocks.block import Block
from damrak_referee.blocks.registry import BlockRefused, Blocks
from damrak_referee.blocks.running_match import Premises
from damrak_referee.lobby.tokens import Tokens
from damrak_referee.software import software
from damrak_wire.errors import WireError
from damrak_wire.lobby import decode_tokens
from damrak_wire.orders import decode_block, encode_ticket
from damrak_wire.reports import encode_news
from damrak_wire.runtime import encode_runtime

Context = grpc.aio.ServicerContext[Any, Any]

_log = structlog.get_logger()


class ControlService(control_pb2_grpc.ControlServicer):
    """Implements the requests of the ladder."""

    def __init__(
        self,
        premises: Premises,
        blocks: Blocks,
        archives: Archives,
        tokens: Tokens,
        drain: Callable[[float | None], None],
    ) -> None:
        """`drain` begins to drain; its argument is the limit in seconds, None for the default."""
        self._premises = premises
        self._blocks = blocks
        self._archives = archives
        self._tokens = tokens
        self._drain = drain

    async def Upload(
        self, requests: AsyncIterator[pb.UploadRequest], context: Context
    ) -> pb.UploadResponse:
        """Store an archive."""
        first = await anext(requests, None)
        if first is None:
            await _abort(context, "INVALID_ARGUMENT", "sha256: is missing")

        async def pieces() -> AsyncIterator[bytes]:
            yield first.data
            async for request in requests:
                yield request.data

        try:
            size = await self._archives.receive(first.sha256, pieces())
        except UploadRefused as problem:
            code = "RESOURCE_EXHAUSTED" if problem.is_too_large else "INVALID_ARGUMENT"
            await _abort(context, code, str(problem))
        except OSError as problem:
            _log.exception("upload_failed")
            await _abort(context, "UNAVAILABLE", f"the archive cannot be kept: {problem.strerror}")
        _log.info("archive_received", sha256=first.sha256, size=size)
        return pb.UploadResponse(size=size)

    async def StartBlock(
        self, request: pb.StartBlockRequest, context: Context
    ) -> pb.StartBlockResponse:
        """Start a block. Repeated requests have no effect."""
        digest = hashlib.sha256(request.SerializeToString(deterministic=True)).digest()
        try:
            tickets = self._blocks.start(decode_block(request), digest)
        except WireError as problem:
            await _abort(context, "INVALID_ARGUMENT", str(problem))
        except BlockRefused as refused:
            await _abort(context, refused.code, str(refused))
        return pb.StartBlockResponse(tickets=[encode_ticket(ticket) for ticket in tickets])

    async def FollowBlock(  # type: ignore[override]  # the stubs know generators only
        self, request: pb.FollowBlockRequest, context: Context
    ) -> None:
        """Stream all events of a block."""
        block = await self._find(request.block, request.attempt, context)
        with block.followed() as all_news:
            # From here on the caller receives all events.
            await context.send_initial_metadata(())
            async for news in all_news:
                await context.write(encode_news(news))

    async def CancelBlock(
        self, request: pb.CancelBlockRequest, context: Context
    ) -> pb.CancelBlockResponse:
        """Cancel a block; return when all its processes and connections are gone."""
        block = await self._find(request.block, request.attempt, context)
        block.cancel(request.reason[:280] or "cancelled")
        await block.over.wait()
        return pb.CancelBlockResponse()

    async def Drain(self, request: pb.DrainRequest, context: Context) -> pb.DrainResponse:
        """Accept no more blocks, and exit when the running ones have ended."""
        self._drain(request.deadline_ms / 1000 if request.deadline_ms else None)
        return pb.DrainResponse(running=self._blocks.running)

    async def GetStatus(
        self, request: pb.GetStatusRequest, context: Context
    ) -> pb.GetStatusResponse:
        """Return the configuration and state of this referee."""
        premises = self._premises
        premises.runner.look()
        return pb.GetStatusResponse(
            referee=premises.name,
            software=software(),
            draining=self._blocks.is_draining,
            running=self._blocks.running,
            capacity=self._blocks.limits.capacity,
            ended=premises.metrics.ended,
            house=list(self._blocks.house),
            isolation=premises.runner.isolation,
            missing=premises.runner.missing,
            waiting=[
                pb.WaitingBot(
                    bot=waiting.bot,
                    free=waiting.free,
                    playing=len(waiting.calls),
                    software=waiting.software,
                )
                for waiting in premises.lobby
            ],
            runtime=self._runtime(),
        )

    def _runtime(self) -> pb.BotRuntime | None:
        found = self._premises.runner.runtime
        if found is None:
            return None
        start_ms = round(self._blocks.limits.start_limit * 1000)
        return encode_runtime(replace(found, limits=replace(found.limits, start_ms=start_ms)))

    async def SetBotTokens(
        self, request: pb.SetBotTokensRequest, context: Context
    ) -> pb.SetBotTokensResponse:
        """Admit these bots to the lobby, and no others except those of the token file."""
        try:
            tokens = decode_tokens(request)
        except WireError as problem:
            await _abort(context, "INVALID_ARGUMENT", str(problem))
        # Only changes are logged, because the ladder repeats the request every few seconds.
        if self._tokens.replace(tokens):
            _log.info("bot_tokens_set", bots=len(tokens))
        return pb.SetBotTokensResponse()

    async def _find(self, block: str, attempt: int, context: Context) -> Block:
        found = self._blocks.find(block, attempt)
        if found is None:
            await _abort(
                context, "NOT_FOUND", f"block {block!r:.100} attempt {attempt} is not known here"
            )
        return found


async def _abort(context: Context, code: str, why: str) -> NoReturn:
    await context.abort(grpc.StatusCode[code], why)
    raise AssertionError("abort raises")

"""The Lobby service: one task for each waiting bot, which sleeps until there is a message."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any, Final, NoReturn

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from damrak_proto.v1 import lobby_pb2 as pb, lobby_pb2_grpc
from damrak_referee.guard.guard import Guard
from damrak_referee.lobby.lobby import Lobby, Waiting
from damrak_referee.lobby.tokens import Tokens
from damrak_referee.server.admission import bearer_of
from damrak_wire import version
from damrak_wire.errors import WireError
from damrak_wire.lobby import (
    Arrival,
    BotToken,
    Call,
    Capacity,
    Closing,
    Decline,
    Registered,
    Response,
    Withdrawal,
    decode_request,
    encode_response,
)

Context = grpc.aio.ServicerContext[Any, Any]

MOST_UNSENT: Final = 1000  # messages to a bot that does not read
MOST_CONNECTIONS: Final = 64  # per bot; also the burst of arrivals
ARRIVALS_PER_S: Final = 2  # per bot, after the burst
MESSAGES_PER_S: Final = 200  # read from one connection; more have to wait
BURST: Final = 100  # messages at once


class _Link:
    """Messages to a waiting bot, in order. A task exists only while something is unsent."""

    def __init__(self, context: Context, address: str) -> None:
        self._context = context
        self._address = address
        self._unsent: deque[Response] = deque()
        self._sending: asyncio.Task[None] | None = None
        self.dismissed: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def call(self, match: str, ticket: str, patience_ms: int) -> None:
        self._send(Call(match, self._address, ticket, patience_ms))

    def withdraw(self, match: str, reason: str) -> None:
        self._send(Withdrawal(match, reason))

    def close_soon(self, closing: Closing) -> None:
        self._send(closing)

    def dismiss(self, reason: str) -> None:
        if not self.dismissed.done():
            self.dismissed.set_result(reason)

    def _send(self, said: Response) -> None:
        self._unsent.append(said)
        if len(self._unsent) > MOST_UNSENT:
            self.dismiss("this connection does not listen")
        elif self._sending is None:
            self._sending = asyncio.ensure_future(self._send_all())

    async def _send_all(self) -> None:
        try:
            while self._unsent:
                await self._context.write(encode_response(self._unsent.popleft()))
        except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
            self.dismiss("the connection is lost")
        finally:
            self._sending = None

    def close(self) -> None:
        if self._sending is not None:
            self._sending.cancel()


class LobbyService(lobby_pb2_grpc.LobbyServicer):
    """The service that lets bots with a valid token wait for calls."""

    def __init__(
        self,
        lobby: Lobby,
        tokens: Tokens,
        referee: str,
        address: str,
        join_seconds: float,
        guard: Guard,
    ) -> None:
        """Put `address` into calls; empty: bots connect to the address where they wait."""
        self._lobby = lobby
        self._tokens = tokens
        self._referee = referee
        self._address = address
        self._join_seconds = join_seconds
        self._guard = guard
        self._due: dict[str, float] = {}  # by bot, theoretical time of its last arrival (GCRA)

    async def Wait(  # type: ignore[override]  # the stubs allow only generators
        self, requests: AsyncIterator[pb.WaitRequest], context: Context
    ) -> None:
        """Serve one waiting bot until it leaves or is dismissed."""
        token = await self._admit(context)
        requests = _understood(requests)
        arrival = await self._arrival(requests, context)
        try:
            spoken = version.agree(arrival)
        except WireError as foreign:
            await _abort(context, "FAILED_PRECONDITION", foreign.problem)
        self._guard.authenticated(context.peer())
        await context.write(encode_response(Registered(spoken, token.bot, self._referee)))
        link = _Link(context, self._address)
        waiting = self._lobby.arrive(token, link, arrival.software, arrival.capacity)
        listening = asyncio.ensure_future(self._listen(requests, waiting))
        if not self._tokens.is_in_force(token):  # revoked during the registration
            link.dismiss("this token was revoked or has expired")
        try:
            self._lobby.settle(waiting, arrival.playing)
            either: list[asyncio.Future[Any]] = [listening, link.dismissed]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if link.dismissed.done():
                await _abort(context, "PERMISSION_DENIED", link.dismissed.result())
            problem = listening.exception()
            if isinstance(problem, WireError):
                await _abort(context, "INVALID_ARGUMENT", str(problem))
        finally:
            self._lobby.leave(waiting)
            link.close()
            listening.cancel()

    async def _admit(self, context: Context) -> BotToken:
        if not self._tokens.are_known:
            await _abort(context, "UNAVAILABLE", "this referee does not know any tokens yet")
        given = bearer_of(context.invocation_metadata())
        if given is None:
            await _abort(
                context, "UNAUTHENTICATED", "a token is needed: `authorization: Bearer TOKEN`"
            )
        token, expired = self._tokens.look_up(given)
        if token is None:
            await _abort(context, "UNAUTHENTICATED", "this token is not known here")
        if expired:
            await _abort(context, "UNAUTHENTICATED", "this token has expired")
        if self._lobby.connections_of(token.bot) >= MOST_CONNECTIONS:
            await _abort(
                context, "RESOURCE_EXHAUSTED", f"{token.bot} waits on {MOST_CONNECTIONS} lines"
            )
        if not self._may_arrive(token.bot):
            await _abort(context, "RESOURCE_EXHAUSTED", f"{token.bot} comes and goes too often")
        return token

    def _may_arrive(self, bot: str) -> bool:
        now = asyncio.get_running_loop().time()
        earliest = now - MOST_CONNECTIONS / ARRIVALS_PER_S
        due = max(self._due.get(bot, earliest), earliest) + 1 / ARRIVALS_PER_S
        if due > now:
            return False
        self._due[bot] = due
        return True

    async def _arrival(self, requests: AsyncIterator[pb.WaitRequest], context: Context) -> Arrival:
        reading = asyncio.ensure_future(_next(requests))
        done, _ = await asyncio.wait([reading], timeout=self._join_seconds)
        if not done:
            reading.cancel()
            seconds = f"{self._join_seconds:g} s"
            await _abort(context, "DEADLINE_EXCEEDED", f"no Arrival within {seconds}")
        try:
            message = reading.result()
            said = None if message is None else decode_request(message)
        except WireError as problem:
            await _abort(context, "INVALID_ARGUMENT", str(problem))
        if not isinstance(said, Arrival):
            await _abort(context, "INVALID_ARGUMENT", "the first message must be an Arrival")
        return said

    async def _listen(self, requests: AsyncIterator[pb.WaitRequest], waiting: Waiting) -> None:
        time = asyncio.get_running_loop().time
        due = time()  # when the next message may be read, within the rate
        async for message in requests:
            due = max(due, time() - BURST / MESSAGES_PER_S) + 1 / MESSAGES_PER_S
            if due > time():
                await asyncio.sleep(due - time())
            if message.WhichOneof("message") is None:
                continue  # from a newer version of the protocol
            match decode_request(message):
                case Capacity(games):
                    self._lobby.resize(waiting, games)
                case Decline(match, reason):
                    self._lobby.decline(waiting, match, reason)
                case Arrival():
                    raise WireError("arrival", "was said before")


async def _understood(requests: AsyncIterator[pb.WaitRequest]) -> AsyncIterator[pb.WaitRequest]:
    """Yield the requests; raise WireError for bytes that cannot be parsed."""
    try:
        async for message in requests:
            yield message
    except DecodeError:
        raise WireError("request", "these bytes are no WaitRequest") from None


async def _next(requests: AsyncIterator[pb.WaitRequest]) -> pb.WaitRequest | None:
    async for message in requests:
        return message
    return None


async def _abort(context: Context, code: str, why: str) -> NoReturn:
    await context.abort(grpc.StatusCode[code], why)
    raise AssertionError("abort raises")

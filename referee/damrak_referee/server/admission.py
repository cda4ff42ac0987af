"""Access checks of a gRPC service, made once per call before its handler runs."""

from __future__ import annotations

import hmac
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from damrak_referee.guard.clients import endpoint_of
from damrak_referee.guard.guard import Guard
from damrak_referee.server.metrics import Metrics
from damrak_referee.usage_errors import SettingError

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"  # not subscriptable at run time
Context = grpc.aio.ServicerContext[Any, Any]
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]"

WINDOW: Final = 60.0  # seconds over which refused calls of a peer are counted
SHORTEST_KEY: Final = 16
HEALTH: Final = "/grpc.health.v1.Health/"


class Peers(grpc.aio.ServerInterceptor):
    """Interceptor that limits the open calls and the refused calls of each network address."""

    def __init__(self, most_calls: int, most_refusals: int, metrics: Metrics, guard: Guard) -> None:
        self._guard = guard
        self._most_calls = most_calls
        self._most_refusals = most_refusals
        self._metrics = metrics
        self._calls: Counter[str] = Counter()
        self._refusals: Counter[str] = Counter()
        self._window = time.monotonic()

    async def intercept_service(
        self, continuation: Continuation, details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """Return the handler, wrapped in the check."""
        handler = await continuation(details)
        return None if handler is None else _wrap(handler, self._around, self._parsed)

    def _parsed(self, context: Context) -> None:
        self._guard.understood(context.peer())

    async def _around(self, context: Context, proceed: Callable[[], Awaitable[Any]]) -> Any:
        peer = address_of(context.peer())
        if peer is None:
            return await proceed()
        why = self._guard.call_started(context.peer()) or self._objection(peer)
        if why:
            self._metrics.refused[why] += 1
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{why}: try again later")
        with self._counted(peer):
            try:
                return await proceed()
            finally:
                if context.code() in (grpc.StatusCode.UNAUTHENTICATED, 16):
                    self._refusals[peer] += 1
                    self._metrics.refused["not known"] += 1

    def _objection(self, peer: str) -> str:
        now = time.monotonic()
        if now - self._window > WINDOW:
            self._window = now
            self._refusals.clear()
        if self._refusals[peer] >= self._most_refusals:
            return "too many refused calls"
        if self._calls[peer] >= self._most_calls:
            return "too many open calls"
        return ""

    @contextmanager
    def _counted(self, peer: str) -> Iterator[None]:
        self._calls[peer] += 1
        try:
            yield
        finally:
            self._calls[peer] -= 1
            if not self._calls[peer]:
                del self._calls[peer]


class Admitted(grpc.aio.ServerInterceptor):
    """Interceptor that reports authenticated calls to the guard; the last one of a listener."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def intercept_service(
        self, continuation: Continuation, details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """Return the handler, which first marks the connection as authenticated."""
        handler = await continuation(details)
        if handler is None or details.method.startswith(HEALTH):
            return handler
        return _wrap(handler, self._around)

    async def _around(self, context: Context, proceed: Callable[[], Awaitable[Any]]) -> Any:
        self._guard.authenticated(context.peer())
        return await proceed()


class Key(grpc.aio.ServerInterceptor):
    """Interceptor that refuses calls without the key; health checks need none."""

    def __init__(self, key: str) -> None:
        self._wanted = f"Bearer {key}".encode()

    async def intercept_service(
        self, continuation: Continuation, details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """Return the handler, or one that refuses the call."""
        handler = await continuation(details)
        if handler is None or details.method.startswith(HEALTH):
            return handler
        given = bearer_of(details.invocation_metadata)
        if given is not None and hmac.compare_digest(b"Bearer " + given.encode(), self._wanted):
            return handler
        return _wrap(handler, _refuse)


def read_key(path: Path) -> str:
    """Read the key from a file.

    Raises:
        SettingError: the file is unreadable, or its content is too short or not a valid key.
    """
    try:
        key = path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        key = ""
    if len(key) < SHORTEST_KEY or not key.isascii() or not key.isprintable():
        wanted = f"one line of at least {SHORTEST_KEY} characters of ASCII"
        raise SettingError(f"--control-key-file: {path}: {wanted}")
    return key


async def _refuse(context: Context, proceed: Callable[[], Awaitable[Any]]) -> Any:
    await context.abort(
        grpc.StatusCode.UNAUTHENTICATED, "the key is missing or wrong: `authorization: Bearer KEY`"
    )


def bearer_of(metadata: Any) -> str | None:
    """Return the bearer token in a call's metadata; None if there is none."""
    for key, value in metadata or ():
        if key == "authorization" and isinstance(value, str):
            scheme, _, rest = value.partition(" ")
            return rest.strip() if scheme.lower() == "bearer" else None
    return None


def address_of(peer: str) -> str | None:
    """Return the client address of a peer: IPv4, or the /64 of IPv6; None if it has none."""
    end = endpoint_of(peer)
    return None if end is None else end.client


def _wrap(
    handler: Handler,
    around: Callable[[Context, Callable[[], Awaitable[Any]]], Awaitable[Any]],
    parsed: Callable[[Context], None] | None = None,
) -> Handler:
    """Return the handler with `around` run around each call; stream messages cost nothing extra.

    `parsed` is called after a request that is not a stream was parsed. A request that cannot be
    parsed is the caller's mistake; gRPC would log it as an error of the server, with a traceback.
    """
    inner: Any = (  # exactly one of these is set
        handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream
    )
    parse = handler.request_deserializer
    is_stream = handler.request_streaming

    async def call(request: Any, context: Context) -> Any:
        async def proceed() -> Any:
            nonlocal request
            if parse and not is_stream:
                request = parse(request)
                if parsed is not None:
                    parsed(context)
            said: Any = inner(request, context)
            if isinstance(said, AsyncIterator):
                async for message in said:
                    await context.write(message)
                return None
            return await said

        try:
            return await around(context, proceed)
        except DecodeError:
            await context.abort(
                grpc.StatusCode.INVALID_ARGUMENT, "these bytes are no message of this method"
            )

    make: Any
    if handler.unary_unary:
        make = grpc.unary_unary_rpc_method_handler
    elif handler.unary_stream:
        make = grpc.unary_stream_rpc_method_handler
    elif handler.stream_unary:
        make = grpc.stream_unary_rpc_method_handler
    else:
        make = grpc.stream_stream_rpc_method_handler
    wrapped: Handler = make(call, parse if is_stream else None, handler.response_serializer)
    return wrapped

"""Watching a referee's matches, for the live pages of the site.

async with watching_of(host.control) as referee:
    async for seen in referee.watch("17"):
        ...
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Final, Self

import grpc
import grpc.aio

from damrak_engine.rules import Rules
from damrak_ladder.referees.addresses import Address
from damrak_ladder.referees.errors import RefereeTrouble
from damrak_ladder.referees.refusals import trouble_of
from damrak_ladder.referees.security import OPTIONS, Security
from damrak_proto.v1 import watch_pb2 as pb
from damrak_proto.v1.watch_pb2_grpc import WatchStub
from damrak_wire.errors import WireError
from damrak_wire.watch import MatchSetting, Seen, WatchedMatch, decode_matches, parse_seen

CALL_SECONDS: Final = 10.0
_WATCH: Final = "/damrak.v1.Watch/WatchMatch"


class Watching:
    """An async context manager that watches a referee. Every method raises RefereeTrouble."""

    def __init__(self, address: Address, security: Security | None = None) -> None:
        self.address = address
        security = Security() if security is None else security
        credentials = security.credentials_for(address)
        if credentials is None:
            self._channel = grpc.aio.insecure_channel(address.text, OPTIONS)
        else:
            self._channel = grpc.aio.secure_channel(address.text, credentials, OPTIONS)
        self._metadata = security.metadata

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._channel.close()

    async def matches(self) -> tuple[WatchedMatch, ...]:
        """Return the matches that can be watched."""
        list_matches = WatchStub(self._channel).ListMatches
        try:
            reply = await list_matches(
                pb.ListMatchesRequest(), metadata=self._metadata, timeout=CALL_SECONDS
            )
            return decode_matches(reply)
        except grpc.RpcError as problem:
            raise trouble_of(problem, self.address) from None
        except WireError as problem:
            raise self._nonsense(problem) from None

    async def messages(self, match: str) -> AsyncIterator[bytes]:
        """Yield the messages of one match as the referee sends them, from its beginning to its end.

        Raises:
            RefereeForgot: the match cannot be watched there.
        """
        watch = self._channel.unary_stream(
            _WATCH,
            request_serializer=pb.WatchMatchRequest.SerializeToString,
            response_deserializer=bytes,
        )
        call = watch(pb.WatchMatchRequest(match=match), metadata=self._metadata)
        try:
            async for message in call:
                yield message
        except grpc.RpcError as problem:
            raise trouble_of(problem, self.address) from None
        finally:
            call.cancel()

    async def watch(self, match: str) -> AsyncIterator[Seen]:
        """Yield one match, from its beginning to its end.

        Raises:
            RefereeForgot: the match cannot be watched there.
        """
        rules: Rules | None = None
        async for message in self.messages(match):
            try:
                seen = parse_seen(message, rules)
            except WireError as problem:
                raise self._nonsense(problem) from None
            if isinstance(seen, MatchSetting):
                rules = seen.rules
            if seen is not None:
                yield seen

    def _nonsense(self, problem: WireError) -> RefereeTrouble:
        return RefereeTrouble(self.address.text, f"it talks nonsense: {problem}")

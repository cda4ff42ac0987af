"""Waiting in a referee's lobby for calls to tables, with reconnection."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event, Lock
from typing import Final

import grpc

from damrak.errors import RefereeError, RefusalError
from damrak.remote.address import Address
from damrak.remote.channels import Security, open_channel
from damrak.remote.troubles import trouble_of
from damrak_proto.v1.lobby_pb2 import WaitRequest, WaitResponse
from damrak_proto.v1.lobby_pb2_grpc import LobbyStub
from damrak_wire.errors import WireError
from damrak_wire.lobby import (
    Arrival,
    Call,
    Capacity,
    Closing,
    Decline,
    Registered,
    Request,
    Withdrawal,
    decode_response,
    encode_request,
)
from damrak_wire.version import HIGHEST, LOWEST

FIRST_WAIT: Final = 0.5  # in seconds
LONGEST_WAIT: Final = 60.0


@dataclass(frozen=True, slots=True)
class Away:
    """The bot is not connected; the next attempt is made in `seconds` seconds."""

    trouble: RefereeError
    seconds: float


News = Registered | Call | Withdrawal | Closing | Away


class Lobby:
    """One bot's place in a lobby; `run` keeps it, the other methods are for other threads.

    `tell` is called by the thread of `run`. `playing` returns the ids of the current matches.
    """

    def __init__(
        self,
        address: Address,
        security: Security,
        token: str,
        software: str,
        capacity: int,
        playing: Callable[[], Sequence[str]],
        tell: Callable[[News], None],
    ) -> None:
        self._address = address
        self._security = security
        self._token = token
        self._software = software
        self._capacity = capacity
        self._playing = playing
        self._tell = tell
        self._guard = Lock()
        self._words: SimpleQueue[WaitRequest | None] | None = None
        self._call: grpc.Call | None = None
        self._stopped = Event()
        self._is_known = False  # registered at least once
        self._is_there = False  # registered now
        self._back_in = 0.0

    def run(self) -> None:
        """Wait in the lobby, reconnecting when the connection is lost, until stopped.

        Raises:
            RefereeError: the error is permanent.
        """
        wait = FIRST_WAIT
        while not self._stopped.is_set():
            trouble = self._attend()
            if self._stopped.is_set():
                return
            if trouble.is_lasting and (isinstance(trouble, RefusalError) or not self._is_known):
                raise trouble
            if self._is_there:
                wait = FIRST_WAIT
            # Jitter: many bots lose a referee at the same moment and must not all reconnect at
            # once.
            seconds = max(self._back_in, wait) * random.uniform(1.0, 1.5)
            wait = min(2 * wait, LONGEST_WAIT)
            self._tell(Away(trouble, seconds))
            self._stopped.wait(seconds)

    def resize(self, games: int) -> None:
        """Accept up to `games` games at once from now on."""
        self._capacity = games
        self._say(Capacity(games))

    def decline(self, match: str, reason: str) -> None:
        """Decline a call to a match."""
        self._say(Decline(match, reason))

    def stop(self) -> None:
        """Leave the lobby."""
        self._stopped.set()
        with self._guard:
            if self._words is not None:
                self._words.put(None)
            if self._call is not None:
                self._call.cancel()

    def _say(self, request: Request) -> None:
        with self._guard:
            if self._words is not None:
                self._words.put(encode_request(request))

    def _attend(self) -> RefereeError:
        """Run one connection from beginning to end; returns the reason for its end."""
        self._is_there, self._back_in = False, 0.0
        words: SimpleQueue[WaitRequest | None] = SimpleQueue()
        playing = tuple(self._playing())
        hello = Arrival(LOWEST, HIGHEST, self._software, self._capacity, playing)
        words.put(encode_request(hello))
        with open_channel(self._address, self._security) as channel:
            metadata = (("authorization", f"Bearer {self._token}"),)
            call = LobbyStub(channel).Wait(_said(words), metadata=metadata)
            with self._guard:
                self._words, self._call = words, call
            try:
                if not self._stopped.is_set():
                    self._listen(call)
                return RefereeError(f"{self._address.text}: the referee hung up", is_lasting=False)
            except grpc.RpcError as problem:
                return trouble_of(problem, self._address, "token", self._security.is_encrypted)
            except WireError as problem:
                said = f"the referee said what is not of this protocol: {problem}"
                return RefereeError(f"{self._address.text}: {said}", is_lasting=True)
            finally:
                with self._guard:
                    self._words = self._call = None
                words.put(None)
                call.cancel()

    def _listen(self, messages: Iterator[WaitResponse]) -> None:
        for message in messages:
            news = decode_response(message)
            match news:
                case None:
                    continue
                case Registered():
                    self._is_known = self._is_there = True
                case Closing(back_in_ms):
                    self._back_in = back_in_ms / 1000
                case _:
                    pass
            self._tell(news)


def _said(words: SimpleQueue[WaitRequest | None]) -> Iterator[WaitRequest]:
    while (word := words.get()) is not None:
        yield word

"""The lobby: waiting remote bots, and open calls to matches.

A bot may wait on several connections, from several machines; a call goes to the one with the most
free places. A call that no connection can take stays open until one can. If the connection of a
call is lost, the call goes to the next one that arrives, unless the bot still sits at the table.
A bot that is away from its table longer than a reconnect takes is called again, with a new ticket.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

import structlog

from damrak_referee.lobby.tokens import Tokens
from damrak_wire.lobby import BotToken, Closing

TICK: Final = 1.0  # seconds between two checks of the open calls
RECALL: Final = 5  # ticks that a bot has to reconnect to a table by itself
LONGEST_TIMER: Final = 3600.0

_log = structlog.get_logger()


class WaitingLink(Protocol):
    """The channel to a waiting bot. Its methods neither block nor fail."""

    def call(self, match: str, ticket: str, patience_ms: int) -> None:
        """Call the bot to a match."""

    def withdraw(self, match: str, reason: str) -> None:
        """Withdraw a call."""

    def close_soon(self, closing: Closing) -> None:
        """Announce that this referee is about to stop."""

    def dismiss(self, reason: str) -> None:
        """Disconnect the bot."""


@dataclass(eq=False, slots=True)
class Waiting:
    """A connection of a remote bot."""

    token: BotToken
    link: WaitingLink
    software: str
    capacity: int
    calls: dict[str, Call] = field(default_factory=dict)

    @property
    def bot(self) -> str:
        """The id of the waiting bot."""
        return self.token.bot

    @property
    def free(self) -> int:
        """The number of further games it would accept."""
        return max(0, self.capacity - len(self.calls))


@dataclass(eq=False, slots=True)
class Call:
    """A call of a remote bot to a match."""

    bot: str
    match: str
    new_ticket: Callable[[], str]
    is_seated: Callable[[], bool]
    has_come: Callable[[], bool]  # has ever connected to the seat
    is_out: Callable[[], bool]  # the match is over for that seat
    on_decline: Callable[[str], None]
    on_barred: Callable[[], None]
    until: float  # deadline for the bot to be ready, on the loop's clock
    grace_ms: int  # how long it may be away once it has come
    at: Waiting | None = None
    refused_by: list[Waiting] = field(default_factory=list)
    was_said: bool = False
    was_seated: bool = False
    missing_ticks: int = 0


class Lobby:
    """Registry of waiting connections and open calls."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._by_bot: dict[str, list[Waiting]] = {}
        self._calls: dict[tuple[str, str], Call] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._ticking: asyncio.TimerHandle | None = None
        self._closing: Closing | None = None
        tokens.changed = self.recheck

    def __iter__(self) -> Iterator[Waiting]:
        for connections in self._by_bot.values():
            yield from connections

    def __len__(self) -> int:
        return sum(map(len, self._by_bot.values()))

    def connections_of(self, bot: str) -> int:
        """Return the number of connections on which this bot waits."""
        return len(self._by_bot.get(bot, ()))

    # --- waiting connections

    def arrive(self, token: BotToken, link: WaitingLink, software: str, capacity: int) -> Waiting:
        """Register a waiting connection. Call `settle` after telling the bot so."""
        waiting = Waiting(token, link, software, capacity)
        self._by_bot.setdefault(token.bot, []).append(waiting)
        _log.info("bot_arrived", bot=token.bot, software=software, capacity=capacity)
        if token.expires:
            self._set_timer()
        return waiting

    def settle(self, waiting: Waiting, playing: Iterable[str]) -> None:
        """Give a new connection its calls; `playing` are the matches that it already plays."""
        for match in playing:
            call = self._calls.get((waiting.bot, match))
            if call is not None and call.at is None:
                self._attach(call, waiting)
        if self._closing is not None:
            waiting.link.close_soon(self._closing)
        self._place_all(waiting.bot)

    def leave(self, waiting: Waiting) -> None:
        """Remove a lost connection."""
        connections = self._by_bot.get(waiting.bot, [])
        if waiting not in connections:
            return
        connections.remove(waiting)
        if not connections:
            del self._by_bot[waiting.bot]
        _log.info("bot_left", bot=waiting.bot)
        for call in waiting.calls.values():
            call.at = None  # the next tick checks whether the bot still sits at the table
        waiting.calls = {}

    def resize(self, waiting: Waiting, games: int) -> None:
        """Set the number of games that the connection accepts."""
        waiting.capacity = games
        self._place_all(waiting.bot)

    def decline(self, waiting: Waiting, match: str, reason: str) -> None:
        """Handle a declined call: offer it to the bot's other connections, or give up the seat."""
        call = waiting.calls.pop(match, None)
        if call is None:
            return
        call.at = None
        call.refused_by.append(waiting)
        _log.info("call_declined", bot=call.bot, match=match, reason=reason[:200])
        if all(other in call.refused_by for other in self._by_bot.get(call.bot, ())):
            call.on_decline(reason)
        self._place_all(call.bot)

    # --- calls

    def call(self, call: Call) -> None:
        """Open a call; it is placed as soon as a connection can take it."""
        self._calls[call.bot, call.match] = call
        self._place(call)
        if self._ticking is None:
            self._ticking = asyncio.get_running_loop().call_later(TICK, self._tick)

    def end(self, call: Call, reason: str) -> None:
        """Close a call; withdraw it if the bot has not come."""
        if self._calls.get((call.bot, call.match)) is not call:
            return
        del self._calls[call.bot, call.match]
        waiting, call.at = call.at, None
        if waiting is not None:
            waiting.calls.pop(call.match, None)
            if not call.has_come():
                waiting.link.withdraw(call.match, reason)
        self._place_all(call.bot)

    def _tick(self) -> None:
        """Check the open calls once per tick, as long as there are any."""
        self._ticking = None
        for call in list(self._calls.values()):
            if call.is_seated():
                call.was_seated, call.missing_ticks = True, 0
            elif call.at is None:
                self._place(call)
            elif call.was_seated and not call.is_out():
                call.missing_ticks += 1
                if call.missing_ticks % RECALL == 0:
                    self._say(call, call.at)
        if self._calls:
            self._ticking = asyncio.get_running_loop().call_later(TICK, self._tick)

    def _place_all(self, bot: str) -> None:
        for call in [call for call in self._calls.values() if call.bot == bot]:
            if call.at is None:
                self._place(call)

    def _place(self, call: Call) -> None:
        if call.is_seated() or call.is_out():
            return
        able = [
            waiting
            for waiting in self._by_bot.get(call.bot, ())
            if waiting.free and waiting not in call.refused_by
        ]
        if not able:
            return
        waiting = max(reversed(able), key=lambda waiting: waiting.free)  # the newest among equals
        self._attach(call, waiting)
        self._say(call, waiting)

    @staticmethod
    def _attach(call: Call, waiting: Waiting) -> None:
        call.at = waiting
        waiting.calls[call.match] = call

    @staticmethod
    def _say(call: Call, waiting: Waiting) -> None:
        call.was_said = True
        left_ms = round((call.until - asyncio.get_running_loop().time()) * 1000)
        patience_ms = call.grace_ms if call.has_come() else left_ms
        waiting.link.call(call.match, call.new_ticket(), max(1, patience_ms))

    # --- the end

    def close_soon(self, closing: Closing) -> None:
        """Announce to waiting bots and later arrivals that this referee is about to stop."""
        self._closing = closing
        for waiting in list(self):
            waiting.link.close_soon(closing)

    def recheck(self) -> None:
        """Disconnect bots whose token is no longer valid, and fail seats of bots without any token.

        A bot that still has another valid token plays on, as after a restart with a new token.
        """
        for waiting in list(self):
            if not self._tokens.is_in_force(waiting.token):
                _log.info("bot_dismissed", bot=waiting.bot)
                self.leave(waiting)
                waiting.link.dismiss("this token was revoked or has expired")
        for call in list(self._calls.values()):
            if call.was_said and self._tokens.is_barred(call.bot) and not call.is_out():
                _log.info("bot_barred", bot=call.bot, match=call.match)
                call.on_barred()
        self._set_timer()

    def _set_timer(self) -> None:
        """Schedule a recheck for the time the next token expires."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        ends = [waiting.token.expires for waiting in self if waiting.token.expires]
        if ends:
            wait = min(max(0.0, min(ends) - self._tokens.now()), LONGEST_TIMER) + 0.01
            self._timer = asyncio.get_running_loop().call_later(wait, self.recheck)

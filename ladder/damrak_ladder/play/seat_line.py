"""A person's seat at the referee: its messages go to the mailbox, its answers come from there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Final

from damrak_engine.rules import Rules
from damrak_ladder.play.mailbox import Answer, Held, Letter
from damrak_ladder.referees.errors import RefereeTrouble
from damrak_ladder.referees.seats import Line, Seating
from damrak_wire.errors import WireError
from damrak_wire.table import Asked, Ended, Refused, Welcomed, decided, parse_response, ready

NAME: Final = "Guest"
TAKEN_BACK: Final = "Moves taken back here: {times}"
"""The note in the replay. Replays are in English."""

FIRST_WAIT_S: Final = 0.1
LONGEST_WAIT_S: Final = 2.0

Post = Callable[[Letter], Awaitable[None]]
"""Stores a letter; returns once it is committed."""

_log = logging.getLogger(__name__)


class SeatLine:
    """The seat of one person in one attempt.

    A message has an effect at the referee only after it was stored: so a relay that takes over
    knows the ticket for the next connection, and every question that was asked.
    """

    def __init__(self, held: Held, post: Post, clock: Callable[[], datetime]) -> None:
        self.held = held
        self.is_over = False
        self._post = post
        self._clock = clock
        self._ticket = held.ticket
        self._number = held.heard
        self._rules: Rules | None = None
        self._line: Line | None = None
        self._asked: int | None = None  # on this connection
        self._said: tuple[int, int] | None = None  # on this connection

    async def hold(self, referee: Seating) -> None:
        """Hold the seat until the match is over for it, across lost connections."""
        wait = FIRST_WAIT_S
        while not self.is_over:
            try:
                await self._listen(referee)
                wait = FIRST_WAIT_S
            except RefereeTrouble as trouble:
                if trouble.is_lasting:
                    _log.warning("seat_lost", extra={"chair": self.held.chair, "why": str(trouble)})
                    return
            except WireError as problem:
                _log.error("seat_misheard", extra={"chair": self.held.chair, "why": str(problem)})
                return
            if not self.is_over:
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT_S)

    async def answer(self, answer: Answer) -> None:
        """Pass on an answer, once per connection and question; or leave."""
        if answer.has_left:
            self.stop()
            return
        said = answer.decision, answer.action
        if self._line is None or self._asked != answer.decision or self._said == said:
            return
        self._said = said
        try:
            await self._line.say(decided(*said, note=self._note(answer.decision)))
        except RefereeTrouble:
            return  # the referee repeats its question on the next connection

    def _note(self, decision: int) -> str | None:
        """Return what the replay says about moves that were taken back here."""
        times = self.held.backs.get(str(decision), 0)
        return TAKEN_BACK.format(times=times) if times else None

    def stop(self) -> None:
        """Stand up for good."""
        self.is_over = True
        if self._line is not None:
            self._line.break_off()

    async def _listen(self, referee: Seating) -> None:
        self._line, self._asked, self._said = referee.sit_down(self._ticket), None, None
        try:
            async for data in self._line.messages():
                await self._take(data)
        finally:
            self._line = None

    async def _take(self, data: bytes) -> None:
        response = parse_response(data, self._rules)
        letter = Letter(self.held, self._number, data, self._clock())
        self._number += 1
        match response:
            case Welcomed():
                self._rules = response.rules
                self._ticket = response.rejoin_ticket
                await self._keep(letter, ticket=response.rejoin_ticket)
                assert self._line is not None
                await self._line.say(ready(NAME))
            case Asked():
                await self._ask(letter, response)
            case Refused():
                await self._keep(letter, is_refusal=True)
                self._said = None
            case Ended():
                await self._keep(letter, is_end=True)
                self.is_over = True
            case _:
                await self._keep(letter)

    async def _ask(self, letter: Letter, asked: Asked) -> None:
        """Leave the question to the person, or repeat an answer from before a take-back."""
        action = self.held.script.get(str(asked.decision))
        self._asked, self._said = asked.decision, None
        if action is None or action not in asked.legal:
            await self._keep(letter, asks=asked.decision)
            return
        await self._keep(letter, asks=asked.decision, repeated=action)
        assert self._line is not None
        await self._line.say(decided(asked.decision, action, note=self._note(asked.decision)))

    async def _keep(
        self,
        letter: Letter,
        *,
        ticket: str | None = None,
        asks: int | None = None,
        repeated: int | None = None,
        is_refusal: bool = False,
        is_end: bool = False,
    ) -> None:
        whole = replace(
            letter,
            ticket=ticket,
            asks=asks,
            repeated=repeated,
            is_refusal=is_refusal,
            is_end=is_end,
        )
        await self._post(whole)

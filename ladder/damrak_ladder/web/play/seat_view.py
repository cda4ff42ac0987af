"""What a person's page may know of a game: the messages of the referee to that seat, retold.

The referee sends a seat only what it may see. This module turns these messages, and nothing else,
into the moments of the viewer and the open question. So a hidden card cannot reach the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from damrak_engine.effects import Voided
from damrak_engine.events import Event
from damrak_engine.position import KEEP, SECOND, SETUP
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result
from damrak_ladder.play.seat_messages import action_json
from damrak_ladder.web.replays.moments import Moment, Projector, header_of
from damrak_wire.table import Asked, Ended, News, Refused, Welcomed, parse_response

_PHASES: Final = {SETUP: "keep", KEEP: "keep", SECOND: "second"}


@dataclass(frozen=True, slots=True)
class Question:
    """The open question: its legal actions, and the time left when it was asked."""

    decision: int
    phase: str  # "keep", "second" or "turn"
    actions: tuple[tuple[int, dict[str, Any]], ...]  # ids, each with its form as in a replay
    bank_ms: int
    at: datetime


class Tale:
    """The game so far, as one seat was told it. `players` are (bot, version, owner) by seat."""

    def __init__(self, rules: Rules, seat: int, players: list[tuple[str, str, str]]) -> None:
        self.rules = rules
        self.header = {**header_of(rules, players), "eyes": str(seat), "over": False}
        self.moments: list[Moment] = []
        self.values: dict[str, Any] = {}
        self.question: Question | None = None
        self.refused = ""
        self.is_over = False
        self.is_void = False
        self._projector = Projector(rules, str(seat))

    def take(self, data: bytes, at: datetime) -> None:
        """Take in the next message of the referee.

        Raises:
            WireError: it is not one.
        """
        response = parse_response(data, self.rules)
        match response:
            case Welcomed():
                self._hear(response.first, response.history)
            case News():
                self._hear(response.first, response.events)
            case Asked():
                self._hear(response.first, response.events)
                self.question = _question(response, at)
                self.refused = ""
            case Refused():
                self.refused = response.reason
            case Ended():
                self._hear(response.first, response.events)
                self.question = None
                self.is_over = isinstance(response.outcome, Result)
                self.is_void = isinstance(response.outcome, Voided)

    def _hear(self, first: int, events: Sequence[Event]) -> None:
        """Take in events, of which some may have been told before."""
        for event in events[max(0, len(self.moments) - first) :]:
            moment = self._projector.show(event, getattr(event, "ms", None))
            self.moments.append(moment)
            self.values |= moment[1]


def _question(asked: Asked, at: datetime) -> Question:
    seen = asked.observation
    actions = tuple((number, action_json(number, seen)) for number in asked.legal)
    phase = _PHASES.get(seen.phase, "turn")
    return Question(asked.decision, phase, actions, asked.time_left.us // 1000, at)

"""What an author needs to have a fault again at home: a bundle for `damrak repro`.

It is made from the replay: the match is played once more by the arbiter, with the answers that were
given, and what one seat was asked and told on the way is written down. It ends with the question
that the seat did not survive. A bot that failed between two questions is shown the next one.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from typing import Any, Final

from damrak_engine.bundle import Failed, Situation, bundle_json, step_json
from damrak_engine.clock import US_PER_MS
from damrak_engine.dice import SeedDice
from damrak_engine.effects import Ask, Effect, Tell
from damrak_engine.errors import EngineError
from damrak_engine.events import Deal, Decision, Event, Fault
from damrak_engine.match import Match
from damrak_engine.replay import Replay, parse_replay
from damrak_engine.rules import rules_for
from damrak_engine.verify import action_of
from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.controls import control_of
from damrak_ladder.matches.models import Fault as FaultRow, Seat, SeatLog
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.keeping import load

ENTRY: Final = "bot.py"
"""What a bot's own file is called, unless the author says otherwise with --bot."""


class NoBundle(Exception):
    """There is nothing to show; why is for people."""


def can_repeat(version: Version) -> bool:
    """Return whether `damrak repro` can run this version: it runs Python classes, not programs."""
    return version.language in ("", "Python")


def bundle_of(seat: Seat, attempt: int) -> dict[str, Any]:
    """The bundle of the fault with which a seat left a recorded match; for the owner of its bot.

    Raises:
        NoBundle: it did not leave it by a fault, the replay is not there, or the bot is a program
            in another language.
    """
    match = seat.match
    if not can_repeat(seat.version):
        raise NoBundle(f"damrak repro cannot run a program in {seat.version.language}")
    if match.block.attempt != attempt or not match.replay:
        raise NoBundle("that attempt was not recorded, so there is no replay of it")
    try:
        replay = parse_replay(load(match.replay))
    except ReplayStoreError as problem:
        raise NoBundle(str(problem)) from None
    fault = _fault_of(replay, seat.number)
    control = control_of(match.block.control)
    retold = _Retold(replay, Match(*_table(replay), control, _first(replay)), seat.number)
    try:
        steps = retold.steps()
    except (EngineError, LookupError, IndexError) as problem:
        raise NoBundle(f"the match could not be played once more: {problem}") from None
    return bundle_json(
        _failed(seat, attempt, fault), Situation(retold.match.rules, seat.number, control, 0), steps
    )


def bundle_bytes(seat: Seat, attempt: int) -> bytes:
    """The same as a file.

    Raises:
        NoBundle
    """
    return json.dumps(bundle_of(seat, attempt), indent=1).encode() + b"\n"


def _fault_of(replay: Replay, seat: int) -> Fault:
    for event in replay.events:
        if isinstance(event, Fault) and event.seat == seat:
            return event
    raise NoBundle("this seat played the match to its end")


def _failed(seat: Seat, attempt: int, fault: Fault) -> Failed:
    version = seat.version
    log = SeatLog.objects.filter(seat=seat, attempt=attempt).first()
    row = FaultRow.objects.filter(seat=seat, attempt__number=attempt).first()
    return Failed(
        spec=version.spec if version.kind == Kind.HOUSE else ENTRY,
        name=version.bot.slug,
        version=str(version.number),
        path=None,
        class_name=None,
        reason=fault.reason,
        detail=fault.detail if row is None else row.detail,
        traceback="" if log is None else log.traceback,
        output="" if log is None else log.output,
    )


def _table(replay: Replay) -> tuple[Any, SeedDice]:
    rules = rules_for(replay.board, len(replay.seats), replay.options)
    return rules, SeedDice(replay.seed)


def _first(replay: Replay) -> int | None:
    deal = replay.events[0]
    is_given = replay.options.first_player == "rotate" and isinstance(deal, Deal)
    return deal.first if is_given and isinstance(deal, Deal) else None


class _Retold:
    """A match that is played once more, as one seat saw it."""

    def __init__(self, replay: Replay, match: Match, seat: int) -> None:
        self.match = match
        self._seat = seat
        self._answers: list[deque[Decision | Fault]] = [deque() for _ in replay.seats]
        for event in replay.events:
            if isinstance(event, Decision | Fault):
                self._answers[event.seat].append(event)
        self._news: list[Event] = []  # since the seat's last question
        self._steps: list[dict[str, Any]] = []
        self._now = 0

    def steps(self) -> list[dict[str, Any]]:
        """What the seat was asked until it failed."""
        asked = self._hear(self.match.begin(0))
        while asked:
            # In set-up all decide at once, each in its own time.
            answered = sorted(
                ((ask, self._answers[ask.seat].popleft()) for ask in asked),
                key=lambda pair: _ms(pair[1]),
            )
            start = self._now
            for ask, answer in answered:
                if ask.seat == self._seat:
                    self._write(ask, answer)
                    if isinstance(answer, Fault):
                        return self._steps
            asked = []
            for ask, answer in answered:
                self._now = max(self._now, start + _ms(answer) * US_PER_MS)
                asked += self._hear(self._answer(ask, answer))
        raise LookupError("it ended without the fault")

    def _answer(self, ask: Ask, answer: Decision | Fault) -> list[Effect]:
        if isinstance(answer, Fault):
            return self.match.failed(ask.seat, answer.reason, answer.detail, "bot", self._now)
        action = action_of(answer, self.match.state)
        return self.match.decided(ask.seat, ask.decision, action, self._now, answer.note)

    def _hear(self, effects: Iterable[Effect]) -> list[Ask]:
        asked = []
        for effect in effects:
            if isinstance(effect, Ask):
                asked.append(effect)
            elif isinstance(effect, Tell) and effect.seat == self._seat:
                self._news += effect.events
        return asked

    def _write(self, ask: Ask, answer: Decision | Fault) -> None:
        said = None
        if isinstance(answer, Decision):
            said = {"action": action_of(answer, self.match.state), "note": answer.note}
        self._steps.append(
            step_json(
                decision=ask.decision,
                events=tuple(self._news),
                observation=ask.observation,
                legal=ask.legal,
                time_left=ask.time_left,
                objection=None,
                answer=said,
            )
        )
        self._news = []


def _ms(answer: Decision | Fault) -> int:
    return (answer.ms or 0) if isinstance(answer, Decision) else 0

"""Bundles for `damrak repro`, with which an author can reproduce a fault locally.

A bundle is made from the replay: the arbiter plays the match again with the recorded answers, and
everything sent to the seat is written down. The bundle ends with the question at which the seat
failed; if a bot failed between two questions, it ends with the next one.
"""

from __future__ import annotations

import json
from typing import Any, Final

from damrak_engine.bundle import Failed, Limited, Situation, bundle_json, step_json
from damrak_engine.errors import EngineError
from damrak_engine.events import Decision, Fault
from damrak_engine.replay import parse_replay
from damrak_engine.seat_history import Asked, history_of
from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.models import Fault as FaultRow, Seat, SeatLog
from damrak_ladder.matches.time_control import control_of
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.storage import load

ENTRY: Final = "bot.py"
"""The file name of a bot, unless the author passes another with --bot."""

# The defaults of a referee, as its reports do not include them.
SANDBOX_MEMORY: Final = 512 << 20
START_SECONDS: Final = 30.0
FINISH_SECONDS: Final = 1.0


class NoBundle(Exception):
    """No bundle can be made; the message gives the reason, for users."""


def can_repeat(version: Version) -> bool:
    """Return whether `damrak repro` can run this version: it runs Python classes, not programs."""
    return version.language in ("", "Python")


def bundle_of(seat: Seat, attempt: int) -> dict[str, Any]:
    """Return the bundle of the fault that ended a seat's match, for the owner of its bot.

    Raises:
        NoBundle: the seat had no fault, the replay is missing, or the bot is a program in another
            language.
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
    control = control_of(match.block.control)
    try:
        history = history_of(replay, seat.number, control)
    except EngineError as problem:
        raise NoBundle(f"the match could not be played once more: {problem}") from None
    if history.fault is None:
        raise NoBundle("this seat played the match to its end")
    log = SeatLog.objects.filter(seat=seat, attempt=attempt).first()
    return bundle_json(
        _failed(seat, attempt, history.fault, log),
        Situation(history.rules, seat.number, control, history.chance, _limits(history.fault, log)),
        [step_of(asked) for asked in history.asked],
    )


def bundle_bytes(seat: Seat, attempt: int) -> bytes:
    """Return the bundle as the content of a JSON file.

    Raises:
        NoBundle
    """
    return json.dumps(bundle_of(seat, attempt), indent=1).encode() + b"\n"


def _limits(fault: Fault, log: SeatLog | None) -> Limited:
    """Return the limits of the sandbox; if memory ran out, the limit is what was used."""
    memory = SANDBOX_MEMORY
    if fault.reason == "memory" and log is not None and log.memory_bytes:
        memory = min(memory, log.memory_bytes)
    return Limited(memory, START_SECONDS, FINISH_SECONDS)


def _failed(seat: Seat, attempt: int, fault: Fault, log: SeatLog | None) -> Failed:
    version = seat.version
    row = FaultRow.objects.filter(seat=seat, attempt__number=attempt).first()
    return Failed(
        spec=version.spec if version.kind == Kind.HOUSE else ENTRY,
        name=version.bot.slug,
        version=str(version.number),
        path=None,
        is_folder=False,
        class_name=None,
        reason=fault.reason,
        detail=fault.detail if row is None else row.detail,
        traceback="" if log is None else log.traceback,
        output="" if log is None else log.output,
    )


def step_of(asked: Asked) -> dict[str, Any]:
    """Return a question and its answer as a step of a bundle."""
    answer = None
    if isinstance(asked.answer, Decision):
        answer = {"action": asked.action, "note": asked.answer.note}
    return step_json(
        decision=asked.question.decision,
        events=asked.news,
        observation=asked.question.observation,
        legal=asked.question.legal,
        time_left=asked.question.time_left,
        objection=None,
        answer=answer,
    )

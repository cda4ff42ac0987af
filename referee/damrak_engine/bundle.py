"""Repro bundles as JSON, `damrak-repro/1`: one bot's match up to its fault.

A bundle contains only what was visible to that seat, so it can be shared. Bit masks of 2**53 and
more are written in hexadecimal, because many JSON readers cannot represent them exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Any, Final

from damrak_engine.cards import WORDS
from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.events import KINDS, Event
from damrak_engine.observation import Observation
from damrak_engine.rules import Rules
from damrak_engine.values import value

FORMAT: Final = "damrak-repro/1"
CARD_FIELDS: Final = frozenset({"hands", "row", "card", "cards", "colour"})
EVENT_FIELDS: Final = {kind: tuple(f.name for f in fields(KINDS[kind])) for kind in KINDS}
OBSERVATION_FIELDS: Final = tuple(f.name for f in fields(Observation) if f.name != "rules")
_SAFE: Final = 1 << 53


@value(frozen=True, slots=True)
class Failed:
    """The bot that failed, and how; `spec` is its specifier, `path` its location on disk."""

    spec: str
    name: str
    version: str
    path: str | None
    is_folder: bool  # whether the version is that of the folder in which `path` lies
    class_name: str | None
    reason: str
    detail: str
    traceback: str
    output: str


@value(frozen=True, slots=True)
class Limited:
    """Resource limits of the bot besides its clock; None means unlimited."""

    memory_bytes: int | None
    start_seconds: float  # until it is ready to play
    finish_seconds: float  # after the end


@value(frozen=True, slots=True)
class Situation:
    """The bot's seat, rules, time control and limits; `chance` seeds its random numbers."""

    rules: Rules
    seat: int
    control: TimeControl
    chance: int
    limits: Limited


def bundle_json(
    failed: Failed,
    situation: Situation,
    steps: Iterable[dict[str, Any]],
    ending: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a bundle as a JSON object; pass `ending` only if the bot failed after the end."""
    rules = situation.rules
    return {
        "format": FORMAT,
        "bot": {
            "spec": failed.spec,
            "name": failed.name,
            "version": failed.version,
            "path": failed.path,
            "folder": failed.is_folder,
            "class": failed.class_name,
        },
        "fault": {
            "reason": failed.reason,
            "detail": failed.detail,
            "traceback": failed.traceback,
        },
        "output": failed.output,
        "seat": situation.seat,
        "seats": rules.seats,
        "chance": hex(situation.chance),
        "control": asdict(situation.control),
        "limits": asdict(situation.limits),
        "options": rules.options.to_json(),
        "steps": list(steps),
        "ending": ending,
        "board": rules.board.source,
    }


def step_json(
    *,
    decision: int,
    events: Iterable[Event],
    observation: Observation,
    legal: Sequence[int],
    time_left: TimeLeft,
    objection: str | None,
    answer: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return one question and the bot's answer as a JSON object.

    The answer holds `action` and `note`, or `what` if it was not an action. None means a fault or
    no answer.
    """
    observed = {name: shown(getattr(observation, name)) for name in OBSERVATION_FIELDS}
    return {
        "decision": decision,
        "events": events_json(events),
        "observation": observed,
        "legal": list(legal),
        "time_left": asdict(time_left),
        "objection": objection,
        "answer": answer,
    }


def events_json(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return events as the seat saw them, with cards as words."""
    written = []
    for event in events:
        values = {name: getattr(event, name) for name in EVENT_FIELDS[event.kind]}
        for name in CARD_FIELDS & values.keys():
            values[name] = _words(values[name])
        written.append({"event": event.kind, **values})
    return written


def shown(value: Any) -> Any:
    """Return a value as JSON stores it: tuples as lists, long integers in hexadecimal."""
    if isinstance(value, tuple):
        return [shown(item) for item in value]
    return hex(value) if type(value) is int and value >= _SAFE else value


def _words(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_words(item) for item in value]
    return None if value is None else WORDS[value]

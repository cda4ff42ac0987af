"""The repro bundle as JSON, `damrak-repro/1`: one bot's match up to its fault.

It holds what that seat was told and nothing that was hidden from it, so it can be passed on. Sets
kept as bits of one long integer are written in hexadecimal, because JSON readers trip over them.
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
    """The bot that failed, and how: `spec` is what it is called by, `path` where it lies."""

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
    """What the bot might use besides its clock; None is no limit."""

    memory_bytes: int | None
    start_seconds: float  # until it is ready to play
    finish_seconds: float  # after the end


@value(frozen=True, slots=True)
class Situation:
    """Where it sat, and by what rules it played; its random numbers began from `chance`."""

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
    """A bundle as a JSON object; `ending` is there only if the bot failed after the end."""
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
    """A question, and what the bot answered: its `action` and `note`, or `what` nonsense it was.

    None is a fault or silence.
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
    """Events as the seat saw them, cards by their words."""
    written = []
    for event in events:
        values = {name: getattr(event, name) for name in EVENT_FIELDS[event.kind]}
        for name in CARD_FIELDS & values.keys():
            values[name] = _words(values[name])
        written.append({"event": event.kind, **values})
    return written


def shown(value: Any) -> Any:
    """A value as JSON has it: tuples as lists, long integers in hexadecimal."""
    if isinstance(value, tuple):
        return [shown(item) for item in value]
    return hex(value) if type(value) is int and value >= _SAFE else value


def _words(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_words(item) for item in value]
    return None if value is None else WORDS[value]

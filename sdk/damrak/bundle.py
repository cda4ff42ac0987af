"""Repro bundles: one bot's match up to its fault, as a JSON file of the form `damrak-repro/1`.

A bundle contains what the seat was sent and no hidden information, so it can be shared. Sets kept
as bits of one long integer are written in hexadecimal, because JSON readers may lose their
precision.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from damrak.atomic import write_atomically
from damrak.errors import BundleError
from damrak.hosting.driver import Question, SeatPlan
from damrak.hosting.faults import Answer, BotFault, Chosen, Nonsense, Silence
from damrak.hosting.forms import Plain, event_of, observation_of
from damrak.hosting.limits import STANDARD_LIMITS, Limits
from damrak.specs import BotSpec
from damrak_engine.board import parse_board
from damrak_engine.bundle import (
    CARD_FIELDS,
    EVENT_FIELDS,
    FORMAT,
    OBSERVATION_FIELDS,
    Failed,
    Limited,
    Situation,
    bundle_json,
    events_json,
    step_json,
)
from damrak_engine.cards import CARD_OF_WORD
from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.events import Event
from damrak_engine.options import parse_options
from damrak_engine.replay import parse_result, result_to_json
from damrak_engine.rules import Rules, rules_for
from damrak_engine.scoring import Result

LIMITS: Final = tuple(field.name for field in fields(Limited))


@dataclass(frozen=True, slots=True)
class Step:
    """A question and the bot's answer; a fault or silence ends its match."""

    question: Question
    answer: Answer


@dataclass(frozen=True, slots=True)
class Ending:
    """The last events and the result that a bot receives when the match is over."""

    events: tuple[Event, ...]
    result: Result


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bot's seat and rules, all questions with its answers, and its fault.

    Without steps, the bot failed before the first question. `ending` is set only if it failed after
    the end of the match, which did not affect the result.
    """

    plan: SeatPlan
    rules: Rules
    fault: BotFault
    output: str
    steps: tuple[Step, ...] = ()
    ending: Ending | None = None
    limits: Limits = STANDARD_LIMITS


def write_bundle(bundle: Bundle, path: Path) -> None:
    """Write a bundle to a file."""
    data = json.dumps(bundle_to_json(bundle), indent=1) + "\n"
    write_atomically(path, data.encode())


def read_bundle(path: Path) -> Bundle:
    """Return the bundle in a file.

    Raises:
        BundleError: the file does not exist or is not a bundle.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as problem:
        raise BundleError(f"{path}: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise BundleError(f"{path}: not a JSON file") from None
    try:
        return bundle_from_json(data)
    except BundleError as problem:
        raise BundleError(f"{path}: {problem}") from None


def bundle_to_json(bundle: Bundle) -> dict[str, Any]:
    """Return the bundle as a JSON object."""
    plan, ending = bundle.plan, bundle.ending
    spec, fault = plan.spec, bundle.fault
    return bundle_json(
        Failed(
            spec=spec.text,
            name=spec.name,
            version=spec.version,
            path=None if spec.path is None else str(spec.path),
            is_folder=spec.is_folder,
            class_name=spec.class_name,
            reason=fault.reason,
            detail=fault.detail,
            traceback=fault.traceback,
            output=bundle.output,
        ),
        Situation(bundle.rules, plan.seat, plan.control, plan.chance, _limited(bundle.limits)),
        [_step_to_json(step) for step in bundle.steps],
        None
        if ending is None
        else {"events": events_json(ending.events), "result": result_to_json(ending.result)},
    )


def bundle_from_json(data: object) -> Bundle:
    """Return the bundle of this JSON object.

    Raises:
        BundleError: it is not a bundle. The place of the error is not given, because only Damrak
            writes this format.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BundleError(f"not a repro bundle of the form {FORMAT}")
    try:
        return _bundle(data)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as problem:
        raise BundleError(f"a damaged repro bundle ({type(problem).__name__}: {problem})") from None


def _bundle(data: Mapping[str, Any]) -> Bundle:
    rules = rules_for(parse_board(data["board"]), data["seats"], parse_options(data["options"]))
    bot, ending = data["bot"], data["ending"]
    path = None if bot["path"] is None else Path(bot["path"])
    is_folder = bool(bot.get("folder", False))
    spec = BotSpec(bot["spec"], bot["name"], bot["version"], path, bot["class"], is_folder)
    control = TimeControl(**data["control"])
    return Bundle(
        plan=SeatPlan(spec, data["seat"], control, int(data["chance"], 16)),
        rules=rules,
        fault=BotFault(**data["fault"]),
        output=data["output"],
        steps=tuple(_step(rules, step) for step in data["steps"]),
        ending=None
        if ending is None
        else Ending(_events(ending["events"]), parse_result(ending["result"], rules.seats)),
        limits=_limits(data.get("limits", {})),  # absent in older bundles
    )


def _limited(limits: Limits) -> Limited:
    return Limited(limits.memory_bytes, limits.start_seconds, limits.finish_seconds)


def _limits(data: Mapping[str, Any]) -> Limits:
    return replace(STANDARD_LIMITS, **{name: data[name] for name in LIMITS if name in data})


def _step_to_json(step: Step) -> dict[str, Any]:
    question, answer = step.question, step.answer
    return step_json(
        decision=question.decision,
        events=question.events,
        observation=question.observation,
        legal=question.legal,
        time_left=question.time_left,
        objection=question.objection,
        answer=asdict(answer) if isinstance(answer, Chosen | Nonsense) else None,
    )


def _step(rules: Rules, data: Mapping[str, Any]) -> Step:
    observed = data["observation"]
    plain: Plain = tuple(_read(observed[name]) for name in OBSERVATION_FIELDS)
    question = Question(
        decision=data["decision"],
        observation=observation_of(rules, plain),
        legal=list(data["legal"]),
        time_left=TimeLeft(**data["time_left"]),
        events=_events(data["events"]),
        objection=data["objection"],
    )
    return Step(question, _answer(data["answer"]))


def _answer(data: Mapping[str, Any] | None) -> Answer:
    if data is None:
        return Silence()
    return Nonsense(**data) if "what" in data else Chosen(**data)


def _events(data: list[dict[str, Any]]) -> tuple[Event, ...]:
    events = []
    for shown in data:
        names = EVENT_FIELDS[shown["event"]]
        values = [
            _numbers(shown[name]) if name in CARD_FIELDS else _read(shown[name]) for name in names
        ]
        events.append(event_of((shown["event"], *values)))
    return tuple(events)


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_numbers(item) for item in value)
    return None if value is None else int(CARD_OF_WORD[value])


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_read(item) for item in value)
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value

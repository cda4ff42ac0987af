"""Schemathesis against a served site: all phases and checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import schemathesis
from hypothesis import strategies
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema

from damrak_statistics.block_scores import FARTHEST
from ladder.calls import archive_with

# A schema cannot describe an archive, so bodies of this type are valid archives.
archives = strategies.sampled_from(["a", "b"]).map(archive_with)
schemathesis.openapi.media_type("application/octet-stream", archives)


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Order the bounds of a test, whose relation a schema cannot describe."""
    if case.operation.definition.raw.get("operationId") != "start_trial":
        return
    if not isinstance(case.body, dict):
        return
    elo0, elo1 = case.body.get("elo0", 0.0), case.body.get("elo1", 30.0)
    if _is_lead(elo0) and _is_lead(elo1) and elo1 - elo0 < 1:
        low = min(elo0, elo1, FARTHEST - 1)
        case.body |= {"elo0": low, "elo1": max(elo0, elo1, low + 1)}


def _is_lead(elo: Any) -> bool:
    is_number = isinstance(elo, int | float) and not isinstance(elo, bool)
    return is_number and -FARTHEST <= elo <= FARTHEST


@dataclass
class Outcome:
    """The failures of a run, and the numbers of cases by phase."""

    failures: list[str] = field(default_factory=list)
    cases: dict[str, int] = field(default_factory=dict)


def fuzz(
    site: str, token: str | None, examples: int, seed: int, paths: str | None = None
) -> Outcome:
    """Test every operation of a served site with this token; return what was found.

    `paths` is a regular expression that selects operations by their paths.
    """
    config: dict[str, Any] = {
        "workers": 1,
        "seed": seed,
        "request-timeout": 600,
        "generation": {"max-examples": examples, "database": "none"},
        "phases": {"stateful": {"max-steps": 6}},
    }
    if token is not None:
        config["headers"] = {"Authorization": f"Bearer {token}"}
    schema = schemathesis.openapi.from_url(
        f"{site}/api/v1/openapi.json", config=SchemathesisConfig.from_dict(config), timeout=600
    )
    if paths is not None:
        schema = schema.include(path_regex=paths)
    found = Outcome()
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            _add(found, event)
        elif isinstance(event, events.NonFatalError | events.FatalError):
            found.failures.append(str(getattr(event, "info", None) or event))
    return found


UNKNOWN: Final = (
    *(
        "bad-cursor",
        "bad-choice",
        "bad-token",
        "key-reused",
        "changed",
        "stale",
    ),  # a schema cannot list the values that exist
    *("serial-needed", "bad-tournament"),  # nor how the fields of a request depend on each other
)
"""Refusals of requests that match their schema."""


def _is_unknown(interaction: Any) -> bool:
    answer = interaction and interaction.response
    return bool(answer) and any(f'"code": "{code}"'.encode() in answer.content for code in UNKNOWN)


def _add(found: Outcome, event: events.ScenarioFinished) -> None:
    name = event.phase.value
    found.cases[name] = found.cases.get(name, 0) + len(event.recorder.cases)
    for case_id, checks in event.recorder.checks.items():
        for check in checks:
            if check.failure_info is None:
                continue
            interaction = event.recorder.interactions.get(case_id)
            if check.name == "positive_data_acceptance" and _is_unknown(interaction):
                continue
            request = interaction.request if interaction else None
            where = f"{request.method} {request.uri}" if request else event.label
            body = request.body if request else None
            answer = interaction.response if interaction else None
            said = (answer.content or b"")[:300] if answer else b""
            found.failures.append(
                f"{name} {event.label}: {check.name}: {check.failure_info.failure}\n"
                f"    {where} {body!r}\n    {answer and answer.status_code} {said!r}"
            )

"""Schemathesis against a served site: all phases and checks."""

from __future__ import annotations

import json
import logging
import time
import urllib.request
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

import schemathesis
from hypothesis import strategies
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema

from damrak_statistics.block_scores import FARTHEST
from ladder.calls import archive_with

FEW: Final = 3
"""Requests of each phase to operations that the token does not permit."""

_log = logging.getLogger(__name__)

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
    site: str,
    token: str | None,
    scopes: Collection[str],
    examples: int,
    seed: int,
    paths: str | None = None,
) -> Outcome:
    """Test every operation of a served site with this token; return what was found.

    Operations that its scopes do not permit get few requests, and no systematic coverage of their
    bodies: they are refused before anything else is read. A token with all scopes covers them.
    `paths` is a regular expression that selects operations by their paths.
    """
    address = f"{site}/api/v1/openapi.json"
    with urllib.request.urlopen(address, timeout=600) as answer:
        refused = _refused(json.load(answer), scopes)
    config: dict[str, Any] = {
        "workers": 1,
        "seed": seed,
        "request-timeout": 600,
        "generation": {"max-examples": examples, "database": "none"},
        "phases": {"stateful": {"max-steps": 6}},
        "operations": [
            {
                "include-operation-id": name,
                "generation": {"max-examples": min(examples, FEW)},
                "phases": {"coverage": {"enabled": False}},
            }
            for name in refused
        ],
    }
    if token is not None:
        config["headers"] = {"Authorization": f"Bearer {token}"}
    schema = schemathesis.openapi.from_url(
        address, config=SchemathesisConfig.from_dict(config), timeout=600
    )
    if paths is not None:
        schema = schema.include(path_regex=paths)
    found = Outcome()
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            _add(found, event)
            _log.info("%s %s, %s", event.phase.value, event.label, _progress(found))
        elif isinstance(event, events.NonFatalError | events.FatalError):
            found.failures.append(str(getattr(event, "info", None) or event))
    return found


def _refused(described: dict[str, Any], scopes: Collection[str]) -> list[str]:
    """Return the ids of the operations that a token with these scopes may not use."""
    return [
        operation["operationId"]
        for operations in described["paths"].values()
        for operation in operations.values()
        if (needed := operation.get("security"))
        and not any(set(way.get("bearer", ())) <= set(scopes) for way in needed)
    ]


def _progress(found: Outcome) -> str:
    """Return the state of a run, for `--log-cli-level=INFO`."""
    cases = sum(found.cases.values())
    return (
        f"{cases} cases, {len(found.failures)} failures, {time.process_time():.0f} s of processor"
    )


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

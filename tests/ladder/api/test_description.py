"""The OpenAPI description: complete, named, with examples, and never less than before."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest
from django.http import HttpRequest
from ninja import Schema
from pydantic import create_model

from damrak_ladder.api.access import READ
from damrak_ladder.api.description.documents import document
from damrak_ladder.api.description.examples import examples
from damrak_ladder.api.description.openapi import DescribedAPI, Description, TwoTypes
from damrak_ladder.api.description.refusals import CODES
from ladder.api.declared import description
from ladder.api.growth import contract, losses

RECORDED: Final = Path(__file__).parent / "v1.json"
"""The published description. `.ci/regen-api` adds to it."""


def operations() -> Iterator[dict[str, Any]]:
    """Every operation."""
    for found in description()["paths"].values():
        yield from found.values()


def test_the_published_description_only_grows() -> None:
    if os.environ.get("DAMRAK_REGENERATE"):
        before = json.loads(RECORDED.read_text()) if RECORDED.exists() else contract(description())
        assert not losses(before, description())
        text = json.dumps(contract(description()), indent=2, sort_keys=True)
        RECORDED.write_text(text + "\n")
    before = json.loads(RECORDED.read_text())
    now = json.loads(json.dumps(contract(description())))
    assert not losses(before, now)
    assert before == now, "run .ci/regen-api, and review the difference"


def change(path: str, value: Any = None) -> dict[str, Any]:
    """Return the description with a value replaced, or removed."""
    changed: dict[str, Any] = copy.deepcopy(description())
    at: Any = changed
    *way, last = path.split("|")
    for step in way:
        at = at[int(step) if isinstance(at, list) else step]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("paths|/api/v1/bots", None),
        ("paths|/api/v1/bots|get|operationId", "bots"),
        ("paths|/api/v1/bots|get|security", [{"bearer": ["read"]}]),
        ("paths|/api/v1/bots|get|parameters|0|required", True),
        ("paths|/api/v1/bots|get|parameters|0|schema", {"type": "null"}),
        ("components|schemas|Bot|properties|slug", None),
        ("components|schemas|Bot|properties|slug", {"type": "integer"}),
        ("components|schemas|Bot|required", ["slug"]),
        ("components|schemas|NewBot|required", ["slug", "name"]),
        ("components|schemas|Purpose|enum", ["ladder"]),
    ],
)
def test_a_loss_is_noticed(path: str, value: Any) -> None:
    assert losses(description(), change(path, value))
    assert not losses(description(), description())


def test_additions_are_no_losses() -> None:
    more = change("components|schemas|Bot|properties|colour", {"type": "string"})
    assert not losses(description(), more)
    more = change("components|schemas|Purpose|enum", [*purposes(), "exhibition"])
    assert not losses(description(), more)
    more = change("paths|/api/v1/bots|get|security", [{}, {"bearer": ["read"]}])
    assert not losses(description(), more)


def purposes() -> list[str]:
    return list(description()["components"]["schemas"]["Purpose"]["enum"])


def test_every_operation_is_named_and_declares_its_refusals() -> None:
    names = [operation["operationId"] for operation in operations()]
    assert len(names) == len(set(names))
    for operation in operations():
        assert len(operation["operationId"]) <= 30
        assert operation["summary"]
        assert operation["description"]
        statuses = set(operation["responses"])
        assert {"429", "503"} <= statuses
        assert ({"401", "403"} <= statuses) == bool(operation.get("security"))
        for status, answer in operation["responses"].items():
            if int(status) < 400:
                continue
            content = answer["content"]["application/problem+json"]
            assert content["schema"] == {"$ref": "#/components/schemas/Problem"}
            assert content["examples"]
            assert {CODES[code][0] for code in content["examples"]} == {int(status)}


def test_every_object_and_enumeration_has_a_name() -> None:
    found = contract(description())
    for path, operations_of_path in found["paths"].items():
        for where, schema in _unnamed(operations_of_path, path):
            pytest.fail(f"{where}: {schema}")
    for name, schema in found["components"]["schemas"].items():
        for field, content in schema.get("properties", {}).items():
            for where, inner in _unnamed(content, f"{name}.{field}"):
                pytest.fail(f"{where}: {inner}")


def _unnamed(content: Any, where: str) -> Iterator[tuple[str, Any]]:
    if isinstance(content, dict):
        is_object = content.get("type") == "object"
        if is_object or (isinstance(content.get("enum"), list)):
            yield where, content
        for key, value in content.items():
            if key not in ("example", "examples"):
                yield from _unnamed(value, f"{where}/{key}")
    elif isinstance(content, list):
        for value in content:
            yield from _unnamed(value, where)


def test_every_operation_has_examples_that_match() -> None:
    known = {operation["operationId"]: operation for operation in operations()}
    assert set(examples()) <= set(known)
    for name, operation in known.items():
        body = _json(operation.get("requestBody", {}))
        if body is not None:
            assert _is_valid(body["schema"], body["example"]), name
        for status, answer in operation["responses"].items():
            content = _json(answer) if status.startswith("2") else None
            if content is not None:
                assert "example" in content, f"{name} has no example; run .ci/regen-api"
                assert _is_valid(content["schema"], content["example"]), name


def _json(content: dict[str, Any]) -> dict[str, Any] | None:
    found: dict[str, Any] | None = content.get("content", {}).get("application/json")
    return found


def _is_valid(schema: dict[str, Any], example: Any) -> bool:
    whole = {**schema, "components": description()["components"]}
    return bool(jsonschema_rs.validator_for(json.loads(json.dumps(whole))).is_valid(example))


def _named(name: str, **fields: type) -> type[Schema]:
    made: type[Schema] = create_model(
        name, __base__=Schema, **{one: (of, ...) for one, of in fields.items()}
    )  # type: ignore[call-overload]
    return made


def _described(*answers: Any, **extra: Any) -> Any:
    """Return the description of an API with an operation for each of these answers."""
    found = DescribedAPI(urls_namespace=f"of-{len(answers)}-{id(answers)}")
    for number, answer in enumerate(answers):
        found.get(f"/{number}", response=answer, operation_id=f"get_{number}", auth=READ, **extra)(
            _nothing
        )
    return Description(found, "/api/")


def _nothing(request: HttpRequest) -> None:
    """Answer nothing."""


@pytest.mark.parametrize(
    "clash",
    [
        lambda: _described(_named("Boat", length=int), _named("Boat", length=str)),
        lambda: _described(
            _named("Fleet", one=_named("Boat", length=int), other=_named("Boat", length=str))
        ),
        lambda: _described(_named("Boat", length=int), _named("BoatShape", length=str)),
        lambda: _described(_named("Replay", length=int), openapi_extra=document("Replay", "x/1")),
        lambda: _described(_named("Problem", length=int)),
    ],
    ids=["operations", "one-operation", "suffix", "document", "problem"],
)
def test_two_types_of_one_name_are_an_error(clash: Callable[[], Any]) -> None:
    with pytest.raises(TwoTypes, match="two different types of the API are named"):
        clash()
    same = _named("Boat", length=int)
    assert "Boat" in _described(same, same)["components"]["schemas"]


NOTHING_NEW: Final = {
    *("make_live", "mark_notices_read", "cancel_trial"),  # set a state
    *("enable_endpoint", "disable_endpoint", "collect_token"),
    *("test_webhook", "test_endpoint", "replay_delivery"),  # post to a webhook
    *("join_table", "leave_table", "answer_at_table", "take_back", "ask_advice"),
    *("answer_puzzle", "request_analysis"),  # one analysis per match
    "forecast_format",  # is calculated only
    "start_login",  # has no token, to which keys belong; a login expires within minutes
}
"""Operations by POST that create nothing, so that a repetition does no harm."""


def test_every_post_that_creates_accepts_an_idempotency_key() -> None:
    posts = [ways["post"] for ways in description()["paths"].values() if "post" in ways]
    keyed = {
        one["operationId"]
        for one in posts
        if any(parameter["name"] == "Idempotency-Key" for parameter in one["parameters"])
    }
    assert {one["operationId"] for one in posts} - keyed == NOTHING_NEW
    created = {one["operationId"] for one in posts if "201" in one["responses"]}
    assert created <= keyed

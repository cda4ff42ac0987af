"""Recording of examples for the description, while `.ci/regen-api` runs the tests of the API."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import jsonschema_rs

import damrak_ladder.api.description as package
from damrak_ladder.api.description.examples import FILE
from ladder.api.declared import description, operation_at

_SECRET: Final = {"token": "damrak_4fJq…", "device_code": "4fJq…", "secret": "whsec_4fJq…"}
_MOST: Final = 2
"""The length of lists in examples."""


def record(method: str, path: str, data: object, status: int, content: bytes) -> None:
    """Keep this answer as the example of its operation, if there is no good one."""
    operation = operation_at(method, path)
    if "DAMRAK_REGENERATE" not in os.environ or operation is None or not 200 <= status < 300:
        return
    file = Path(str(package.__file__)).parent / FILE
    kept: dict[str, dict[str, Any]] = json.loads(file.read_text())
    found = dict(kept.get(operation["operationId"], {}))
    said = {"response": content if _takes(operation["responses"][str(status)]) else None}
    said["request"] = data if _takes(operation.get("requestBody", {})) else None
    schemas = {"response": operation["responses"][str(status)]}
    schemas["request"] = operation.get("requestBody", {})
    for part, text in said.items():
        if text is None or _is_good(schemas[part], found.get(part)):
            continue
        found[part] = _shortened(json.loads(text))  # type: ignore[arg-type]
    kept[operation["operationId"]] = found
    file.write_text(json.dumps(dict(sorted(kept.items())), indent=2, ensure_ascii=False) + "\n")


def _takes(content: dict[str, Any]) -> bool:
    """Return whether this is JSON whose example is not that of a documented format."""
    found = content.get("content", {}).get("application/json")
    return found is not None and "format" not in found.get("example", {})


def _is_good(content: dict[str, Any], example: Any) -> bool:
    if not example or (isinstance(example, dict) and example.get("items") == []):
        return False
    schema = {
        **content["content"]["application/json"]["schema"],
        "components": description()["components"],
    }
    return bool(jsonschema_rs.validator_for(json.loads(json.dumps(schema))).is_valid(example))


def _shortened(content: Any) -> Any:
    if isinstance(content, dict):
        return {
            name: _SECRET.get(name, _shortened(value))
            if isinstance(value, str)
            else _shortened(value)
            for name, value in content.items()
            if name != "local_key"
        } | ({"local_key": None} if "local_key" in content else {})
    return [_shortened(one) for one in content[:_MOST]] if isinstance(content, list) else content

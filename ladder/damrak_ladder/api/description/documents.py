"""Documents that are sent as they are stored, in the description."""

from __future__ import annotations

from typing import Any


def document(name: str, version: str) -> dict[str, Any]:
    """Return the `openapi_extra` of an operation whose answer is a document of this format."""
    schema = {
        "title": name,
        "type": "object",
        "additionalProperties": True,
        "description": f"A {name.lower()}, as documented in docs/.",
    }
    example = {"format": version}
    reference = {"$ref": f"#/components/schemas/{name}"}
    content = {"application/json": {"schema": reference, "example": example}}
    return {"responses": {200: {"content": content}}, "x-damrak-schemas": {name: schema}}

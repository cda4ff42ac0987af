"""Header fields of requests and answers, for the description."""

from __future__ import annotations

from typing import Any, Final

KEY_PATTERN: Final = "^[\\x21-\\x7e]{1,255}$"
"""The pattern of idempotency keys."""

SERIAL_PATTERN: Final = '^(?:W/)?"?([0-9]{1,9})"?$'
"""The pattern of the serial of a tournament or league in `If-Match`."""

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "RateLimit": {
        "description": 'The rate limits that apply: `"token";r=599;t=12` means 599 requests left'
        " in the next 12 seconds.",
        "schema": {"type": "string"},
    },
    "RateLimit-Policy": {
        "description": 'The quotas: `"token";q=600;w=60` means 600 requests per 60 seconds.',
        "schema": {"type": "string"},
    },
    "ETag": {
        "description": "Identifies this content; send it in `If-None-Match` or `If-Match`.",
        "schema": {"type": "string"},
    },
    "Link": {
        "description": 'The address of the next page, with `rel="next"`.',
        "schema": {"type": "string"},
    },
    "X-Total-Count": {
        "description": "The number of rows of the whole list.",
        "schema": {"type": "integer", "minimum": 0},
    },
    "Location": {
        "description": "The address of the new object.",
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "Retry-After": {
        "description": "The number of seconds until the request can be repeated.",
        "schema": {"type": "integer", "minimum": 0},
    },
    "WWW-Authenticate": {
        "description": "The authentication scheme, `Bearer`.",
        "schema": {"type": "string"},
    },
    "Idempotency-Replayed": {
        "description": "`true` if this is the stored answer of an earlier request.",
        "schema": {"type": "string", "enum": ["true"]},
    },
}
"""Header fields of answers."""

REQUESTS: Final[dict[str, dict[str, Any]]] = {
    "Idempotency-Key": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": "Repeating a request with the same key within 24 hours returns the first"
        " answer instead of a second effect. Ignored without a token.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": KEY_PATTERN},
    },
    "If-None-Match": {
        "name": "If-None-Match",
        "in": "header",
        "required": False,
        "description": "The `ETag` of a stored answer; the answer is 304 if it is still valid.",
        "schema": {"type": "string"},
    },
    "If-Match": {
        "name": "If-Match",
        "in": "header",
        "required": False,
        "description": "The `ETag` of the object that was read; the answer is 412 if it differs.",
        "schema": {"type": "string"},
    },
    "If-Match-Serial": {
        "name": "If-Match",
        "in": "header",
        "required": False,
        "description": "The serial of the tournament or league that the change is based on, which"
        " is its `ETag`; the answer is 412 if it has changed. Only previews may leave it out.",
        "schema": {"type": "string", "pattern": SERIAL_PATTERN},
    },
}
"""Optional header fields of requests, as parameters."""


def references(*names: str) -> dict[str, Any]:
    """Return references to these header fields of answers."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}

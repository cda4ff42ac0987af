"""Parts of the description that no operation declares: the problem, and the login of programs."""

from __future__ import annotations

from typing import Any, Final

from damrak_ladder.accounts.devices import SCOPES
from damrak_ladder.api.description.refusals import CODES
from damrak_ladder.api.problems import TYPES

DEVICE_LOGIN: Final[dict[str, Any]] = {
    "type": "oauth2",
    "description": "The login of a program, which its user approves in a browser; it returns a"
    " token for `bearer`.",
    "flows": {
        "x-deviceAuthorization": {  # OpenAPI 3.1 has no name for this flow
            "deviceAuthorizationUrl": "/api/v1/device",
            "tokenUrl": "/api/v1/device/token",
            "scopes": {str(scope): "" for scope in SCOPES},
        }
    },
}

PROBLEM: Final[dict[str, Any]] = {
    "Problem": {
        "title": "Problem",
        "description": "An error (RFC 9457): its cause and its remedy.",
        "type": "object",
        "properties": {
            "type": {"type": "string", "description": f"`{TYPES}` and the code."},
            "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "code": {"$ref": "#/components/schemas/ProblemCode"},
            "detail": {"type": "string", "description": "The cause."},
            "cure": {"type": "string", "description": "The remedy."},
            "errors": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/FieldProblem"},
                "description": "Each field that is not valid, with the code `invalid`.",
            },
            "version": {
                "type": "integer",
                "description": "The earlier version, with the code `same-content`.",
            },
            "serial": {
                "type": "integer",
                "description": "The serial of the tournament, with the code `stale`.",
            },
        },
        "required": ["type", "title", "status", "code", "detail", "cure"],
    },
    "FieldProblem": {
        "title": "FieldProblem",
        "description": "A field that is not valid.",
        "type": "object",
        "properties": {"field": {"type": "string"}, "problem": {"type": "string"}},
        "required": ["field", "problem"],
    },
    "ProblemCode": {
        "title": "ProblemCode",
        "description": "The code of a problem, for programs; later versions may add some.",
        "type": "string",
        "enum": list(CODES),
    },
}

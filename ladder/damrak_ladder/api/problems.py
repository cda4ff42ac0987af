"""Errors of the API: problem documents (RFC 9457) with cause and cure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpResponse

from damrak_ladder.plain_text import plain_values

CONTENT_TYPE: Final = "application/problem+json"
TYPES: Final = "urn:damrak:problem:"
"""The prefix of the types of problems, before their codes."""


class Problem(Exception):
    """An error answer: `code` for programs, `detail` and `cure` for people."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        cure: str = "",
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.cure = cure
        self.headers = dict(headers or {})
        self.more = more


def not_found(what: str, cure: str = "") -> Problem:
    """Return the error for something that does not exist, or not for this token."""
    return Problem(404, "not-found", f"there is no {what}", cure)


def answer_of(problem: Problem) -> HttpResponse:
    """Return the problem as a response."""
    said = {
        "type": TYPES + problem.code,
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "code": problem.code,
        "detail": problem.detail,
        "cure": problem.cure,
        **problem.more,
    }
    headers = {"Cache-Control": "no-store", **problem.headers}
    return HttpResponse(
        json.dumps(plain_values(said)),
        content_type=CONTENT_TYPE,
        status=problem.status,
        headers=headers,
    )

"""Conditional requests: `ETag`, `If-None-Match` and `If-Match`.

The tag of an answer is a hash of its content, so it changes exactly if the content does.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from ninja import Schema
from ninja.operation import Operation
from ninja.utils import contribute_operation_callback

from damrak_ladder.api.description.headers import SERIAL_PATTERN
from damrak_ladder.api.description.openapi import CONDITIONAL
from damrak_ladder.api.problems import Problem
from damrak_ladder.api.renderers import PlainJson

View = TypeVar("View", bound=Callable[..., Any])

_KEPT: Final = ("Cache-Control", "Vary", "Access-Control-Allow-Origin", "Link")
_SERIAL: Final = "_is_tagged_with_serial"
_RENDERER: Final = PlainJson()


def not_modified(request: HttpRequest, answer: HttpResponseBase) -> HttpResponseBase:
    """Return the answer with its tag; without its content if the client has this content."""
    if answer.status_code != 200 or not isinstance(answer, HttpResponse):
        return answer
    if vars(request).get(_SERIAL):
        return answer
    if "ETag" not in answer:
        answer["ETag"] = _tag(answer.content)
    if not _is_among(answer["ETag"], request.headers.get("If-None-Match", "")):
        return answer
    short = HttpResponse(status=304)
    for name in ("ETag", *_KEPT):
        if name in answer:
            short[name] = answer[name]
    return short


def tag_with_serial(request: HttpRequest, response: HttpResponse, serial: int) -> None:
    """Send the serial of a tournament or league as the tag.

    It is for `If-Match` only, because results change the content without a new serial.
    """
    response["ETag"] = f'"{serial}"'
    vars(request)[_SERIAL] = True


def stated_serial(request: HttpRequest, what: str) -> int:
    """Return the serial in `If-Match`, on which this change is based.

    Raises:
        Problem: there is none, or it is not a serial.
    """
    given = request.headers.get("If-Match")
    if given is None:
        raise Problem(
            428,
            "serial-needed",
            f"{what} states the serial that it is based on",
            'send `If-Match: "SERIAL"` with the ETag of what you read',
        )
    match = re.fullmatch(SERIAL_PATTERN, given.strip())
    if match is None:
        cure = "read it with your token; the serial is the ETag"
        raise Problem(400, "bad-serial", f"If-Match: {given[:40]!r} is not a serial", cure)
    return int(match[1])


def conditional(view: View) -> View:
    """Declare that an operation compares `If-Match` with the content that it changes."""

    def declare(operation: Operation) -> None:
        operation.openapi_extra = {**(operation.openapi_extra or {}), CONDITIONAL: True}

    contribute_operation_callback(view, declare)
    return view


def check_unchanged(request: HttpRequest, content: Schema | list[Any]) -> None:
    """Check that the client has seen the current content, if it sends `If-Match`.

    Raises:
        Problem: the content is different.
    """
    given = request.headers.get("If-Match")
    if given is None or given.strip() == "*":
        return
    data = (
        content.model_dump()
        if isinstance(content, Schema)
        else [one.model_dump() for one in content]
    )
    text = _RENDERER.render(request, data, response_status=200)
    if not _is_among(_tag(text.encode()), given):
        detail = "this was changed after you read it"
        raise Problem(412, "changed", detail, "read it again, then decide")


def _tag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def _is_among(tag: str, given: str) -> bool:
    """Return whether a tag is listed; tags of compressed answers are weak."""
    strong = tag.removeprefix("W/")
    return any(one == "*" or one.removeprefix("W/") == strong for one in parse_etags(given))

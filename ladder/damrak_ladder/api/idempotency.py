"""The header `Idempotency-Key` of requests that create something."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import partial, wraps
from io import BytesIO
from typing import Any, Final, TypeVar

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja.decorators import decorate_view
from ninja.operation import Operation
from ninja.utils import contribute_operation_callback

from damrak_archive.limits import CEILING, MIB
from damrak_ladder.accounts.errors import KeyInUse, KeyReused, TooOften
from damrak_ladder.accounts.idempotency import Answer, once
from damrak_ladder.api.access import Bearer
from damrak_ladder.api.description.headers import KEY_PATTERN
from damrak_ladder.api.description.openapi import IDEMPOTENT
from damrak_ladder.api.problems import Problem

View = TypeVar("View", bound=Callable[..., Any])

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"

_LARGEST: Final = (CEILING.archive_mb + 1) * MIB  # longer bodies are refused before


def idempotent(bearer: Bearer) -> Callable[[View], View]:
    """Return a decorator for operations that accept idempotency keys with tokens of a scope."""

    def declare(operation: Operation) -> None:
        operation.openapi_extra = {**(operation.openapi_extra or {}), IDEMPOTENT: True}

    def decorate(view: View) -> View:
        contribute_operation_callback(view, declare)
        return decorate_view(partial(_keyed, bearer))(view)

    return decorate


def _keyed(bearer: Bearer, run: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(run)
    def keyed(request: HttpRequest, **options: Any) -> HttpResponse:
        key = request.headers.get(HEADER)
        if key is None:
            return run(request, **options)
        try:
            token = bearer(request)
        except (Problem, TooOften):
            return run(request, **options)  # answers with the same problem
        api = run.__self__.api  # type: ignore[attr-defined]  # a bound method of the operation
        try:
            key_of(request)
            secret = request.headers["Authorization"].partition(" ")[2].strip()
            mark = _fingerprint(request)
            process = partial(_processed, run, request, options)
            answer, is_old = once(token, secret, key, mark, timezone.now(), process)
        except (Problem, KeyReused, KeyInUse) as problem:
            refusal: HttpResponse = api.on_exception(request, problem)
            return refusal
        response = HttpResponse(answer.body, status=answer.status, headers=answer.headers)
        if is_old:
            response[REPLAYED] = "true"
        return response

    return keyed


def key_of(request: HttpRequest) -> str | None:
    """Return the key of a request, if it has one.

    Raises:
        Problem: it is not valid.
    """
    key = request.headers.get(HEADER)
    if key is not None and not re.fullmatch(KEY_PATTERN, key):
        detail = f"{HEADER}: it is not 1 to 255 printable ASCII characters"
        raise Problem(422, "bad-key", detail, "use a UUID for each new request")
    return key


def _processed(
    run: Callable[..., HttpResponse], request: HttpRequest, options: dict[str, Any]
) -> Answer:
    response = run(request, **options)
    return Answer(response.status_code, dict(response.items()), response.content)


def _fingerprint(request: HttpRequest) -> str:
    """Return a hash of the method, the address and the body of a request."""
    body = request.read(_LARGEST)
    vars(request).update(_stream=BytesIO(body), _read_started=False)  # so that it is read again
    parts = (request.method or "", request.get_full_path(), request.content_type or "")
    return hashlib.sha256("\n".join(parts).encode() + b"\n" + body).hexdigest()

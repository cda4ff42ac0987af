"""The API object with all routers, and the answers to all errors."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, path
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.renderers import JSONRenderer

from damrak_ladder.accounts.errors import TooOften
from damrak_ladder.api import (
    analyses,
    devices,
    hosts,
    index,
    ladders,
    matches,
    queue,
    runtime,
    submissions,
    trials,
)
from damrak_ladder.api.problems import Problem, answer_of
from damrak_ladder.bots.errors import (
    LimitReached,
    NameTaken,
    NotQualified,
    NotTaken,
    Overtaken,
    SameContent,
)
from damrak_ladder.plain_text import plain_values
from damrak_ladder.stores.errors import StoreUnreachable
from damrak_ladder.trials.errors import BadBounds, NotPlayable, NotYours, TooManyTrials

E = TypeVar("E", bound=Exception)

DESCRIPTION: Final = """
Ladders, ratings, matches and replays are open to everybody. What changes something, and what is
an author's own, takes a token in the header `Authorization: Bearer TOKEN`. What is refused is
answered with a problem (RFC 9457) whose `detail` names the culprit and whose `cure` says what to
do. Lists take `limit` and `offset`; a `Link` header names the next piece.
"""
_SHOWN: Final = 20

_log = logging.getLogger(__name__)


class _PlainJson(JSONRenderer):
    """A JSON renderer that removes characters that control a terminal or the writing direction."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        """Return the text."""
        text = super().render(request, data, response_status=response_status)
        if "\\u" not in text:  # all of it is printable ASCII
            return text
        return super().render(request, plain_values(data), response_status=response_status)


api = NinjaAPI(
    renderer=_PlainJson(),
    title="Damrak",
    version="1",
    description=DESCRIPTION.strip(),
    docs_url=None,
    urls_namespace="api",
)
_PARTS: Final = (
    index,
    devices,
    ladders,
    matches,
    analyses,
    submissions,
    trials,
    queue,
    hosts,
    runtime,
)
for _part in _PARTS:
    api.add_router("", _part.router)


def _answers(kind: type[E], problem_of: Callable[[E], Problem]) -> None:
    def answer(request: HttpRequest, problem: Any) -> HttpResponse:
        return answer_of(problem_of(problem))

    api.add_exception_handler(kind, answer)


def _same(problem: Problem) -> Problem:
    return problem


def _too_often(problem: TooOften) -> Problem:
    wait = str(problem.retry_after)
    return Problem(429, "too-often", str(problem), f"wait {wait} s", {"Retry-After": wait})


def _limit(problem: LimitReached) -> Problem:
    if problem.per_hour:
        wait = {"Retry-After": "600"}
        return Problem(429, "limit-reached", str(problem), "wait a while", wait)
    return Problem(409, "limit-reached", str(problem), "ask the operators of this site for more")


def _invalid(problem: ValidationError) -> Problem:
    errors = [
        {
            "field": ".".join(str(part) for part in error.get("loc", ())[1:]),
            "problem": str(error.get("msg", "")),
        }
        for error in problem.errors[:_SHOWN]
    ]
    first = errors[0] if errors else {"field": "", "problem": "is not as it has to be"}
    named = first["field"].rpartition(".")[2] or "the request"
    return Problem(
        422,
        "invalid",
        f"{named}: {first['problem']}",
        "/api/v1/openapi.json says what is taken",
        errors=errors,
    )


def _http(problem: HttpError) -> Problem:
    return Problem(problem.status_code, "refused", str(problem))


def _not_taken(problem: NotTaken) -> Problem:
    cure = "the page Uploading a bot says what may be in an archive; `damrak submit` makes such"
    return Problem(422, "not-taken", problem.why, cure)


def _same_content(problem: SameContent) -> Problem:
    cure = "change something, or make that version live"
    return Problem(409, "same-content", str(problem), cure, version=problem.number)


def _conflict(code: str, cure: str) -> Callable[[Exception], Problem]:
    return lambda problem: Problem(409, code, str(problem), cure)


def _not_yours(problem: NotYours) -> Problem:
    return Problem(403, "not-yours", str(problem), "test your own versions, or live ones")


def _bad_bounds(problem: BadBounds) -> Problem:
    return Problem(422, "bad-bounds", str(problem), "0 and 30 ask: is it stronger?")


def _missing(problem: Http404) -> Problem:
    return Problem(404, "not-found", "there is nothing here", "GET /api/v1/openapi.json")


def _no_tables(problem: DatabaseError) -> Problem:
    _log.error("database_trouble", exc_info=problem)
    cure = "try again; /healthz/ready shows more"
    return Problem(503, "try-again", "the database does not answer", cure, {"Retry-After": "5"})


def _no_store(problem: StoreUnreachable) -> Problem:
    _log.error("store_unreachable", exc_info=problem)
    cure = "try again; /healthz says more"
    what = "archives and replays cannot be reached now"
    return Problem(503, "try-again", what, cure, {"Retry-After": "20"})


def _too_big(problem: RequestDataTooBig) -> Problem:
    return Problem(413, "too-large", "the body is too large", "send less")


_answers(Problem, _same)
_answers(TooOften, _too_often)
_answers(LimitReached, _limit)
_answers(ValidationError, _invalid)
_answers(HttpError, _http)
_answers(Http404, _missing)
_answers(DatabaseError, _no_tables)
_answers(StoreUnreachable, _no_store)
_answers(RequestDataTooBig, _too_big)
_answers(NotTaken, _not_taken)
_answers(SameContent, _same_content)
_answers(NameTaken, _conflict("name-taken", "take another name"))
_answers(NotQualified, _conflict("not-qualified", "only qualified versions go live"))
_answers(NotPlayable, _conflict("not-playable", "take what has qualified, on a ladder open to it"))
_answers(NotYours, _not_yours)
_answers(BadBounds, _bad_bounds)
_answers(TooManyTrials, _conflict("limit-reached", "wait for one to end, or end one"))
_answers(Overtaken, _conflict("overtaken", "look again, then decide"))


@csrf_exempt  # nothing here can be changed by another site
def _nothing(request: HttpRequest, rest: str) -> HttpResponse:
    return answer_of(
        Problem(404, "not-found", f"there is no /api/v1/{rest}"[:200], "GET /api/v1/openapi.json")
    )


def _told(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Return the view with support for HEAD, and with 405 answers in JSON."""

    @wraps(view)
    def telling(request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        asked = request.method
        if asked == "HEAD":
            request.method = "GET"  # the server leaves out the body
        answer = view(request, *args, **options)
        request.method = asked
        if answer.status_code != 405:
            return answer
        allowed = answer.headers.get("Allow", "")
        detail = f"{request.method} is not done here, only {allowed}"
        return answer_of(Problem(405, "not-done", detail, headers={"Allow": allowed}))

    return telling


def urls() -> list[URLPattern | URLResolver]:
    """Return the URL patterns below /api/v1/."""
    found: list[URLPattern | URLResolver] = api.urls[0]
    for place in found:
        if isinstance(place, URLPattern):
            place.callback = _told(place.callback)
    return [*found, path("<path:rest>", _nothing)]

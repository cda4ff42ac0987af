"""The API object with all routers, and the answers to all errors."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver, re_path
from django.views.decorators.csrf import csrf_exempt
from ninja.errors import HttpError, ValidationError

from damrak_ladder.accounts.errors import KeyInUse, KeyReused as RequestKeyReused, TooOften
from damrak_ladder.api.access import state_rate_limits
from damrak_ladder.api.conditional import not_modified
from damrak_ladder.api.description.openapi import DescribedAPI
from damrak_ladder.api.parts import PARTS
from damrak_ladder.api.problems import Problem, answer_of
from damrak_ladder.api.renderers import PlainJson
from damrak_ladder.bots.errors import (
    LimitReached,
    NameTaken,
    NotQualified,
    NotTaken,
    Overtaken,
    SameContent,
)
from damrak_ladder.message_codes.bot_codes import ArchiveTooLarge
from damrak_ladder.message_codes.wording import english
from damrak_ladder.stores.errors import StoreUnreachable
from damrak_ladder.tournaments.errors import (
    BadTournament,
    KeyReused,
    NotAllowed,
    NotEntered,
    Pinned,
    Refused,
    Stale,
)
from damrak_ladder.trials.errors import BadBounds, NotPlayable, NotYours, TooManyTrials

E = TypeVar("E", bound=Exception)

DESCRIPTION: Final = """
Ladders, ratings, matches and replays are public. Changes and private data require a token in the
header `Authorization: Bearer TOKEN`. Errors are problem details (RFC 9457): `detail` describes the
cause, `cure` the remedy, and `code` is stable. Lists are paged; a `Link` header with `rel="next"`
has the address of the next page. Clients must ignore fields and accept enumeration values that
they do not know, because later versions of v1 may add some.
"""
_SHOWN: Final = 20
_PYDANTIC: Final = "Value error, "  # before the messages of our own validators

_log = logging.getLogger(__name__)


api = DescribedAPI(
    renderer=PlainJson(),
    title="Damrak",
    version="1",
    description=DESCRIPTION.strip(),
    docs_url=None,
    urls_namespace="api",
)
for _part in PARTS:
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
    if problem.period is not None:
        wait = {"Retry-After": "600"}
        return Problem(429, "limit-reached", str(problem), "try again later", wait)
    return Problem(409, "limit-reached", str(problem), "ask the operators of this site for more")


def _invalid(problem: ValidationError) -> Problem:
    errors = [
        {
            "field": ".".join(str(part) for part in error.get("loc", ())[1:]),
            "problem": str(error.get("msg", "")).removeprefix(_PYDANTIC),
        }
        for error in problem.errors[:_SHOWN]
    ]
    first = errors[0] if errors else {"field": "", "problem": "is not valid"}
    named = first["field"].rpartition(".")[2] or "the request"
    return Problem(
        422,
        "invalid",
        f"{named}: {first['problem']}",
        "see /api/v1/openapi.json for valid requests",
        errors=errors,
    )


def _http(problem: HttpError) -> Problem:
    return Problem(problem.status_code, "refused", str(problem))


def _not_taken(problem: NotTaken) -> Problem:
    if isinstance(problem.message, ArchiveTooLarge):
        return Problem(413, "too-large", str(problem), "remove files that the bot does not need")
    cure = "see the page Uploading a bot for valid archives; `damrak submit` creates them"
    return Problem(422, "not-taken", str(problem), cure)


def _same_content(problem: SameContent) -> Problem:
    cure = "change the bot, or make that version live"
    return Problem(409, "same-content", str(problem), cure, version=problem.number)


def _conflict(code: str, cure: str) -> Callable[[Exception], Problem]:
    return lambda problem: Problem(409, code, str(problem), cure)


def _not_yours(problem: NotYours) -> Problem:
    return Problem(
        403, "not-yours", str(problem), "test one of your own versions or a live version"
    )


def _bad_bounds(problem: BadBounds) -> Problem:
    return Problem(
        422, "bad-bounds", str(problem), "use 0 and 30 to test whether a version is stronger"
    )


def _bad_tournament(problem: BadTournament) -> Problem:
    return Problem(422, "bad-tournament", str(problem), "docs/api.md describes the rules")


def _key_reused(problem: KeyReused | RequestKeyReused) -> Problem:
    return Problem(422, "key-reused", str(problem), "send a new Idempotency-Key")


def _not_allowed(problem: NotAllowed) -> Problem:
    return Problem(403, "not-allowed", str(problem), "ask one of the organisers")


def _refused(problem: Refused) -> Problem:
    return Problem(409, "not-possible", str(problem), english(problem.cure))


def _stale(problem: Stale) -> Problem:
    cure = "read it again, then repeat the change with its serial"
    return Problem(412, "stale", str(problem), cure, serial=problem.serial)


def _missing(problem: Http404) -> Problem:
    return Problem(404, "not-found", "this resource does not exist", "GET /api/v1/openapi.json")


def _no_tables(problem: DatabaseError) -> Problem:
    _log.error("database_trouble", exc_info=problem)
    cure = "try again; /healthz/ready has details"
    return Problem(503, "try-again", "the database does not answer", cure, {"Retry-After": "5"})


def _no_store(problem: StoreUnreachable) -> Problem:
    _log.error("store_unreachable", exc_info=problem)
    cure = "try again; /healthz has details"
    what = "archives and replays are unavailable"
    return Problem(503, "try-again", what, cure, {"Retry-After": "20"})


def _too_big(problem: RequestDataTooBig) -> Problem:
    return Problem(413, "too-large", "the body is too large", "send a smaller body")


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
_answers(RequestKeyReused, _key_reused)
_answers(KeyInUse, _conflict("key-in-use", "repeat the request in a moment"))
_answers(NameTaken, _conflict("name-taken", "choose another name"))
_answers(NotQualified, _conflict("not-qualified", "only qualified versions go live"))
_answers(
    NotPlayable,
    _conflict("not-playable", "choose a qualified version and a ladder that is open to it"),
)
_answers(NotYours, _not_yours)
_answers(BadBounds, _bad_bounds)
_answers(
    TooManyTrials,
    _conflict("limit-reached", "damrak trial --cancel ID; GET /api/v1/trials lists all tests"),
)
_answers(BadTournament, _bad_tournament)
_answers(KeyReused, _key_reused)
_answers(NotAllowed, _not_allowed)
_answers(NotEntered, _conflict("not-entered", "choose another bot, or ask the organiser"))
_answers(Pinned, _conflict("pinned", "wait until the tournament is over, or withdraw the bot"))
_answers(Refused, _refused)
_answers(Stale, _stale)
_answers(Overtaken, _conflict("overtaken", "reload the state, then decide again"))


@csrf_exempt  # nothing here can be changed by another site
def _nothing(request: HttpRequest, rest: str) -> HttpResponse:
    return answer_of(
        Problem(404, "not-found", f"there is no /api/v1/{rest}"[:200], "GET /api/v1/openapi.json")
    )


def _completed(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Return the view with HEAD, conditional requests, rate limits, and 405 answers in JSON."""

    @wraps(view)
    def complete(request: HttpRequest, *args: Any, **options: Any) -> HttpResponseBase:
        method = request.method
        if method == "HEAD":
            request.method = "GET"  # the server leaves out the body
            vars(request)["_is_head"] = True
        answer = view(request, *args, **options)
        if request.method == "GET":
            answer = not_modified(request, answer)
        request.method = method
        if answer.status_code == 405:
            allowed = answer.headers.get("Allow", "")
            detail = f"{method} is not allowed here, only {allowed}"
            answer = answer_of(Problem(405, "not-done", detail, headers={"Allow": allowed}))
        state_rate_limits(request, answer)
        return answer

    return complete


def urls() -> list[URLPattern | URLResolver]:
    """Return the URL patterns below /api/v1/."""
    found: list[URLPattern | URLResolver] = api.urls[0]
    for place in found:
        if isinstance(place, URLPattern):
            place.callback = _completed(place.callback)
    return [*found, re_path(r"^(?P<rest>[\s\S]*)\Z", _nothing)]  # also with line breaks

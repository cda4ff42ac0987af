"""The codes of all problems, and which operations answer with them.

    @router.get("/matches/{int:match_id}/replay", …)
    @refuses("not-found", "not-over")
    def replay(…)

Problems that do not depend on the operation are derived from its authentication and parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from ninja.operation import Operation

View = TypeVar("View", bound=Callable[..., Any])

KEY: Final = "x-damrak-problems"
"""The key of an operation's codes in `openapi_extra`; it is removed from the description."""

CODES: Final[dict[str, tuple[int, str]]] = {
    "refused": (400, "The request cannot be parsed."),
    "bad-length": (400, "`Content-Length` is not a number."),
    "authorization-pending": (400, "The user has not decided about the login yet."),
    "login-refused": (400, "The login was refused, or its code is unknown or expired."),
    "token-needed": (401, "There is no token, or it is not valid."),
    "scope-missing": (403, "The token lacks a scope."),
    "confirmation-needed": (
        403,
        "The token is not new enough for an act that needs a confirmation.",
    ),
    "not-yours": (403, "The object belongs to another user."),
    "role-missing": (403, "The owner of the token lacks a role."),
    "second-factor-needed": (403, "The owner's role is suspended until a second factor is set up."),
    "not-found": (404, "The object does not exist, or is not visible with this token."),
    "no-bundle": (404, "There is no bundle for this seat."),
    "not-analysed": (404, "No analysis of this match was requested."),
    "not-done": (405, "The method is not supported here."),
    "too-slow": (408, "The body took too long."),
    "not-over": (409, "The match is not recorded."),
    "same-content": (409, "An earlier version has the same content."),
    "name-taken": (409, "Another bot has this name."),
    "not-qualified": (409, "The version is not qualified."),
    "overtaken": (409, "The object was changed in the meantime."),
    "limit-reached": (409, "A limit on the number of objects is reached."),
    "not-playable": (409, "The versions cannot play on this ladder."),
    "not-admitted": (409, "The ladder does not admit this bot."),
    "bot-away": (409, "The remote bot is not connected."),
    "table-full": (409, "Every seat for a person is taken."),
    "not-open": (409, "The question, advice or prediction is not open, or not any more."),
    "last-administrator": (409, "No administrator would be left."),
    "not-dead": (409, "The block is not dead."),
    "not-quarantined": (409, "The host is not in quarantine."),
    "no-webhook": (409, "The user has no webhook."),
    "too-many-tokens": (409, "The user has the maximum number of tokens."),
    "key-in-use": (409, "A request with this idempotency key is still running."),
    "token-too-old": (410, "The changes after this token were deleted after their retention."),
    "log-forgotten": (410, "The log was deleted after its retention period."),
    "changed": (412, "The object differs from the one in `If-Match`."),
    "too-large": (413, "The body is too large."),
    "not-an-archive": (415, "The body is a form."),
    "invalid": (422, "A parameter or the body is not valid; `errors` lists each field."),
    "bad-cursor": (422, "The cursor is not one of this list with these filters."),
    "bad-token": (422, "The token of the stream is not one of this site."),
    "bad-fields": (422, "`fields` names an unknown field."),
    "bad-key": (422, "The idempotency key is not valid."),
    "key-reused": (422, "The idempotency key was used for another request."),
    "not-taken": (422, "The archive breaks a rule."),
    "bad-name": (422, "The name is not valid."),
    "bad-choice": (422, "There is no such bot, board or number of seats for a table."),
    "bad-bounds": (422, "The bounds of the test are not valid."),
    "bad-webhook": (409, "The address cannot be used: its host is unknown or not public."),
    "too-often": (429, "A rate limit is reached; retry after `Retry-After` seconds."),
    "too-many-streams": (429, "Too many streams are open; retry after `Retry-After` seconds."),
    "not-allowed": (403, "The user is not an organiser of the tournament or league."),
    "not-possible": (409, "The state of the tournament does not permit this."),
    "not-entered": (409, "The bot does not meet the conditions of entry, or does not take part."),
    "pinned": (409, "The bot plays in a tournament with a fixed version."),
    "no-trf": (409, "There is no stage for two players that has begun."),
    "bad-serial": (400, "`If-Match` is not the serial of a tournament or league."),
    "stale": (412, "The object has a newer serial than the one in `If-Match`."),
    "bad-tournament": (422, "A field of the tournament or league is not valid."),
    "serial-needed": (428, "A change states the serial that it is based on, in `If-Match`."),
    "replay-damaged": (500, "The stored replay is damaged or lost."),
    "try-again": (503, "A part of the site is not available; retry after `Retry-After` seconds."),
}
"""The status of each code, and its meaning."""


def refuses(*codes: str) -> Callable[[View], View]:
    """Return a decorator that declares problems of an operation, in addition to derived ones."""
    assert set(codes) <= set(CODES), set(codes) - set(CODES)

    def declare(operation: Operation) -> None:
        extra = dict(operation.openapi_extra or {})
        extra[KEY] = [*extra.get(KEY, ()), *codes]
        operation.openapi_extra = extra

    def decorate(view: View) -> View:
        declared = getattr(view, "_ninja_contribute_to_operation", [])
        view._ninja_contribute_to_operation = [*declared, declare]  # type: ignore[attr-defined]
        return view

    return decorate

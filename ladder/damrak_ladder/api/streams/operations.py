"""API of streams: changes of the whole site, and the feed of a tournament."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse
from ninja import Field, Query, Router, Schema
from typing_extensions import TypeAliasType

from damrak_ladder.accounts.models import ApiToken, User
from damrak_ladder.api.access import address_of, everybody_by_name
from damrak_ladder.api.answers import OPEN
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.lists.exports import streamed
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.streams.frames import Encoding
from damrak_ladder.api.streams.handover import hand_over
from damrak_ladder.api.streams.hub import HUB
from damrak_ladder.api.streams.subscription import Request, past
from damrak_ladder.api.streams.viewers import user_of, viewer_of
from damrak_ladder.bots.models import Bot
from damrak_ladder.changes.positions import reach
from damrak_ladder.changes.tokens import BadToken, position_of
from damrak_ladder.events.values import EventType, Filter, Topic
from damrak_ladder.matches.models import Ladder
from damrak_ladder.tournaments.access import visible_tournaments

FULL_SECONDS: Final = 30
"""The time after which clients that were refused may try again."""

Name = Annotated[str, Field(max_length=150, pattern=STORABLE)]
StreamTopic = TypeAliasType(
    "StreamTopic", Literal["matches", "queue", "standings", "tournaments", "bots"]
)
"""A subject of events."""
StreamEnd = TypeAliasType(
    "StreamEnd",
    Annotated[str, Field(json_schema_extra={"enum": ["shutdown", "tournament-over", "caught-up"]})],
)
"""The reason why a stream ends."""
StreamType = TypeAliasType(
    "StreamType",
    Annotated[
        str,
        Field(json_schema_extra={"enum": ["open", "heartbeat", "end", *map(str, EventType)]}),
    ],
)
"""The type of a message."""


class StreamMessage(Schema):
    """A message of a stream: an event, or one about the stream itself."""

    token: str = Field(description="Continues the stream after this message.")
    type: StreamType
    at: str | None = Field(None, description="When it happened.")
    block: int | None = None
    matches: list[int] | None = Field(None, description="The matches of the block.")
    ladder: str | None = None
    tournament: str | None = None
    version: int | None = None
    bots: list[str] | None = None
    reason: StreamEnd | None = None


class FeedQuery(Schema):
    """Where a stream begins and how it ends."""

    since_token: Name = Field(
        "", description="Only what follows this token; by default what happens from now on."
    )
    follow: bool = Field(True, description="`false` ends the stream when it has caught up.")


class StreamQuery(FeedQuery):
    """What a stream contains; all filters must hold."""

    topic: Annotated[list[StreamTopic], Field(max_length=len(Topic))] = Field(
        default_factory=list, description="Topics of which one must match; by default all."
    )
    ladder: Name = Field("", description="A ladder by its slug.")
    bot: Name = Field("", description="A bot by its slug.")
    owner: Name = Field("", description="An author, whose bots take part.")
    tournament: Name = Field("", description="A tournament by its slug.")


def _schemas() -> dict[str, Any]:
    """Return the schema of messages and its named types, as no answer is a single message."""
    found = StreamMessage.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**found.pop("$defs", {}), StreamMessage.__name__: found}


_ANSWER: Final[dict[str, Any]] = {
    "x-damrak-schemas": _schemas(),
    "responses": {
        200: {
            "content": {
                Encoding.NDJSON.value: {"schema": {"$ref": "#/components/schemas/StreamMessage"}},
                Encoding.SSE.value: {"schema": {"type": "string"}},
            }
        }
    },
}

router = Router(tags=["streams"])


@router.get(
    "/stream",
    auth=everybody_by_name,
    operation_id="stream_events",
    summary="Changes as they happen",
    openapi_extra=_ANSWER,
)
@refuses("not-found", "bad-token", "token-too-old", "too-many-streams")
def stream(request: HttpRequest, query: Query[StreamQuery]) -> StreamingHttpResponse:
    """Stream the events of matches, queue, standings, tournaments and bots.

    With `Accept: text/event-stream` they are server-sent events, otherwise lines of JSON. The
    header `Last-Event-ID` takes precedence over `since_token`.
    """
    _check_names(request, query)
    wanted = Filter(
        topics=frozenset(Topic(one) for one in query.topic),
        ladder=query.ladder,
        tournament=query.tournament,
        bot=query.bot,
        owner=query.owner.casefold(),
    )
    return _answer(request, query, wanted)


@router.get(
    "/tournaments/{slug:slug}/feed",
    auth=everybody_by_name,
    operation_id="stream_tournament",
    summary="Changes of a tournament as they happen",
    openapi_extra=_ANSWER,
)
@refuses("not-found", "bad-token", "token-too-old", "too-many-streams")
def feed(request: HttpRequest, slug: str, query: Query[FeedQuery]) -> StreamingHttpResponse:
    """Stream the events of one tournament; its last message is sent when it is over."""
    _check_tournament(request, slug)
    return _answer(request, query, Filter(tournament=slug), feed=slug)


def _answer(
    request: HttpRequest, query: FeedQuery, wanted: Filter, feed: str = ""
) -> StreamingHttpResponse:
    token = getattr(request, "auth", None)
    has_token = isinstance(token, ApiToken)
    asked = Request(
        encoding=_encoding(request),
        wanted=wanted,
        after=_start(request, query),
        viewer=viewer_of(token) if isinstance(token, ApiToken) else None,
        address=address_of(request),
        feed=feed,
    )
    # A server without a hub, and HEAD, get what there is.
    is_handed_over = False
    if query.follow and not request.__dict__.get("_is_head"):
        if HUB.is_full(asked.address, settings.DAMRAK_WATCHERS_PER_ADDRESS):
            raise _too_many()
        is_handed_over = hand_over(request, asked)
    answer = streamed(request, iter(()) if is_handed_over else past(asked))
    if not has_token:
        for name, value in OPEN.items():
            answer[name] = value
    answer["Content-Type"] = asked.encoding.value
    answer["Cache-Control"] = "no-store"
    answer["Vary"] = "Accept"
    answer["X-Accel-Buffering"] = "no"  # proxies must pass on each message at once
    return answer


def _start(request: HttpRequest, query: FeedQuery) -> int:
    """Return the position after which the stream begins."""
    last, forgotten = reach()
    name, token = "Last-Event-ID", request.headers.get("Last-Event-ID", "")
    if not token:
        name, token = "since_token", query.since_token
    if not token:
        return last
    cure = "leave it out, and read the present state from the other operations"
    try:
        position = position_of(token)
    except BadToken as problem:
        raise Problem(422, "bad-token", f"{name}: {problem}", cure) from None
    if position > last:
        detail = f"{name}: this token is ahead of the log, which was restored from a backup"
        raise Problem(422, "bad-token", detail, cure)
    if position < forgotten:
        days = settings.DAMRAK_KEEPING.changes
        detail = f"{name}: this token is too old; changes are kept for {days} days"
        raise Problem(410, "token-too-old", detail, cure)
    return position


def _encoding(request: HttpRequest) -> Encoding:
    accepted = [
        kind.partition(";")[0].strip().lower()
        for kind in request.headers.get("Accept", "").split(",")
    ]
    return Encoding.SSE if Encoding.SSE.value in accepted else Encoding.NDJSON


def _check_names(request: HttpRequest, query: StreamQuery) -> None:
    """Check that what the filters name exists, as such a stream would stay silent.

    Raises:
        Problem
    """
    if query.ladder and not Ladder.objects.filter(slug=query.ladder).exists():
        raise not_found(f"ladder {query.ladder}", "GET /api/v1/ladders lists them")
    if query.bot and not Bot.objects.filter(slug=query.bot).exists():
        raise not_found(f"bot {query.bot}", "GET /api/v1/bots lists them")
    if query.owner and not User.objects.filter(username__iexact=query.owner).exists():
        raise not_found(f"author {query.owner}", "GET /api/v1/search?q=NAME finds authors")
    if query.tournament:
        _check_tournament(request, query.tournament)


def _check_tournament(request: HttpRequest, slug: str) -> None:
    token = getattr(request, "auth", None)
    user = user_of(viewer_of(token)) if isinstance(token, ApiToken) else None
    if "\0" in slug or not visible_tournaments(user).filter(slug=slug).exists():
        raise not_found(f"tournament {slug}", "GET /api/v1/tournaments lists them")


def _too_many() -> Problem:
    wait = {"Retry-After": str(FULL_SECONDS)}
    detail = "there are too many open streams, of this address or in all"
    return Problem(429, "too-many-streams", detail, f"wait {FULL_SECONDS} s", wait)

"""API of what the caller follows."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Router, Schema, Status
from typing_extensions import TypeAliasType

from damrak_ladder.api.access import READ, SETTINGS, caller
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.follows.models import Subject
from damrak_ladder.follows.registry import MOST, follow, followed_by, target_of, unfollow

FollowSubject = TypeAliasType("FollowSubject", Literal["bot", "author", "ladder", "tournament"])

router = Router(tags=["account"])


class FollowShape(Schema):
    """Something that the caller follows."""

    subject: FollowSubject
    name: str
    """The name in its address."""
    title: str


@router.get(
    "/me/follows",
    auth=READ,
    response=list[FollowShape],
    operation_id="list_follows",
    summary="What you follow",
)
def list_follows(request: HttpRequest, response: HttpResponse) -> list[FollowShape]:
    """List the bots, authors, ladders and tournaments that the caller follows, newest first."""
    set_private(response)
    return [
        FollowShape(subject=str(one.subject), name=one.name, title=one.title)  # type: ignore[arg-type]
        for one in followed_by(caller(request))
    ]


@router.put(
    "/me/follows/{str:subject}/{str:name}",
    auth=SETTINGS,
    response={204: None},
    operation_id="follow",
    summary="Follow something",
)
@refuses("not-found", "limit-reached")
def begin(
    request: HttpRequest, subject: Annotated[FollowSubject, Path()], name: str
) -> Status[None]:
    """Notify the caller of news about this from now on; following it again has no effect."""
    kind = Subject(subject)
    if target_of(kind, name) is None:
        raise not_found(f"{subject} {name}", "`name` is the one in the address of its page")
    if not follow(caller(request), kind, name, timezone.now()):
        problem = f"you follow {MOST} things, which is the maximum"
        raise Problem(409, "limit-reached", problem, "end one of them with DELETE")
    return Status(204, None)


@router.delete(
    "/me/follows/{str:subject}/{str:name}",
    auth=SETTINGS,
    response={204: None},
    operation_id="unfollow",
    summary="Follow something no longer",
)
def end(request: HttpRequest, subject: Annotated[FollowSubject, Path()], name: str) -> Status[None]:
    """Stop news about this; without effect if the caller does not follow it."""
    unfollow(caller(request), Subject(subject), name)
    return Status(204, None)

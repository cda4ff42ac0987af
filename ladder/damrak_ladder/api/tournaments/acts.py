"""The operations that change tournaments: creation, entries, and acts of organisers."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Status

from damrak_ladder.api.access import RUN, SUBMIT, caller, own_bot
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.conditional import stated_serial, tag_with_serial
from damrak_ladder.api.description.openapi import HEADERS
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.idempotency import HEADER, idempotent, key_of
from damrak_ladder.api.requests import Body
from damrak_ladder.api.tournaments import answers, kinds
from damrak_ladder.api.tournaments.details import PATH
from damrak_ladder.api.tournaments.organisers import router
from damrak_ladder.api.tournaments.rules import GivenRules
from damrak_ladder.api.tournaments.viewers import seen_tournament
from damrak_ladder.tournaments import desk, documents
from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.entrants import enter, leave
from damrak_ladder.tournaments.log.acts import Kind

LONGEST_KEY: Final = 80
"""The length of keys in the log; longer ones are stored as a hash."""


class NewTournament(Body):
    """A new tournament, which begins as a draft."""

    slug: Annotated[str, Field(max_length=40, pattern=r"^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$")]
    name: Annotated[str, Field(min_length=1, max_length=60, pattern=STORABLE)]
    summary: Annotated[str, Field(max_length=300, pattern=STORABLE)] = ""
    rules: GivenRules


class NewEntry(Body):
    """The entry of an own bot."""

    bot: kinds.Slug
    invitation: Annotated[str, Field(max_length=80, pattern=STORABLE)] = ""


class NewAct(Body):
    """An act of an organiser. `dry_run` returns its changes without making them."""

    kind: kinds.ActKind
    payload: kinds.ActPayload = Field(default_factory=dict)
    dry_run: bool = False
    reason: Annotated[str, Field(max_length=500, pattern=STORABLE)] = ""
    public: bool = True
    undoes: Annotated[int, Field(ge=1, le=kinds.MOST)] | None = None


@router.post(
    "/tournaments",
    auth=RUN,
    response={201: answers.TournamentShape},
    operation_id="create_tournament",
    summary="Create a tournament",
    exclude_unset=True,
    openapi_extra={"x-damrak-headers": ("Location", "ETag")},
)
@refuses("not-allowed", "bad-tournament")
@idempotent(RUN)
def create_tournament(
    request: HttpRequest, response: HttpResponse, new: NewTournament
) -> Status[dict[str, Any]]:
    """Create a tournament as a draft; the acts `open`, `close` and `start` take it further."""
    set_private(response)
    plan = Plan(new.slug, new.name, new.rules, new.summary)
    made = create(caller(request), plan, timezone.now())
    response["Location"] = f"/api/v1/tournaments/{made.slug}"
    tag_with_serial(request, response, made.serial)
    return Status(201, documents.tournament_json(made, disclosed(made, caller(request))))


@router.post(
    f"{PATH}/entrants",
    auth=SUBMIT,
    response={201: list[answers.EntrantShape]},
    operation_id="enter_tournament",
    summary="Enter a bot in a tournament",
)
@refuses("not-yours", "not-entered", "not-possible")
@idempotent(SUBMIT)
def enter_tournament(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, new: NewEntry
) -> Status[list[dict[str, Any]]]:
    """Enter an own bot; return all entrants."""
    found, _ = seen_tournament(request, response, slug)
    user = caller(request)
    enter(found, own_bot(user, new.bot), user, timezone.now(), new.invitation)
    return Status(201, documents.entrants_json(found, disclosed(found, user)))


@router.delete(
    f"{PATH}/entrants/{{slug:bot}}",
    auth=SUBMIT,
    response=list[answers.EntrantShape],
    operation_id="withdraw_from_tournament",
    summary="Withdraw a bot from a tournament",
)
@refuses("not-yours", "not-entered", "not-possible")
def withdraw_from_tournament(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, bot: kinds.Slug
) -> list[dict[str, Any]]:
    """Withdraw an own bot. Its open pairings are lost; those that are decided stay."""
    found, _ = seen_tournament(request, response, slug)
    user = caller(request)
    leave(found, own_bot(user, bot), user, timezone.now())
    return documents.entrants_json(found, disclosed(found, user))


@router.post(
    f"{PATH}/acts",
    auth=RUN,
    response=answers.ActAnswer,
    operation_id="act_on_tournament",
    summary="An act of an organiser, or its preview",
    exclude_unset=True,
    openapi_extra={HEADERS: ("If-Match-Serial", HEADER), "x-damrak-headers": ("ETag",)},
)
@refuses("not-allowed", "bad-serial", "serial-needed", "stale", "not-possible", "bad-key")
@refuses("key-reused")
def act_on_tournament(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, new: NewAct
) -> dict[str, Any]:
    """Perform an act of an organiser, or preview it with `dry_run`.

    The header `If-Match` has the serial that the act is based on: 412 if the tournament has changed
    since. A request that is repeated with the same `Idempotency-Key` has no further effect.
    """
    found, _ = seen_tournament(request, response, slug)
    is_open = new.dry_run and "If-Match" not in request.headers
    asked = desk.Request(
        kind=Kind(new.kind),
        payload=new.payload,
        actor=caller(request),
        serial=None if is_open else stated_serial(request, what="an act"),
        key=_key(request),
        reason=new.reason,
        is_public=new.public,
        undoes=new.undoes,
    )
    do = desk.preview if new.dry_run else desk.perform
    answer = do(found, asked, timezone.now())
    tag_with_serial(request, response, found.serial)
    return {
        "serial": answer.serial,
        "kind": new.kind,
        "payload": dict(answer.payload),
        "changes": dict(answer.changes),
        "dry_run": answer.is_preview,
        "repeated": answer.is_repeated,
    }


def _key(request: HttpRequest) -> str:
    key = key_of(request) or ""
    return key if len(key) <= LONGEST_KEY else hashlib.sha256(key.encode()).hexdigest()

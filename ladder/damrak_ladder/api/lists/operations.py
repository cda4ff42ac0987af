"""API of lists of matches and blocks, and of single blocks."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from ninja import Query, Router, Schema
from pydantic import ConfigDict

from damrak_ladder.accounts.models import ApiToken, Role
from damrak_ladder.accounts.roles import may_act_as
from damrak_ladder.api.access import any_token_or_none, everybody_by_name
from damrak_ladder.api.answers import as_json
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.lists.exports import CONTENT_TYPE, export, wants_export
from damrak_ladder.api.lists.filters import FieldNames, PlayedFilter, chosen_from
from damrak_ladder.api.lists.luck import MirroredLuck, luck_of
from damrak_ladder.api.lists.pages import BLOCKS, MATCHES, PlayedList, page
from damrak_ladder.api.pagination import link_to_next
from damrak_ladder.api.problems import not_found
from damrak_ladder.api.shapes import BlockShape, MatchShape, block_shape
from damrak_ladder.api.tournaments.viewers import set_cached, viewer_of
from damrak_ladder.matches.models import Attempt, Block, Match
from damrak_ladder.message_codes.wording import english
from damrak_ladder.tournaments.visibility import passed, visible_blocks

ATTEMPTS: Final = 20


def _only_id(schema: dict[str, Any]) -> None:
    schema["required"] = ["id"]


class ListedMatch(MatchShape):
    """A match, or the selected fields of it."""

    model_config = ConfigDict(json_schema_extra=_only_id)


class ListedBlock(BlockShape):
    """A block, or the selected fields of it."""

    model_config = ConfigDict(json_schema_extra=_only_id)


class MatchFilter(PlayedFilter):
    """Filters of matches."""

    fields: FieldNames = chosen_from(MatchShape)


class BlockFilter(PlayedFilter):
    """Filters of blocks."""

    fields: FieldNames = chosen_from(BlockShape)


class MatchPage(Schema):
    """Matches, newest first; without a `next_cursor` there are no more."""

    items: list[ListedMatch]
    next_cursor: str | None


class BlockPage(Schema):
    """Blocks, newest first; without a `next_cursor` there are no more."""

    items: list[ListedBlock]
    next_cursor: str | None


class AttemptShape(Schema):
    """An attempt to play a block; `detail` is for organisers only."""

    number: int
    host: str | None
    started: datetime
    ended: datetime | None
    outcome: str
    detail: str | None


class BlockInFull(BlockShape):
    """A block with its latest attempts."""

    attempts: list[AttemptShape]
    luck: MirroredLuck | None
    """Null if the cards of its games differ, or if it has no result yet."""


def _exportable(name: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"responses": {200: {"content": {CONTENT_TYPE: {"schema": schema}}}}}


router = Router(tags=["matches"])


@router.get(
    "/matches",
    auth=any_token_or_none,
    response=MatchPage,
    operation_id="list_matches",
    summary="Matches by any filter",
    openapi_extra=_exportable("ListedMatch"),
)
@refuses("not-found", "bad-cursor", "bad-fields")
def list_matches(
    request: HttpRequest, response: HttpResponse, wanted: Query[MatchFilter]
) -> HttpResponseBase:
    """List matches, newest first, in pages or, with `Accept: application/x-ndjson`, all of them.

    A page may have fewer items than its limit although more follow: only a missing `next_cursor`
    is the end of the list. With a token, matches are listed that its owner may see and others
    may not.
    """
    return _answer(request, response, MATCHES, wanted)


@router.get(
    "/blocks",
    auth=any_token_or_none,
    response=BlockPage,
    operation_id="list_blocks",
    summary="Blocks by any filter",
    openapi_extra=_exportable("ListedBlock"),
)
@refuses("not-found", "bad-cursor", "bad-fields")
def list_blocks(
    request: HttpRequest, response: HttpResponse, wanted: Query[BlockFilter]
) -> HttpResponseBase:
    """List blocks like matches. The result of a side is by its share of first places."""
    return _answer(request, response, BLOCKS, wanted)


@router.get(
    "/blocks/{int:block_id}",
    auth=everybody_by_name,
    response=BlockInFull,
    operation_id="get_block",
    summary="A block",
)
def get_block(request: HttpRequest, response: HttpResponse, block_id: int) -> BlockInFull:
    """Return a block with its matches, its result and its latest attempts.

    Hidden blocks of a tournament are shown to tokens of its organisers with a scope for them.
    """
    found, matches = find_block(request, block_id)
    token = getattr(request, "auth", None)
    is_trusted = isinstance(token, ApiToken) and may_act_as(token.owner, Role.ORGANISER)
    set_cached(request, response, 10)
    return BlockInFull(
        **block_shape(found, matches).model_dump(),
        attempts=_attempts(found, is_trusted),
        luck=luck_of(found, matches),
    )


def find_block(request: HttpRequest, block_id: int) -> tuple[Block, list[Match]]:
    """Return a block that the caller may see, and its matches in their order.

    Raises:
        Problem: there is none with this id, or it is hidden.
    """
    full = (
        visible_blocks(viewer_of(request))
        .select_related("ladder")
        .prefetch_related("matches__seats__version__bot__owner", "matches__seats__result")
    )
    found = full.filter(pk=block_id).first()
    if found is None:
        raise not_found(f"block {block_id}", "GET /api/v1/blocks lists them")
    matches = sorted(found.matches.all(), key=lambda match: match.number)
    for match in matches:
        match.block = found
    return found, matches


def _answer(
    request: HttpRequest, response: HttpResponse, of: PlayedList, wanted: PlayedFilter
) -> HttpResponseBase:
    viewer = viewer_of(request)
    set_cached(request, response, 5)
    patch_vary_headers(response, ["Accept"])
    if wants_export(request):
        answer = export(request, of, wanted, viewer)
        for name, value in response.items():
            if name != "Content-Type":
                answer[name] = value
        return answer
    found = page(of, wanted, viewer)
    if found.next_cursor is not None:
        link_to_next(request, response, cursor=found.next_cursor)
    return as_json({"items": found.items, "next_cursor": found.next_cursor}, response)


def _attempts(block: Block, is_trusted: bool) -> list[AttemptShape]:
    found = passed(Attempt).filter(block=block).select_related("host").order_by("-number")
    return [
        AttemptShape(
            number=one.number,
            host=None if one.host is None else one.host.name,
            started=one.started,
            ended=one.ended,
            outcome=one.outcome,
            detail=english(one.detail) if is_trusted else None,
        )
        for one in found[:ATTEMPTS]
    ]

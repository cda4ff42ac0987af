"""Filters of matches and blocks, and their conditions on blocks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from ninja import Field, Schema

from damrak_ladder.api import filter_types
from damrak_ladder.api.filter_types import STORABLE, Moment
from damrak_ladder.api.lists.cursors import LONGEST
from damrak_ladder.api.problems import not_found
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import BlockState, Ladder, Seat
from damrak_ladder.tournaments.access import Viewer
from damrak_ladder.tournaments.visibility import passed

Text = Annotated[str, Field(max_length=150, pattern=STORABLE)]
Seats = Annotated[int | None, Field(ge=2, le=4)]
Key = Annotated[int | None, Field(ge=1, le=(1 << 63) - 1)]

MOST: Final = 200

FieldNames = Annotated[str, Field(max_length=300)]


def chosen_from(shape: type[Schema]) -> Any:
    """Return the parameter `fields` of a list: names of fields of this shape."""
    name = f" *({'|'.join(shape.model_fields)}) *"
    return Field(
        "",
        description="The fields of each item, separated by commas; by default all.",
        json_schema_extra={"pattern": f"^({name}(,{name})*)?$"},
    )


class PlayedFilter(Schema):
    """Filters of matches and blocks; all of them must hold. Each list declares its `fields`."""

    bot: Text = Field("", description="A bot by its slug.")
    version: Key = Field(None, description="The id of a version.")
    owner: Text = Field("", description="The owner of a bot.")
    opponent: Text = Field("", description="Another bot at the table.")
    ladder: Text = Field("", description="A ladder by its slug.")
    board: Text = Field("", description="The name of a board.")
    seats: Seats = Field(None, description="The number of players at the table.")
    purpose: filter_types.Purpose | None = Field(None, description="What was played for.")
    state: filter_types.BlockState = Field("recorded", description="The state of the block.")
    since: Moment | None = Field(None, description="Finished at this time or later.")
    until: Moment | None = Field(None, description="Finished before this time.")
    result: filter_types.Result | None = Field(
        None, description="The result of `bot`, `version` or `owner`; without them, of the winner."
    )
    fault: Text = Field(
        "", description="`any`, `none`, or the reason of a fault, of these bots or of anyone."
    )
    fields: FieldNames = ""
    cursor: Annotated[str, Field(max_length=LONGEST)] = Field(
        "", description="The `next_cursor` of the previous page."
    )
    limit: Annotated[int, Field(ge=1, le=MOST)] = Field(
        50, description="The maximum number of items; exports have no limit."
    )


@dataclass(frozen=True, slots=True)
class Selection:
    """What to list: blocks that meet a condition, of these versions if they are given.

    Only blocks that the viewer may see are listed; None stands for a visitor.
    """

    condition: Q
    ladder: Ladder | None
    versions: QuerySet[Version] | None
    state: str
    since: datetime | None
    until: datetime | None
    viewer: Viewer


def selection_of(wanted: PlayedFilter, viewer: Viewer) -> Selection:
    """Return the selection for these filters and this viewer.

    Raises:
        Problem: there is no such ladder.
    """
    ladder = None
    if wanted.ladder:
        ladder = Ladder.objects.filter(slug=wanted.ladder).first()
        if ladder is None:
            raise not_found(f"ladder {wanted.ladder}", "GET /api/v1/ladders lists them")
    versions = versions_of(wanted)
    condition = Q(state=wanted.state)
    if ladder is not None:
        condition &= Q(ladder=ladder)
    if wanted.board:
        condition &= Q(board=wanted.board)
    if wanted.purpose is not None:
        condition &= Q(purpose=wanted.purpose)
    if wanted.since is not None:
        condition &= Q(finished__gte=wanted.since)
    if wanted.until is not None:
        condition &= Q(finished__lt=wanted.until)
    if wanted.seats is not None:
        condition &= Q(Exists(_sat(number=wanted.seats - 1)))
        condition &= ~Q(Exists(_sat(number=wanted.seats)))
    if wanted.opponent and (wanted.bot or wanted.version or wanted.owner):
        condition &= Q(Exists(_sat(version__bot__slug=wanted.opponent)))
    if wanted.fault and wanted.fault != "none":
        condition &= _has_fault(wanted.fault, versions)
    return Selection(condition, ladder, versions, wanted.state, wanted.since, wanted.until, viewer)


def versions_of(wanted: PlayedFilter) -> QuerySet[Version] | None:
    """Return the versions whose matches are wanted, or None for all."""
    found = Version.objects.all()
    if not (wanted.bot or wanted.version or wanted.owner or wanted.opponent):
        return None
    if wanted.bot:
        found = found.filter(bot__slug=wanted.bot)
    if wanted.version is not None:
        found = found.filter(pk=wanted.version)
    if wanted.owner:
        found = found.filter(bot__owner__username__iexact=wanted.owner)
    if not (wanted.bot or wanted.version or wanted.owner):
        found = found.filter(bot__slug=wanted.opponent)
    return found


def _sat(**seat: object) -> QuerySet[Seat]:
    """Return such seats of a block; the same versions sit in all of its matches."""
    return passed(Seat).filter(match__block=OuterRef("pk"), match__number=0, **seat)


def _has_fault(reason: str, versions: QuerySet[Version] | None) -> Q:
    seats = passed(Seat).filter(match__block=OuterRef("pk"), result__isnull=False)
    if versions is not None:
        seats = seats.filter(version__in=versions)
    faulty = seats.exclude(result__fault="")
    return Q(Exists(faulty if reason == "any" else seats.filter(result__fault=reason)))


def is_recorded(state: str) -> bool:
    """Return whether blocks of this state are ordered by the time of their end."""
    return state == BlockState.RECORDED

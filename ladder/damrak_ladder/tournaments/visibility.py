"""The gate: who may see which blocks, matches and seats. All that is shown passes through here.

Blocks of ladders are public. A block of a tournament is visible to organisers of the tournament, to
the owners of its entrants once its pairing is released to them, and to everyone once it is public.
In a private tournament "everyone" are its entrants. What is hidden is indistinguishable from what
does not exist.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from damrak_ladder.accounts.models import Role
from damrak_ladder.accounts.roles import may_act_as
from damrak_ladder.matches.models import (
    Attempt,
    Block,
    Fault,
    Match,
    MatchTimings,
    Seat,
    SeatLog,
    SeatResult,
)
from damrak_ladder.tournaments.access import Viewer, user_of
from damrak_ladder.tournaments.log.values import Phase, Release
from damrak_ladder.tournaments.models import PairingBlock, PairingEntrant, Tournament

M = TypeVar("M", bound=Model)

GATED: Final[dict[type[Model], str]] = {
    Block: "pk",
    Attempt: "block",
    Match: "block",
    Seat: "match__block",
    SeatResult: "seat__match__block",
    SeatLog: "seat__match__block",
    MatchTimings: "match__block",
    Fault: "attempt__block",
}
"""The tables behind the gate, each with the path to its block."""


def visible_blocks(viewer: Viewer) -> QuerySet[Block, Block]:
    """Return the blocks that this viewer may see."""
    return visible(Block, viewer)


def visible_matches(viewer: Viewer) -> QuerySet[Match, Match]:
    """Return the matches of the blocks that this viewer may see."""
    return visible(Match, viewer)


def visible_seats(viewer: Viewer) -> QuerySet[Seat, Seat]:
    """Return the seats of the blocks that this viewer may see."""
    return visible(Seat, viewer)


def visible(model: type[M], viewer: Viewer) -> QuerySet[M, M]:
    """Return the rows of a table behind the gate that this viewer may see."""
    return seen_by(viewer, model._default_manager.all())


def seen_by(viewer: Viewer, rows: QuerySet[M, M]) -> QuerySet[M, M]:
    """Return those of these rows that this viewer may see; None stands for a visitor.

    The condition is one probe of an index per row, so that it does not depend on how much has been
    played.
    """
    user = user_of(viewer)
    if user is not None and may_act_as(user, Role.STAFF):
        return rows
    path = GATED[rows.model]
    hidden = PairingBlock.objects.filter(~_released_to(viewer), block=OuterRef(path))
    return rows.filter(~Exists(hidden))


def passed(model: type[M]) -> QuerySet[M, M]:
    """Return all rows of a table, for details of blocks that have passed the gate already."""
    return model._default_manager.all()


def blocks_under_way() -> QuerySet[Any, Any]:
    """Return the blocks of tournaments that have not ended, whose data must be kept."""
    ended = (Phase.FINAL, Phase.CANCELLED)
    rows = PairingBlock.objects.exclude(tournament__phase__in=ended)
    return rows.values("block")


def _released_to(viewer: Viewer) -> Q:
    user = user_of(viewer)
    is_private = Q(tournament__visibility="private")
    is_public = Q(pairing__release=Release.PUBLIC)
    if user is None:
        return is_public & ~is_private
    entered = Tournament.objects.filter(entrants__owner=user).values("pk")
    own = PairingEntrant.objects.filter(entrant__owner=user).values("pairing")
    seen = is_public & (~is_private | Q(tournament__in=entered))
    seen |= Q(pairing__release=Release.ENTRANTS, pairing__in=own)
    if may_act_as(user, Role.ORGANISER):
        organised = Tournament.objects.filter(Q(owner=user) | Q(organisers__user=user))
        seen |= Q(tournament__in=organised.values("pk"))
    return seen

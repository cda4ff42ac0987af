"""Permissions: who may run a tournament or edit a league, and who may see that one exists."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import may_act_as
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import League, Tournament

Viewer = Any
"""A user, or None or an anonymous user for a visitor."""


def user_of(viewer: Viewer) -> User | None:
    """Return the signed-in user; None for a visitor."""
    return viewer if isinstance(viewer, User) and viewer.is_active else None


def may_create(user: User) -> bool:
    """Return whether the user may create tournaments."""
    return may_act_as(user, Role.ORGANISER)


def may_run(viewer: Viewer, tournament: Tournament) -> bool:
    """Return whether the viewer is an organiser of this tournament, or staff."""
    user = user_of(viewer)
    if user is None:
        return False
    if may_act_as(user, Role.STAFF):
        return True
    is_listed = tournament.owner_id == user.pk or (tournament.organisers.filter(user=user).exists())
    return is_listed and may_act_as(user, Role.ORGANISER)


def may_edit_league(viewer: Viewer, league: League) -> bool:
    """Return whether the viewer owns the league, organises its last season, or is staff."""
    user = user_of(viewer)
    if user is None:
        return False
    if may_act_as(user, Role.STAFF):
        return True
    if not may_act_as(user, Role.ORGANISER):
        return False
    if league.owner_id == user.pk:
        return True
    seasons = Tournament.objects.filter(league=league).exclude(phase=Phase.CANCELLED)
    last = seasons.order_by("-season").first()
    return last is not None and may_run(user, last)


def visible_tournaments(viewer: Viewer) -> QuerySet[Tournament]:
    """Return the tournaments that the viewer may open by their address."""
    user = user_of(viewer)
    every = Tournament.objects.all()
    if user is not None and may_act_as(user, Role.STAFF):
        return every
    seen = ~Q(visibility="private") & ~Q(phase="draft")
    if user is not None:
        mine = Q(owner=user) | Q(pk__in=_organised(user))
        seen |= mine | Q(pk__in=_entered(user))
    return every.filter(seen)


def listed_tournaments(viewer: Viewer) -> QuerySet[Tournament]:
    """Return the tournaments that lists show to the viewer; unlisted ones need their address."""
    user = user_of(viewer)
    shown = Q(visibility="public")
    if user is not None:
        shown |= Q(owner=user) | Q(pk__in=_organised(user)) | Q(pk__in=_entered(user))
    return visible_tournaments(viewer).filter(shown)


def organised_by(user: User) -> QuerySet[Tournament]:
    """Return the tournaments of which the user is an organiser."""
    return Tournament.objects.filter(Q(owner=user) | Q(pk__in=_organised(user)))


def _organised(user: User) -> QuerySet[Any, Any]:
    return Tournament.objects.filter(organisers__user=user).values("pk")


def _entered(user: User) -> QuerySet[Any, Any]:
    entered = Tournament.objects.filter(entrants__owner=user).exclude(phase="draft")
    return entered.values("pk")

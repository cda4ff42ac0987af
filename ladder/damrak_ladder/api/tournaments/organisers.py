"""The operations on the organisers of a tournament, and on its invitation."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Schema

from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import has_role
from damrak_ladder.api.access import RUN
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.problems import not_found
from damrak_ladder.api.tournaments import kinds
from damrak_ladder.api.tournaments.checks import run_by_caller
from damrak_ladder.api.tournaments.details import PATH
from damrak_ladder.api.tournaments.leagues import router
from damrak_ladder.tournaments.creation import rotate_invitation
from damrak_ladder.tournaments.models import Organiser, Tournament

__all__ = ["router"]


class OrganiserShape(Schema):
    """An organiser of a tournament."""

    username: str
    is_owner: bool


class Invitation(Schema):
    """A new invitation, for `invitation` in entries. The earlier one is void."""

    invitation: str


@router.get(
    f"{PATH}/organisers",
    auth=RUN,
    response=list[OrganiserShape],
    operation_id="list_organisers",
    summary="The organisers of a tournament",
)
@refuses("not-allowed")
def list_organisers(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug
) -> list[OrganiserShape]:
    """List the owner and the further organisers."""
    return _organisers(run_by_caller(request, response, slug))


@router.put(
    f"{PATH}/organisers/{{str:name}}",
    auth=RUN,
    response=list[OrganiserShape],
    operation_id="add_organiser",
    summary="Add an organiser",
)
@refuses("not-allowed")
def add_organiser(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, name: str
) -> list[OrganiserShape]:
    """Let another organiser of the site run this tournament, too."""
    found = run_by_caller(request, response, slug)
    users = User.objects.filter(is_active=True)
    user = None if "\0" in name else users.filter(username__iexact=name).first()
    if user is None or not has_role(user, Role.ORGANISER):
        raise not_found(f"organiser {name}"[:200], "staff give the role to users")
    if user.pk != found.owner_id:
        Organiser.objects.get_or_create(tournament=found, user=user)
    return _organisers(found)


@router.delete(
    f"{PATH}/organisers/{{str:name}}",
    auth=RUN,
    response=list[OrganiserShape],
    operation_id="remove_organiser",
    summary="Remove an organiser",
)
@refuses("not-allowed")
def remove_organiser(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, name: str
) -> list[OrganiserShape]:
    """Remove a further organiser; the owner stays."""
    found = run_by_caller(request, response, slug)
    if "\0" not in name:
        found.organisers.filter(user__username__iexact=name).delete()
    return _organisers(found)


@router.post(
    f"{PATH}/invitation",
    auth=RUN,
    response=Invitation,
    operation_id="renew_invitation",
    summary="Renew the invitation",
)
@refuses("not-allowed")
@idempotent(RUN)
def renew_invitation(request: HttpRequest, response: HttpResponse, slug: kinds.Slug) -> Invitation:
    """Return a new invitation, with which bots can enter; the earlier one is void."""
    return Invitation(invitation=rotate_invitation(run_by_caller(request, response, slug)))


def _organisers(tournament: Tournament) -> list[OrganiserShape]:
    further = tournament.organisers.select_related("user").order_by("pk")
    return [
        OrganiserShape(username=tournament.owner.username, is_owner=True),
        *(OrganiserShape(username=one.user.username, is_owner=False) for one in further),
    ]

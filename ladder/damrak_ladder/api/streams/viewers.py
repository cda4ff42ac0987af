"""The viewers of streams, whose permissions are checked again for each hidden event."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.utils import timezone

from damrak_ladder.accounts.models import ApiToken, Role, User
from damrak_ladder.accounts.roles import as_author, has_role
from damrak_ladder.api.tournaments.viewers import SEES_HIDDEN
from damrak_ladder.events.gate import permitted
from damrak_ladder.events.values import Event


@dataclass(frozen=True, slots=True)
class Viewer:
    """The token with which a stream was opened."""

    token: int
    user: int
    is_staff: bool

    def may_be_permitted(self, event: Event) -> bool:
        """Return whether it is worth asking the gate about a hidden event."""
        return self.is_staff or self.user in event.concerned


def viewer_of(token: ApiToken) -> Viewer:
    """Return the viewer with this token."""
    return Viewer(token.pk, token.owner_id, has_role(token.owner, Role.STAFF))


def user_of(viewer: Viewer | None) -> User | None:
    """Return the user as of now, without a role if the token lacks the scope for it."""
    if viewer is None:
        return None
    token = ApiToken.objects.select_related("owner").filter(pk=viewer.token).first()
    if token is None or not token.is_good(timezone.now()) or not token.owner.is_active:
        return None
    return token.owner if SEES_HIDDEN & set(token.scopes) else as_author(token.owner)


def shown(viewer: Viewer | None, events: Collection[Event]) -> list[Event]:
    """Return the events that this viewer, or a visitor, may know of now."""
    hidden = [
        event
        for event in events
        if not event.is_public and viewer is not None and viewer.may_be_permitted(event)
    ]
    if not hidden:
        return [event for event in events if event.is_public]
    user = user_of(viewer)
    allowed = permitted(user, hidden) if user is not None else set()
    return [event for event in events if event.is_public or event.position in allowed]

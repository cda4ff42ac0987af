"""The gate of hidden events, for one user."""

from __future__ import annotations

from collections.abc import Collection

from damrak_ladder.accounts.models import User
from damrak_ladder.events.values import Event
from damrak_ladder.tournaments.access import may_run, visible_tournaments
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.visibility import visible_blocks


def permitted(user: User, events: Collection[Event]) -> set[int]:
    """Return the positions of those events that this user may know of now."""
    hidden = [event for event in events if not event.is_public]
    found = {event.position for event in events if event.is_public}
    blocks = {event.block for event in hidden if event.block is not None}
    if blocks:
        seen = set(visible_blocks(user).filter(pk__in=blocks).values_list("pk", flat=True))
        found |= {event.position for event in hidden if event.block in seen}
    changed = {event.subject for event in hidden if event.block is None}
    if changed:
        visible = {one.pk: one for one in visible_tournaments(user).filter(pk__in=changed)}
        runs = {key for key, one in visible.items() if may_run(user, one)}
        for event in hidden:
            allowed = visible if event.for_entrants else runs
            if event.block is None and event.subject in allowed:
                found.add(event.position)
    return found


def is_over(user: User | None, slug: str) -> bool:
    """Return whether this user, or a visitor, may know that the tournament has ended for good."""
    tournament = Tournament.objects.filter(slug=slug).first()
    if tournament is None or tournament.phase not in (Phase.FINAL, Phase.CANCELLED):
        return tournament is None
    return disclosed(tournament, user).state.phase in (Phase.FINAL, Phase.CANCELLED)

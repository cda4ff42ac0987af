"""Transfer of tournaments, entries and acts when an account is deleted."""

from __future__ import annotations

from datetime import datetime

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot
from damrak_ladder.tournaments import desk
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.values import Phase, Standing
from damrak_ladder.tournaments.models import Act, Entrant, League, LeagueChange, Tournament

_ENDED = (Phase.OVER, Phase.FINAL, Phase.CANCELLED)


def withdraw_everywhere(bot: Bot, now: datetime) -> int:
    """Withdraw a bot from all tournaments that have not ended; return their number."""
    entries = Entrant.objects.filter(bot=bot, standing=Standing.IN)
    found = list(entries.exclude(tournament__phase__in=_ENDED).select_related("tournament"))
    for one in found:
        reason = "The account of its author was deleted."
        payload = {"entrant": one.number}
        desk.perform(one.tournament, desk.Request(Kind.WITHDRAW, payload, reason=reason), now)
    return len(found)


def hand_over(user: User, heir: User) -> None:
    """Give the leagues, tournaments, entries, acts and changes of a user to an heir."""
    League.objects.filter(owner=user).update(owner=heir)
    Tournament.objects.filter(owner=user).update(owner=heir)
    Entrant.objects.filter(owner=user).update(owner=heir)
    Act.objects.filter(actor=user).update(actor=heir)
    LeagueChange.objects.filter(actor=user).update(actor=heir)

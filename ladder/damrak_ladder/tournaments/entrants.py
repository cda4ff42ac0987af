"""Entering and leaving a tournament, as acts of the bot's owner."""

from __future__ import annotations

from datetime import datetime

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot
from damrak_ladder.message_codes import entry_codes as codes
from damrak_ladder.tournaments import desk, journal
from damrak_ladder.tournaments.entry import check_conditions
from damrak_ladder.tournaments.errors import NotAllowed, NotEntered
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.values import Phase, Standing
from damrak_ladder.tournaments.models import Tournament


def enter(
    tournament: Tournament, bot: Bot, user: User, now: datetime, invitation: str = ""
) -> desk.Answer:
    """Enter a bot for its owner, if it meets the conditions.

    Raises:
        NotAllowed: the bot belongs to another user.
        NotEntered: a condition is not met.
        Refused: entries are not open, or the bot is entered already.
    """
    if bot.owner_id != user.pk:
        raise NotAllowed(codes.OnlyOwner(bot.slug))
    state = journal.state_of(tournament)
    if state.phase is not Phase.OPEN:
        raise NotEntered(codes.EntriesNotOpen())
    check_conditions(tournament, state, bot, user, invitation)
    request = desk.Request(Kind.ENTER, {"slug": bot.slug}, actor=user, by_owner=True)
    return desk.perform(tournament, request, now)


def leave(tournament: Tournament, bot: Bot, user: User, now: datetime) -> desk.Answer:
    """Withdraw a bot for its owner.

    Raises:
        NotAllowed: the bot belongs to another user.
        NotEntered: it does not take part.
    """
    if bot.owner_id != user.pk:
        raise NotAllowed(codes.OnlyOwner(bot.slug))
    for one in journal.state_of(tournament).entrants.values():
        if one.bot == bot.pk and one.standing is Standing.IN:
            payload = {"entrant": one.number}
            request = desk.Request(Kind.WITHDRAW, payload, actor=user, by_owner=True)
            return desk.perform(tournament, request, now)
    raise NotEntered(codes.NotTakingPart(bot.slug))

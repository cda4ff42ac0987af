"""Texts of news, translated to the reader's language: subject and text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from damrak_ladder.notices.texts import Said, date_of, said


def new_version(bot: str, number: int) -> Said:
    """Return the news that a version has gone live."""
    return (
        said(_("{bot}: version {number} is live"), bot=bot, number=number),
        said(_("{bot} now plays with version {number}."), bot=bot, number=number),
    )


def rank_reached(bot: str, ladder: str, rank: int) -> Said:
    """Return the news of a rank."""
    return (
        said(_("{bot} is at rank {rank} on {ladder}"), bot=bot, rank=rank, ladder=ladder),
        said(
            _("{bot} has reached rank {rank} on the ladder {ladder}."),
            bot=bot,
            rank=rank,
            ladder=ladder,
        ),
    )


def upset(bot: str, ladder: str, percent: int) -> Said:
    """Return the news of a win against the odds."""
    return (
        said(_("{bot} won against the odds on {ladder}"), bot=bot, ladder=ladder),
        said(
            _("{bot} had a chance of {percent} % and won. Watch the game."),
            bot=bot,
            percent=percent,
        ),
    )


def streak(bot: str, ladder: str, games: int) -> Said:
    """Return the news of a run of wins."""
    return (
        said(_("{bot} has won {games} games in a row"), bot=bot, games=games),
        said(
            _("{bot} has won {games} games in a row on {ladder}."),
            bot=bot,
            games=games,
            ladder=ladder,
        ),
    )


def begins(tournament: str) -> Said:
    """Return the news that a tournament has begun."""
    return (
        said(_("{tournament} has begun"), tournament=tournament),
        said(_("The first round of {tournament} is being played."), tournament=tournament),
    )


def final_is_set(tournament: str, players: Sequence[str], at: datetime | None) -> Said:
    """Return the news that the final of a tournament is scheduled, or being played."""
    sides = " · ".join(players)
    if at is None:
        return (
            said(_("{tournament}: the final is being played"), tournament=tournament),
            said(
                _("{sides}: watch the final of {tournament}."), sides=sides, tournament=tournament
            ),
        )
    return (
        said(_("{tournament}: the final begins on {at}"), tournament=tournament, at=date_of(at)),
        said(
            _("{sides}: the final of {tournament} begins on {at}."),
            sides=sides,
            tournament=tournament,
            at=date_of(at),
        ),
    )


def is_final(tournament: str) -> Said:
    """Return the news that a tournament is over."""
    return (
        said(_("{tournament}: the result is final"), tournament=tournament),
        said(_("{tournament} is over, and its standings are final."), tournament=tournament),
    )

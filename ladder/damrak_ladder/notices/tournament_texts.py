"""Texts of notices about tournaments, in the form of `texts`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from typing import Final

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from damrak_ladder.notices.texts import Said, date_of, said


def tournament_round(bot: str, tournament: str, number: int) -> Said:
    """Return the notice that a round in which a bot plays is about to begin."""
    return (
        said(_("{tournament}: round {number} begins"), tournament=tournament, number=number),
        said(
            _("{bot} plays in round {number} of {tournament}, which begins now."),
            bot=bot,
            tournament=tournament,
            number=number,
        ),
    )


def tournament_entry(bot: str, tournament: str, closes: datetime | None) -> Said:
    """Return the notice that a bot is entered, and when its version is fixed."""
    subject = said(_("{bot} is entered in {tournament}"), bot=bot, tournament=tournament)
    if closes is None:
        later = _("The version that is live when entries close plays in {tournament}.")
        return subject, said(later, tournament=tournament)
    known = _("The version that is live on {closes} plays in {tournament}.")
    return subject, said(known, tournament=tournament, closes=date_of(closes))


def tournament_freeze(bot: str, tournament: str, closes: datetime) -> Said:
    """Return the notice that the versions of a tournament are fixed soon."""
    return (
        said(_("{tournament}: entries close soon"), tournament=tournament),
        said(
            _(
                "The live version of {bot} is fixed on {closes} and plays in {tournament}. "
                "A later version does not."
            ),
            bot=bot,
            tournament=tournament,
            closes=date_of(closes),
        ),
    )


def tournament_rules(bot: str, tournament: str) -> Said:
    """Return the notice that the rules of a tournament have changed."""
    return (
        said(_("{tournament}: the rules have changed"), tournament=tournament),
        said(
            _(
                "The organisers of {tournament} changed its rules. The page shows the "
                "differences, and you can withdraw {bot} there."
            ),
            bot=bot,
            tournament=tournament,
        ),
    )


def tournament_result(
    bot: str, tournament: str, number: int, points: Fraction, others: Sequence[str]
) -> Said:
    """Return the notice of a bot's result in a round."""
    return (
        said(
            _("{tournament}, round {number}: {bot} has {points}"),
            tournament=tournament,
            number=number,
            bot=bot,
            points=points,
        ),
        said(
            _("{bot} has {points} points in round {number} of {tournament}, against {others}."),
            bot=bot,
            points=points,
            number=number,
            tournament=tournament,
            others=", ".join(others),
        ),
    )


def tournament_ruling(bot: str, tournament: str, act: str, reason: str) -> Said:
    """Return the notice of a ruling on a bot; `reason` is empty if it is private."""
    subject = said(_("{tournament}: a ruling on {bot}"), tournament=tournament, bot=bot)
    text = said(_RULINGS[act], bot=bot, tournament=tournament)
    if not reason:
        return subject, text
    return subject, format_lazy("{} {}", text, said(_("Reason: {reason}"), reason=reason))


def tournament_correction(bot: str, tournament: str, reason: str) -> Said:
    """Return the notice that an act is undone; `reason` is empty if it is private."""
    subject = said(
        _("{tournament}: a decision about {bot} is undone"), tournament=tournament, bot=bot
    )
    text = said(
        _(
            "The organisers of {tournament} undid an act about which you were notified. "
            "It affected {bot}."
        ),
        tournament=tournament,
        bot=bot,
    )
    if not reason:
        return subject, text
    return subject, format_lazy("{} {}", text, said(_("Reason: {reason}"), reason=reason))


def tournament_promoted(bot: str, tournament: str, stage: str) -> Said:
    """Return the notice that a bot takes part in the next stage of a tournament."""
    return (
        said(_("{tournament}: {bot} goes on"), tournament=tournament, bot=bot),
        said(
            _("{bot} takes part in the stage {stage} of {tournament}."),
            bot=bot,
            tournament=tournament,
            stage=stage,
        ),
    )


def tournament_division(bot: str, tournament: str, was: int, now: int) -> Said:
    """Return the notice that a bot was promoted or relegated; divisions count from 1."""
    is_up = now < was
    subject = _("{tournament}: {bot} is promoted") if is_up else _("{tournament}: {bot} goes down")
    return (
        said(subject, tournament=tournament, bot=bot),
        said(
            _("{bot} was in division {was} and plays in division {now} of {tournament}."),
            bot=bot,
            was=was,
            now=now,
            tournament=tournament,
        ),
    )


_RULINGS: Final = {
    "disqualify": _("{bot} is disqualified from {tournament}."),
    "override": _("The organisers of {tournament} set a result of {bot}."),
    "replay_block": _("A block of {bot} in {tournament} is played again."),
    "replay_round": _("A round of {bot} in {tournament} is paired and played again."),
    "forfeit": _("A pairing of {bot} in {tournament} is forfeited."),
    "skip_block": _("A block of {bot} in {tournament} is left out."),
}

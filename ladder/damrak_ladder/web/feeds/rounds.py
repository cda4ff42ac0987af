"""Feed entries of tournaments: the rounds that were paired, with their released results."""

from __future__ import annotations

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from damrak_ladder.tournaments.disclosure import Disclosed, disclosed
from damrak_ladder.tournaments.documents import Names, names_of
from damrak_ladder.tournaments.log.state import Round
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.web.feeds.entries import IS_HIDING, Item


def of_rounds(tournament: Tournament, limit: int) -> list[Item]:
    """Return an entry for each of the latest rounds that everyone may know of."""
    seen, names = disclosed(tournament, None), names_of(tournament)
    rounds = [made for made in seen.state.rounds() if made.at is not None]
    rounds.sort(key=lambda made: made.serial, reverse=True)
    return [_round(tournament, seen, names, made) for made in rounds[:limit]]


def _round(tournament: Tournament, seen: Disclosed, names: Names, made: Round) -> Item:
    assert made.at is not None
    stage, number, generation = made.key
    pairings = [
        {
            "entrants": [names.short(one) for one in verdict.pairing.entrants],
            "points": None
            if IS_HIDING.get() or verdict.result is None or seen.is_hidden(verdict.pairing.key)
            else [str(one) for one in verdict.result.points],
        }
        for verdict in seen.course.verdicts[made.key]
    ]
    title = _("Round %(number)s of %(tournament)s")
    return Item(
        key=f"tournament-{tournament.slug}-{stage}-{number}-{generation}",
        title=title % {"number": number, "tournament": tournament.name},
        html=render_to_string("web/feeds/_round.html", {"pairings": pairings}),
        link=reverse("web:tournament_round", args=[tournament.slug, stage, number]),
        at=made.at,
    )

"""Tournaments as the viewer of a request may see them."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from damrak_ladder.tournaments.access import visible_tournaments
from damrak_ladder.tournaments.disclosure import Disclosed, disclosed
from damrak_ladder.tournaments.log.state import Round, Stage
from damrak_ladder.tournaments.models import Tournament


@dataclass(frozen=True, slots=True)
class Found:
    """A tournament, and the part of its state that the viewer may know."""

    tournament: Tournament
    seen: Disclosed

    def stage(self, number: int) -> Stage:
        """Return a stage that has begun.

        Raises:
            Http404
        """
        stage = self.seen.state.stages.get(number)
        if stage is None:
            raise Http404
        return stage

    def round(self, stage: int, number: int) -> Round:
        """Return a paired round of a stage.

        Raises:
            Http404
        """
        rounds = self.stage(stage).rounds
        if not 1 <= number <= len(rounds):
            raise Http404
        return rounds[number - 1]


def tournament_or_404(request: HttpRequest, slug: str) -> Found:
    """Return the tournament of this name.

    Raises:
        Http404: there is none, or the viewer may not see it.
    """
    rows = visible_tournaments(request.user).select_related("owner", "league")
    tournament = get_object_or_404(rows, slug=slug)
    return Found(tournament, disclosed(tournament, request.user))

"""The puzzles that everyone may see: those of public blocks whose replay still counts."""

from __future__ import annotations

from django.db.models import F, QuerySet

from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.puzzles.models import Puzzle
from damrak_ladder.tournaments.visibility import visible_matches


def public_matches() -> QuerySet[Match, Match]:
    """Return the recorded matches that everyone may see."""
    return visible_matches(None).filter(block__state=BlockState.RECORDED).exclude(replay="")


def public_puzzles() -> QuerySet[Puzzle, Puzzle]:
    """Return the puzzles of these matches."""
    found = Puzzle.objects.filter(match__in=public_matches(), match__replay=F("replay"))
    return found.select_related("match__block")

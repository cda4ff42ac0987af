"""Generation of puzzles in the background, from the newest public matches.

A match is claimed before it is searched, and its puzzles are stored together with the mark that it
is done. If the process is killed in between, the match is searched again, with the same result.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef

from damrak_engine.errors import ReplayError
from damrak_engine.replay import parse_replay
from damrak_ladder.installation.pace import wait_for_turn
from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.puzzles.daily import choose_days
from damrak_ladder.puzzles.gate import public_matches
from damrak_ladder.puzzles.models import Puzzle, PuzzleSource
from damrak_ladder.puzzles.search import Found, puzzles_in
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.storage import load

PER_HOUR: Final = 20
"""No match is searched while this many puzzles were made within the last hour."""

STOCK: Final = 1000
"""No match is searched while this many puzzles have not been answered by anyone."""

LATEST: Final = 400
"""The number of latest matches among which the next one is chosen."""

LEASE: Final = timedelta(minutes=5)
MOST_TRIES: Final = 3
_log = logging.getLogger(__name__)


def make_puzzles(clock: Callable[[], datetime], effort: float = 1.0) -> bool:
    """Search one match for puzzles; return whether there was one to search."""
    now = clock()
    choose_days(now)
    if _has_enough(now):
        return False
    match = _claim(now)
    if match is None:
        return False
    wait_for_turn(settings.DAMRAK_HOME, 0, None)
    try:
        found = puzzles_in(parse_replay(load(match.replay)), effort)
    except (ReplayError, ReplayStoreError):
        _log.warning("puzzle_search_failed", extra={"match": match.pk})
        found = []
    _keep(match, found, clock())
    choose_days(clock())
    return True


def _has_enough(now: datetime) -> bool:
    made = Puzzle.objects.filter(created__gt=now - timedelta(hours=1)).count()
    if made >= PER_HOUR:
        return True
    return Puzzle.objects.filter(right=0, wrong=0)[:STOCK].count() >= STOCK


def _claim(now: datetime) -> Match | None:
    """Return a match that no other process searches: an interrupted one, or else the newest."""
    stale = PuzzleSource.objects.filter(is_done=False, begun__lt=now - LEASE, tries__lt=MOST_TRIES)
    for source in stale.order_by("begun")[:3]:
        claimed = stale.filter(pk=source.pk, tries=source.tries)
        if claimed.update(begun=now, tries=F("tries") + 1):
            found = public_matches().filter(pk=source.match_id).first()
            if found is not None:
                return found
    # The matches of a block share their cards, so that one of them is enough.
    known = PuzzleSource.objects.filter(match__block=OuterRef("block"))
    latest = list(Match.objects.order_by("-pk").values_list("pk", flat=True)[:LATEST])
    fresh = public_matches().filter(pk__in=latest).exclude(Exists(known))
    for match in fresh.order_by("-pk")[:3]:
        try:
            with transaction.atomic():
                PuzzleSource.objects.create(match=match, begun=now)
        except IntegrityError:  # claimed by another process, or the match is gone
            continue
        return match
    return None


def _keep(match: Match, found: list[Found], now: datetime) -> None:
    with transaction.atomic():
        is_same = Match.objects.filter(
            pk=match.pk, replay=match.replay, block__state=BlockState.RECORDED
        ).exists()
        if is_same:
            Puzzle.objects.bulk_create(
                [_row(match, one, now) for one in found], ignore_conflicts=True
            )
        PuzzleSource.objects.filter(match=match.pk).update(is_done=True)


def _row(match: Match, found: Found, now: datetime) -> Puzzle:
    return Puzzle(
        match=match,
        replay=match.replay,
        moment=found.moment,
        seat=found.seat,
        choices=list(found.choices),
        best=found.best,
        played=found.played,
        gains=[gain.rounded(1) for gain in found.gains],
        created=now,
    )

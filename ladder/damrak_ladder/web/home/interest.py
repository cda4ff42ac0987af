"""Which of the running blocks are worth watching most, from what is public about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count
from django.utils.translation import gettext as _

from damrak_ladder.accounts.models import User
from damrak_ladder.follows.models import Follow, Subject
from damrak_ladder.matches.models import BlockState, Purpose
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Standing
from damrak_ladder.tournaments.models import PairingBlock
from damrak_ladder.tournaments.visibility import visible_blocks
from damrak_ladder.web.block import lists
from damrak_ladder.web.block.lists import BlockShown

CONSIDERED: Final = 8
CLOSE_ELO: Final = 100
_UNRATED_ELO: Final = 1000.0  # the assumed distance of versions without a rating


@dataclass(frozen=True, slots=True)
class Interesting:
    """A running block, and why it is worth watching; empty without a particular reason."""

    row: BlockShown
    reason: str
    is_special: bool  # a followed bot, or a tournament


def running_by_interest(viewer: User | None = None) -> list[Interesting]:
    """Return the running blocks that visitors may see, the most interesting first.

    For a user, the games of followed bots and authors come first. Then come finals, other
    tournament games, title fights of ladders, and the rest by the distance of the ratings.
    """
    wanted = (Purpose.LADDER, Purpose.TOURNAMENT)
    found = visible_blocks(None).filter(state=BlockState.RUNNING, purpose__in=wanted)
    rows = lists.shown(found.order_by("-lease_until", "-pk")[:CONSIDERED])
    if not rows:
        return []
    tables = _tables(rows)
    liked = _liked(viewer)
    standings = _standings(rows)
    ranked = []
    for row in rows:
        players = [(row.block.ladder_id, side.version.pk) for side in row.sides]
        known = [standings[player] for player in players if player in standings]
        elos = [elo for elo, _rank in known]
        apart = max(elos) - min(elos) if len(known) == len(players) else _UNRATED_ELO
        ranks = {rank for _elo, rank in known}
        bots = [seat.version.bot for seat in row.matches[0].seats.all()] if row.matches else []
        if any({(Subject.BOT, one.pk), (Subject.AUTHOR, one.owner_id)} & liked for one in bots):
            place, reason = -1, _("a bot you follow")
        elif row.block.purpose == Purpose.TOURNAMENT:
            is_final = tables.get(row.block.pk) == 1
            place, reason = (0, _("tournament final")) if is_final else (1, _("tournament"))
        elif {1, 2} <= ranks:
            place, reason = 2, _("first against second")
        else:
            place, reason = 3, _("close ratings") if apart <= CLOSE_ELO else ""
        ranked.append((place, apart, row.block.pk, Interesting(row, reason, place < 2)))
    return [one for *_key, one in sorted(ranked, key=lambda one: one[:3])]


def _liked(viewer: User | None) -> set[tuple[str, int]]:
    """Return the bots and authors that a user follows."""
    if viewer is None:
        return set()
    subjects = (Subject.BOT, Subject.AUTHOR)
    found = Follow.objects.filter(user=viewer, subject__in=subjects)
    return {
        (Subject(subject), target) for subject, target in found.values_list("subject", "target")
    }


def _standings(rows: Sequence[BlockShown]) -> dict[tuple[int | None, int], tuple[int, int | None]]:
    """Return Elo and rank of each player on the ladder of its block."""
    versions = {side.version.pk for row in rows for side in row.sides}
    published = Standing.objects.filter(version__in=versions, seats=ALL)
    values = published.values_list("ladder", "version", "elo", "rank")
    return {(ladder, version): (elo, rank) for ladder, version, elo, rank in values}


def _tables(rows: Sequence[BlockShown]) -> dict[int, int]:
    """Return how many tables the round of each tournament block has."""
    blocks = [row.block.pk for row in rows if row.block.purpose == Purpose.TOURNAMENT]
    if not blocks:
        return {}
    own = PairingBlock.objects.filter(block__in=blocks)
    return dict(own.values_list("block").annotate(Count("pairing__round__pairings", distinct=True)))

"""Which of the running blocks are worth watching most, from what is public about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Version
from damrak_ladder.follows.models import Follow, Subject
from damrak_ladder.matches.models import Block, BlockState, Purpose
from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.story_codes import (
    FeaturedClose,
    FeaturedFinal,
    FeaturedFollowed,
    FeaturedTitle,
    FeaturedTournament,
)
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Standing
from damrak_ladder.tournaments.models import PairingBlock
from damrak_ladder.tournaments.visibility import visible_blocks

CONSIDERED: Final = 8
CLOSE_ELO: Final = 100
_UNRATED_ELO: Final = 1000.0  # the assumed distance of versions without a rating


@dataclass(frozen=True, slots=True)
class Interesting:
    """A running block, and why it is worth watching; None without a particular reason.

    Its matches, their seats, results, versions and bots are prefetched.
    """

    block: Block
    reason: Message | None
    is_special: bool  # a followed bot, or a tournament


def running_by_interest(viewer: User | None = None) -> list[Interesting]:
    """Return the running blocks that visitors may see, the most interesting first.

    For a user, the games of followed bots and authors come first. Then come finals, other
    tournament games, title fights of ladders, and the rest by the distance of the ratings.
    """
    wanted = (Purpose.LADDER, Purpose.TOURNAMENT)
    found = visible_blocks(None).filter(state=BlockState.RUNNING, purpose__in=wanted)
    found = found.select_related("ladder", "host").prefetch_related(
        "matches__seats__result", "matches__seats__version__bot"
    )
    players = {
        block: _players(block) for block in found.order_by("-lease_until", "-pk")[:CONSIDERED]
    }
    if not players:
        return []
    tables = _tables(players)
    liked = _liked(viewer)
    standings = _standings(players)
    ranked = []
    for block, versions in players.items():
        entries = [(block.ladder_id, version.pk) for version in versions]
        known = [standings[entry] for entry in entries if entry in standings]
        elos = [elo for elo, _rank in known]
        apart = max(elos) - min(elos) if len(known) == len(entries) else _UNRATED_ELO
        ranks = {rank for _elo, rank in known}
        bots = [version.bot for version in versions]
        place = 3
        reason: Message | None = FeaturedClose() if apart <= CLOSE_ELO else None
        if any({(Subject.BOT, one.pk), (Subject.AUTHOR, one.owner_id)} & liked for one in bots):
            place, reason = -1, FeaturedFollowed()
        elif block.purpose == Purpose.TOURNAMENT:
            is_final = tables.get(block.pk) == 1
            place, reason = (0, FeaturedFinal()) if is_final else (1, FeaturedTournament())
        elif {1, 2} <= ranks:
            place, reason = 2, FeaturedTitle()
        ranked.append((place, apart, block.pk, Interesting(block, reason, place < 2)))
    return [one for *_key, one in sorted(ranked, key=lambda one: one[:3])]


def _players(block: Block) -> list[Version]:
    """Return the versions of a block, each once."""
    seats = (seat for match in block.matches.all() for seat in match.seats.all())
    return list({seat.version_id: seat.version for seat in seats}.values())


def _liked(viewer: User | None) -> set[tuple[str, int]]:
    """Return the bots and authors that a user follows."""
    if viewer is None:
        return set()
    subjects = (Subject.BOT, Subject.AUTHOR)
    found = Follow.objects.filter(user=viewer, subject__in=subjects)
    return {
        (Subject(subject), target) for subject, target in found.values_list("subject", "target")
    }


def _standings(
    players: Mapping[Block, Sequence[Version]],
) -> dict[tuple[int | None, int], tuple[int, int | None]]:
    """Return Elo and rank of each player on the ladder of its block."""
    versions = {version.pk for seated in players.values() for version in seated}
    published = Standing.objects.filter(version__in=versions, seats=ALL)
    values = published.values_list("ladder", "version", "elo", "rank")
    return {(ladder, version): (elo, rank) for ladder, version, elo, rank in values}


def _tables(running: Iterable[Block]) -> dict[int, int]:
    """Return how many tables the round of each tournament block has."""
    blocks = [block.pk for block in running if block.purpose == Purpose.TOURNAMENT]
    if not blocks:
        return {}
    own = PairingBlock.objects.filter(block__in=blocks)
    return dict(own.values_list("block").annotate(Count("pairing__round__pairings", distinct=True)))

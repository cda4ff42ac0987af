"""The collusion report of an organiser: the games of all tournaments that it pools, with names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from damrak_ladder.ratings import Block
from damrak_ladder.tournaments.access import Viewer, visible_tournaments
from damrak_ladder.tournaments.collusion import EFFECT, Pair, findings
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.evidence import visible_games
from damrak_ladder.tournaments.models import Entrant, Tournament

POOLED: Final = 20
"""The newest tournaments with these bots whose games are pooled."""

SHOWN: Final = 30


@dataclass(frozen=True, slots=True)
class Named:
    """A pair with the names of its bots in addresses."""

    who: str
    beside: str
    pair: Pair
    is_remarkable: bool


@dataclass(frozen=True, slots=True)
class Report:
    """The report: the most remarkable pairs, and what they rest on."""

    rows: Sequence[Named]
    tournaments: int
    pairs: int
    together: int  # tables with two bots of one owner
    apart: bool  # whether the rules keep bots of one owner apart
    effect: float = EFFECT


def report_of(viewer: Viewer, tournament: Tournament) -> Report:
    """Return the report on the bots of a tournament, over all tournaments the viewer may see."""
    bots = set(tournament.entrants.values_list("bot", flat=True))
    others = visible_tournaments(viewer).filter(entrants__bot__in=bots).distinct()
    pooled = list(others.order_by("-pk")[:POOLED])
    blocks: list[Block] = []
    for one in {each.pk: each for each in (tournament, *pooled)}.values():
        played = visible_games(one, disclosed(one, viewer))
        blocks += [block for block in played if bots.intersection(block.players)]
    rows = Entrant.objects.filter(tournament__in=pooled).select_related("bot")
    slugs = {row.bot_id: row.bot.slug for row in rows}
    owners = {row.bot_id: row.owner_id for row in rows}
    found = findings(blocks, owners)
    remarkable = set(found.remarkable)
    rules = disclosed(tournament, viewer).state.rules
    return Report(
        rows=[
            Named(slugs[one.who], slugs[one.beside], one, one in remarkable)
            for one in found.pairs[:SHOWN]
        ],
        tournaments=len(pooled),
        pairs=len(found.pairs),
        together=found.together,
        apart=all(stage.rules.same_owner_apart for stage in rules.stages),
    )

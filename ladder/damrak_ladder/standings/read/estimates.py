"""The estimates of versions that matchmaking requires."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from damrak_ladder.matches.models import Block, BlockState, Ladder, Purpose, Seat
from damrak_ladder.standings.fit.anchors import anchors_of, centre_of
from damrak_ladder.standings.fit.running_ratings import MEMORY, UNKNOWN_ELO
from damrak_ladder.standings.models import Fit, Progress, Running, Tally


@dataclass(frozen=True, slots=True)
class Known:
    """A version on a ladder, in the terms of matchmaking.Entrant."""

    elo: float
    error: float  # its standard error; 0 for a fixed anchor
    blocks: dict[int, int]  # by table size, including blocks under way
    pending: int  # the number of these that are not counted yet
    recent: tuple[int, ...]  # the latest opponents, latest last, including blocks under way
    is_anchor: bool

    @property
    def is_rated(self) -> bool:
        """Return whether a block of the version is counted."""
        return sum(self.blocks.values()) > self.pending


def estimates(ladder: Ladder, versions: Iterable[int]) -> dict[int, Known]:
    """Return the current estimates of these versions.

    It takes a few queries, whose cost grows with the versions and the blocks under way, not with
    history.
    """
    wanted = sorted(set(versions))
    anchors = anchors_of(ladder, wanted)
    running = {
        version: (elo, error, recent)
        for version, elo, error, recent in Running.objects.filter(
            ladder=ladder, version__in=wanted
        ).values_list("version", "elo", "error", "recent")
    }
    blocks: dict[int, dict[int, int]] = {version: {} for version in wanted}
    counted = Tally.objects.filter(ladder=ladder, version__in=wanted, turn=0)
    for version, seats, count in counted.values_list("version", "seats", "blocks"):
        blocks[version][seats] = count
    pending = dict.fromkeys(wanted, 0)
    recent: dict[int, list[int]] = {version: [] for version in wanted}
    for players in tables_under_way(ladder):
        for player in players:
            if player in blocks:
                seats = len(players)
                blocks[player][seats] = blocks[player].get(seats, 0) + 1
                pending[player] += 1
                recent[player] += (one for one in players if one != player)
    middle = _middle(ladder)
    result = {}
    for version in wanted:
        newcomer = (
            anchors.elo.get(version, middle),
            anchors.errors.get(version, UNKNOWN_ELO),
            list[int](),
        )
        elo, error, before = running.get(version, newcomer)
        is_fixed = anchors.is_fixed(version)
        result[version] = Known(
            elo=anchors.elo[version] if is_fixed else elo,
            error=0.0 if is_fixed else error,
            blocks=blocks[version],
            pending=pending[version],
            recent=(*before, *recent[version])[-MEMORY:],
            is_anchor=version in anchors.elo,
        )
    return result


def tables_under_way(ladder: Ladder) -> list[tuple[int, ...]]:
    """Return the players of each table of this ladder that is booked and not recorded yet."""
    booked = Block.objects.filter(
        ladder=ladder,
        purpose=Purpose.LADDER,
        state__in=(BlockState.WAITING, BlockState.RUNNING),
    )
    tables: dict[int, list[int]] = {}
    seats = Seat.objects.filter(match__block__in=booked, match__number=0).order_by("match__block")
    for block, version in seats.values_list("match__block", "version"):
        tables.setdefault(block, []).append(version)
    return [tuple(players) for players in tables.values()]


def _middle(ladder: Ladder) -> float:
    progress = Progress.objects.filter(pk=ladder.pk).first()
    fit = progress and Fit.objects.filter(ladder=ladder, number=progress.fit).first()
    return fit.middle if fit else centre_of(ladder)

"""The sources of a version's points: means over its latest ladder games.

Pages read one row per version. If a row is missing or old, the page requests a new one from the
analyst, so that neither pages nor the recording of blocks ever read replays for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from damrak_engine.errors import ReplayError
from damrak_engine.events import Claim
from damrak_engine.replay import Replay, parse_replay
from damrak_ladder.analyses.models import VersionSources
from damrak_ladder.matches.models import BlockState, Purpose, Seat
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.storage import load

GAMES: Final = 40
FRESH: Final = timedelta(minutes=15)
_SUMS: Final = (
    *("games", "routes", "fulfilled", "failed", "goods"),
    *("contracts_fulfilled", "contracts_failed"),
    *("goods_taken", "goods_when", "claims", "claims_when"),
)


@dataclass(frozen=True, slots=True)
class Sources:
    """Points per game by source, and contracts per game."""

    games: int
    routes: float
    fulfilled: float
    failed: float  # 0 or less
    goods: float
    contracts_fulfilled: float
    contracts_failed: float

    @property
    def total(self) -> float:
        """Return all points per game."""
        return self.routes + self.fulfilled + self.failed + self.goods


def sources_of(version_ids: Iterable[int], now: datetime) -> dict[int, Sources]:
    """Return the known sources of these versions, and request those that are missing or old."""
    wanted = set(version_ids)
    rows = {row.version_id: row for row in VersionSources.objects.filter(version__in=wanted)}
    missing = [VersionSources(version_id=pk, asked=now) for pk in sorted(wanted - rows.keys())]
    if missing:
        VersionSources.objects.bulk_create(missing, ignore_conflicts=True)
    old = [
        row.pk
        for row in rows.values()
        if row.asked is None and (row.computed is None or row.computed < now - FRESH)
    ]
    if old:
        VersionSources.objects.filter(pk__in=old, asked=None).update(asked=now)
    return {pk: _means(row) for pk, row in rows.items() if row.games}


def count_next(clock: Callable[[], datetime]) -> bool:
    """Update the version that has waited longest; return False if none waits."""
    row = VersionSources.objects.filter(asked__isnull=False).order_by("asked", "pk").first()
    if row is None:
        return False
    sums = _sums(row.version_id)
    VersionSources.objects.filter(pk=row.pk).update(asked=None, computed=clock(), **sums)
    return True


def _sums(version_id: int) -> dict[str, int]:
    seats = Seat.objects.filter(
        version=version_id,
        match__block__state=BlockState.RECORDED,
        match__block__purpose=Purpose.LADDER,
    )
    sums = dict.fromkeys(_SUMS, 0)
    latest = seats.order_by("-match").values_list("match__replay", "number")
    for replay, number in latest[:GAMES]:
        try:
            found = parse_replay(load(replay))
        except (ReplayError, ReplayStoreError):
            continue
        points = [contract.points for contract in found.board.contracts]
        came = found.result.seats[number]
        sums["games"] += 1
        sums["routes"] += came.routes
        sums["fulfilled"] += sum(points[contract] for contract in came.fulfilled)
        sums["failed"] -= sum(points[contract] for contract in came.failed)
        sums["goods"] += came.goods
        sums["contracts_fulfilled"] += len(came.fulfilled)
        sums["contracts_failed"] += len(came.failed)
        _add_times(sums, found, number)
    return sums


def _add_times(sums: dict[str, int], replay: Replay, seat: int) -> None:
    """Add when in the game a seat claimed routes and took goods cards, in thousandths."""
    last = max(1, len(replay.events) - 1)
    for at, event in enumerate(replay.events):
        if not isinstance(event, Claim) or event.seat != seat:
            continue
        when = 1000 * at // last
        sums["claims"] += 1
        sums["claims_when"] += when
        if event.goods:
            sums["goods_taken"] += 1
            sums["goods_when"] += when


def _means(row: VersionSources) -> Sources:
    return Sources(
        row.games,
        row.routes / row.games,
        row.fulfilled / row.games,
        row.failed / row.games,
        row.goods / row.games,
        row.contracts_fulfilled / row.games,
        row.contracts_failed / row.games,
    )

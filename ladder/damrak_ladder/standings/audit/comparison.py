"""Comparison of the replays of a ladder with the stored and published values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model

from damrak_ladder.matches.models import Block, BlockState, Ladder
from damrak_ladder.standings.counts.tallies import MET, TALLIED, meetings_of, tallies_of
from damrak_ladder.standings.fit.anchors import Anchors
from damrak_ladder.standings.fit.figures import TOLD, figures_of
from damrak_ladder.standings.fit.ledger import ledger_ends
from damrak_ladder.standings.fit.snapshot import collect, snapshot_of
from damrak_ladder.standings.models import Counted, Fit, Meeting, Progress, Standing, Tally
from damrak_ladder.standings.packed_blocks import Outcome, unpack
from damrak_ladder.standings.progress import locked

Key = TypeVar("Key", bound="tuple[int, ...]")


@dataclass(slots=True)
class Rebuilt:
    """The result of a comparison."""

    ladder: str
    blocks: int = 0  # replayed
    fit: int = 0  # the number of the fit that was compared
    numbers: int = 0  # compared
    differences: list[str] = field(default_factory=list)
    unfounded: list[str] = field(default_factory=list)  # blocks that do not match their replays
    is_repaired: bool = False

    @property
    def is_identical(self) -> bool:
        """Whether there are no differences."""
        return not self.differences and not self.unfounded


@dataclass(slots=True)
class Found:
    """Blocks as they follow from their replays, packed."""

    rows: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)

    def outcomes(self) -> Iterator[Outcome]:
        """Return the outcomes of all blocks."""
        return (unpack(*row) for row in self.rows.values())


def compare_rows(ladder: Ladder, found: Found, until: int, result: Rebuilt) -> None:
    """Compare the compact rows with those that follow from the replays."""
    rows = Counted.objects.filter(ladder=ladder)
    stored = {
        block: (bytes(results), bytes(points), serial)
        for block, results, points, serial in rows.values_list(
            "block", "results", "points", "serial"
        )
    }
    unfounded = {int(line.split(":")[0].removeprefix("block ")) for line in result.unfounded}
    for block in sorted(stored.keys() | found.rows.keys()):
        if block in stored and block not in found.rows:
            if stored[block][2] <= until and block not in unfounded:
                result.differences.append(f"block {block}: counts, but is not a recorded block")
        elif block not in stored:
            if _is_settled(block):  # or it was withdrawn in the meantime
                result.differences.append(f"block {block}: does not count")
            else:
                del found.rows[block]
        elif stored[block][:2] != found.rows[block]:
            result.differences.append(f"block {block}: counts for other results")
    result.numbers += len(found.rows)


def _is_settled(block: int) -> bool:
    settled = Block.objects.filter(pk=block, state=BlockState.RECORDED, settled__isnull=False)
    return settled.exists()


def _late(ladder: Ladder, until: int) -> Iterator[Outcome]:
    """Return the blocks that were counted since the comparison began."""
    late = Counted.objects.filter(ladder=ladder, serial__gt=until).order_by("serial")
    for results, points in late.values_list("results", "points"):
        yield unpack(bytes(results), bytes(points))


def compare_tallies(ladder: Ladder, found: Found, until: int, result: Rebuilt) -> None:
    """Compare the tallies with the sums of the replayed blocks and of those counted since."""
    tallies, meetings = tallies_of(found.outcomes()), meetings_of(found.outcomes())
    with transaction.atomic():
        locked(ladder.pk)
        stored = _stored(Tally, ladder, ("version_id", "seats", "turn"), TALLIED)
        met = _stored(Meeting, ladder, ("version_id", "opponent_id"), MET)
        counted = set(
            Counted.objects.filter(ladder=ladder, serial__lte=until).values_list("pk", flat=True)
        )
        late = list(_late(ladder, until))
    gone = [unpack(*row) for block, row in found.rows.items() if block not in counted]
    for sign, outcomes in ((1, late), (-1, gone)):
        _merge(tallies, tallies_of(outcomes), sign)
        _merge(meetings, meetings_of(outcomes), sign)
    result.differences += _differing("tally of version {} at {} seats, turn {}", stored, tallies)
    result.differences += _differing("meeting of versions {} and {}", met, meetings)
    result.numbers += len(TALLIED) * len(tallies) + len(MET) * len(meetings)


def _stored(
    model: type[Model], ladder: Ladder, keys: tuple[str, ...], columns: tuple[str, ...]
) -> dict[Any, dict[str, int]]:
    rows = model._base_manager.filter(ladder=ladder).values(*keys, *columns)
    return {
        tuple(row[key] for key in keys): {column: row[column] for column in columns} for row in rows
    }


def _merge(sums: dict[Key, dict[str, int]], more: Mapping[Key, dict[str, int]], sign: int) -> None:
    for key, row in more.items():
        into = sums.setdefault(key, dict.fromkeys(row, 0))
        for column, value in row.items():
            into[column] += sign * value
        if not into["blocks"] and not into["games"]:
            del sums[key]


def compare_ledger(ladder: Ladder, standings: Iterable[Standing], result: Rebuilt) -> None:
    """Compare the latest line of the ledger with the standing."""
    lines = ledger_ends(ladder)
    for row in standings:
        line = lines.get((row.version_id, row.seats))
        if line is None or any(getattr(line, name) != getattr(row, name) for name in TOLD):
            result.differences.append(
                f"ledger: does not end with the standing of version {row.version_id} "
                f"{_at(row.seats)}"
            )


def compare_fit(
    ladder: Ladder,
    progress: Progress,
    fit: Fit,
    standings: list[Standing],
    fitted: Iterable[tuple[int, bytes]],
    result: Rebuilt,
) -> None:
    """Compare the numbers that follow from the replayed blocks with the published ones."""
    anchors = Anchors(
        {int(version): elo for version, elo in fit.anchors.items()},
        {int(version): error for version, error in fit.anchor_errors.items()},
    )
    listed = {row.version_id for row in standings if row.rank is not None and not row.seats}
    collected = collect(fitted)
    known = set(collected.versions.tolist())
    snapshot = snapshot_of(
        ladder,
        progress,
        fit.serial,
        collected,
        anchors.among(known),
        listed & known,
    )
    if snapshot.digest != fit.digest:
        result.differences.append(f"fit {fit.number}: was made of other blocks, anchors or lists")
    figures = figures_of(snapshot)
    names = list(asdict(next(iter(figures.of.values())))) if figures.of else []
    stored = {
        (row.version_id, row.seats): {name: getattr(row, name) for name in names}
        for row in standings
    }
    computed = {key: asdict(figure) for key, figure in figures.of.items()}
    result.differences += _differing("standing of version {} at {} seats", stored, computed)
    result.numbers += len(names) * len(computed)
    if [asdict(check) for check in figures.anchors] != fit.anchor_checks:
        result.differences.append(f"fit {fit.number}: the checks of its anchors are others")


def _differing(
    what: str,
    stored: Mapping[Key, Mapping[str, object]],
    found: Mapping[Key, Mapping[str, object]],
) -> Iterator[str]:
    for key in sorted(stored.keys() | found.keys()):
        name = what.format(*key).replace(" at 0 seats", "")
        if key not in found:
            yield f"{name}: should not be there"
        elif key not in stored:
            yield f"{name}: is missing"
        else:
            for column, value in found[key].items():
                if stored[key][column] != value:
                    yield f"{name}: {column} is {stored[key][column]}, should be {value}"


def _at(seats: int) -> str:
    return f"at {seats} seats" if seats else "at all tables"

"""All inputs of a fit at one moment."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from damrak_ladder.matches.models import Ladder
from damrak_ladder.ratings import History, Scale, Tables
from damrak_ladder.standings.fit.anchors import Anchors, anchors_of, centre_of
from damrak_ladder.standings.fit.listed_versions import listed_among
from damrak_ladder.standings.models import Counted, Progress

_A_TIME: Final = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The blocks of a ladder, its anchors and its list."""

    serial: int  # of the latest counted block
    withdrawn: int
    fit: int  # the number of the previous fit
    versions: NDArray[np.int64]  # keys, ascending; the history contains indices into this array
    history: History
    last_block: int
    scale: Scale
    listed: NDArray[np.int32]  # indices into `versions`
    digest: str

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return len(self.history)

    @property
    def anchors(self) -> Anchors:
        """The anchors by key of version."""
        scale = self.scale
        return Anchors(
            {int(self.versions[at]): elo for at, elo in sorted(scale.anchors.items())},
            {int(self.versions[at]): error for at, error in sorted(scale.errors.items())},
        )


def load(ladder: Ladder, until: int | None = None) -> Snapshot:
    """Return the blocks counted up to this serial number, or until now.

    A block that is withdrawn during the call may be included or not: before publishing, check that
    `withdrawn` has not changed.
    """
    progress = Progress.objects.filter(pk=ladder.pk).first() or Progress(ladder=ladder)
    serial = progress.serial if until is None else until
    found = collect(rows_of(ladder, serial))
    anchors = anchors_of(ladder, found.versions.tolist())
    listed = listed_among(ladder, found.versions.tolist())
    return snapshot_of(ladder, progress, serial, found, anchors, listed)


def rows_of(ladder: Ladder, until: int) -> Iterator[tuple[int, bytes | memoryview[int]]]:
    """Yield the compact rows counted up to this serial number, by key of block.

    They are read in portions, because a cursor that is held open does not work with connection
    poolers. Together they are consistent: all rows with these serial numbers exist already, unless
    they are withdrawn.
    """
    rows = Counted.objects.filter(ladder=ladder, serial__lte=until).order_by("block")
    last = 0
    while some := list(rows.filter(block__gt=last).values_list("block_id", "results")[:_A_TIME]):
        last = some[-1][0]
        yield from some


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """Compact rows as arrays."""

    versions: NDArray[np.int64]
    history: History
    last_block: int
    hash: bytes


def collect(rows: Iterable[tuple[int, Any]]) -> Collected:
    """Return compact rows, in the order of their blocks, as arrays; needs little extra memory."""
    hash_ = hashlib.sha256()
    parts: dict[tuple[int, int], bytearray] = {}  # by number of seats and length
    last, some = 0, array("q")
    joined: list[bytes] = []
    for block, raw in rows:
        results = bytes(raw)
        parts.setdefault((results[0], len(results)), bytearray()).extend(results)
        some.append(block)
        joined.append(results)
        last = block
        if len(some) == _A_TIME:
            _digest(hash_, some, joined)
            some, joined = array("q"), []
    _digest(hash_, some, joined)
    tables: dict[int, list[_Part]] = {}
    for seats, length in sorted(parts):
        tables.setdefault(seats, []).append(_part(seats, length, parts[seats, length]))
    players = [part.players.ravel() for table in tables.values() for part in table]
    versions = np.unique(np.concatenate([np.empty(0, np.int64), *players])).astype(np.int64)
    history = History({seats: _table(tables[seats], versions) for seats in sorted(tables)})
    return Collected(versions, history, last, hash_.digest())


def snapshot_of(
    ladder: Ladder,
    progress: Progress,
    serial: int,
    found: Collected,
    anchors: Anchors,
    listed: Iterable[int],
) -> Snapshot:
    """Return a snapshot of these blocks, with these anchors and this list."""
    on_list = sorted(set(listed))
    centre = centre_of(ladder)
    terms: dict[str, Any] = {
        "anchors": sorted(anchors.elo.items()),
        "centre": centre,
        "listed": on_list,
    }
    if anchors.errors:
        terms["errors"] = sorted(anchors.errors.items())
    digest = hashlib.sha256(json.dumps(terms).encode() + found.hash).hexdigest()
    keys = np.array(sorted(anchors.elo), dtype=np.int64)
    places = dict(zip(keys.tolist(), np.searchsorted(found.versions, keys).tolist(), strict=True))
    return Snapshot(
        serial=serial,
        withdrawn=progress.withdrawn,
        fit=progress.fit,
        versions=found.versions,
        history=found.history,
        last_block=found.last_block,
        scale=Scale(
            {place: anchors.elo[key] for key, place in places.items()},
            centre,
            {place: anchors.errors[key] for key, place in places.items() if key in anchors.errors},
        ),
        listed=np.searchsorted(found.versions, np.array(on_list, dtype=np.int64)).astype(np.int32),
        digest=digest,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Blocks with equal numbers of seats and games."""

    players: NDArray[np.int64]
    games: int
    came: NDArray[np.uint8]  # games x seats


def _part(seats: int, length: int, data: bytearray) -> _Part:
    rows = np.frombuffer(data, dtype=np.uint8).reshape(-1, length)
    start = 1 + 4 * seats
    players = np.ascontiguousarray(rows[:, 1:start]).view("<u4").astype(np.int64)
    return _Part(players, (length - start) // seats, rows[:, start:].reshape(-1, seats))


def _table(parts: list[_Part], versions: NDArray[np.int64]) -> Tables:
    players = np.concatenate([part.players for part in parts])
    came = np.concatenate([part.came for part in parts])
    games = np.repeat([part.games for part in parts], [len(part.players) for part in parts])
    return Tables(
        players=np.searchsorted(versions, players).astype(np.int32),
        block=np.repeat(np.arange(len(players), dtype=np.int32), games),
        turns=(came >> 4 & 7).astype(np.int8),
        places=(came & 7).astype(np.int8),
    )


def _digest(hash_: Any, blocks: array[int], results: list[bytes]) -> None:
    hash_.update(np.frombuffer(blocks, dtype=np.int64).astype("<i8").tobytes())
    hash_.update(b"".join(results))

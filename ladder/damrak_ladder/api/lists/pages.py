"""Pages of matches and blocks, with selected fields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ninja import Schema

from damrak_ladder.api.lists.candidates import Candidate, scan
from damrak_ladder.api.lists.cursors import cursor_at, fingerprint, key_at
from damrak_ladder.api.lists.filters import PlayedFilter, selection_of
from damrak_ladder.api.lists.results import block_result, has_fault, match_result
from damrak_ladder.api.problems import Problem
from damrak_ladder.api.shapes import BlockShape, MatchShape, block_shape, match_shape
from damrak_ladder.matches.models import Block, Match
from damrak_ladder.tournaments.access import Viewer
from damrak_ladder.tournaments.visibility import passed

PAGING: Final = ("cursor", "limit", "fields")
"""Parameters that do not change which items are listed."""
KEY_LENGTH: Final = 3

Item = dict[str, Any]
Row = tuple[tuple[int, int, int], Item]
"""An item with its sort key: that of its block, and the number of the match within it."""


@dataclass(frozen=True, slots=True)
class Found:
    """The items of a page, and the cursor of the next one, or None."""

    items: list[Item]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class _Side:
    """The versions whose results and faults are wanted; None for all."""

    versions: Collection[int] | None
    result: str | None
    fault: str


@dataclass(frozen=True, slots=True)
class PlayedList:
    """A list of what was played: matches, or blocks."""

    name: str
    shape: type[Schema]
    least: int
    """The minimum number of items of a block."""
    rows: Callable[[Block, Sequence[Match], _Side], Iterator[Item | None]]


def page(of: PlayedList, wanted: PlayedFilter, viewer: Viewer) -> Found:
    """Return a page of what the viewer may see.

    Raises:
        Problem: a filter, the cursor or the fields are not valid.
    """
    fields = fields_of(of.shape, wanted.fields)
    filters = wanted.model_dump(exclude=set(PAGING))
    mark = fingerprint(of.name, filters)
    after = key_at(wanted.cursor, mark, KEY_LENGTH)
    rows: list[Row] = []
    end: tuple[int, int, int] | None = None
    for found, end in rows_of(of, wanted, viewer, after, -(-wanted.limit // of.least)):
        rows.extend(found)
        if len(rows) >= wanted.limit or end is None:
            break
    if len(rows) > wanted.limit:
        rows = rows[: wanted.limit]
        end = rows[-1][0]
    items = [selected(item, fields) for _, item in rows]
    return Found(items, None if end is None else cursor_at(mark, end))


def fields_of(shape: type[Schema], text: str) -> frozenset[str] | None:
    """Return the selected fields; None for all.

    Raises:
        Problem: there is no such field.
    """
    if not text:
        return None
    chosen = frozenset(name.strip() for name in text.split(","))
    unknown = sorted(chosen - set(shape.model_fields))
    if unknown:
        cure = f"choose from {', '.join(shape.model_fields)}"
        raise Problem(422, "bad-fields", f"fields: there is no field {unknown[0]!r}", cure)
    return chosen | {"id"}


def rows_of(
    of: PlayedList,
    wanted: PlayedFilter,
    viewer: Viewer,
    after: tuple[int, ...] | None,
    limit: int,
) -> Iterator[tuple[list[Row], tuple[int, int, int] | None]]:
    """Yield rows chunk by chunk, each with the key at which the list continues."""
    selection = selection_of(wanted, viewer)
    versions = None
    if selection.versions is not None and (wanted.result is not None or wanted.fault):
        versions = frozenset(selection.versions.values_list("pk", flat=True))
    side = _Side(versions, wanted.result, wanted.fault)
    begin = None if after is None else (after[0], after[1])
    if after is not None:  # the block of the last row may have more matches
        begin = (after[0], after[1] + (after[2] >= 0))
    for candidates, end in scan(selection, begin, limit):
        rows = _loaded(of, candidates, side)
        if after is not None:
            rows = [row for row in rows if _is_after(row[0], after)]
        yield rows, None if end is None else (*end, -1)


def _is_after(key: tuple[int, int, int], after: tuple[int, ...]) -> bool:
    """Return whether a row comes after this one: newer blocks first, matches by number."""
    if key[:2] != after[:2]:
        return key[:2] < after[:2]
    return after[2] >= 0 and key[2] > after[2]


def _loaded(of: PlayedList, candidates: Sequence[Candidate], side: _Side) -> list[Row]:
    full = (
        passed(Block)
        .select_related("ladder")
        .prefetch_related("matches__seats__version__bot__owner", "matches__seats__result")
    )
    found = full.in_bulk([one.block for one in candidates])
    rows: list[Row] = []
    for one in candidates:
        block = found[one.block]
        matches = sorted(block.matches.all(), key=lambda match: match.number)
        for match in matches:
            match.block = block
        for number, item in enumerate(of.rows(block, matches, side)):
            if item is not None:
                rows.append(((*one.key, number), item))
    return rows


def _matches(block: Block, matches: Sequence[Match], side: _Side) -> Iterator[Item | None]:
    for match in matches:
        is_wanted = side.result is None or match_result(match, side.versions) == side.result
        if is_wanted and side.fault:
            is_faulty = has_fault(match, side.versions, side.fault)
            is_wanted = is_faulty == (side.fault != "none")
        yield match_shape(match).model_dump(mode="json") if is_wanted else None


def _blocks(block: Block, matches: Sequence[Match], side: _Side) -> Iterator[Item | None]:
    is_wanted = side.result is None or block_result(matches, side.versions) == side.result
    if side.fault == "none":
        is_wanted = is_wanted and not any(
            has_fault(match, side.versions, "any") for match in matches
        )
    yield block_shape(block, matches).model_dump(mode="json") if is_wanted else None


def selected(item: Item, fields: frozenset[str] | None) -> Item:
    return item if fields is None else {name: item[name] for name in item if name in fields}


MATCHES: Final = PlayedList("matches", MatchShape, 2, _matches)
BLOCKS: Final = PlayedList("blocks", BlockShape, 1, _blocks)

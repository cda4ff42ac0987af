"""The order of entrants by points and tie-breaks, and which criterion decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from damrak_ladder.tournaments.formats.history import by_seed
from damrak_ladder.tournaments.formats.rules import StageRules
from damrak_ladder.tournaments.formats.tie_breaks import Record, head_to_head, values
from damrak_ladder.tournaments.formats.values import Entrant, Round, Row, Value

_HEAD_TO_HEAD = "head-to-head"


def rank(
    rules: StageRules,
    entrants: Sequence[Entrant],
    rounds: Sequence[Round],
    group: int = 0,
    earlier: Mapping[int, Fraction] | None = None,
) -> list[Row]:
    """Returns the rows of these entrants by points and tie-breaks over these rounds."""
    known = {it.number for it in entrants}
    own = [[r for r in results if known.issuperset(r.pairing.entrants)] for results in rounds]
    record = Record(rules, entrants, own, earlier or {})
    ranked = [it.number for it in by_seed(entrants) if not it.guest]
    shown: dict[int, list[Value]] = {it.number: [] for it in entrants}
    decided: dict[int, str] = {}
    groups = _split([ranked], {it: record.points[it] for it in ranked}, "points", decided)
    for name in rules.order:
        groups = _apply(record, name, groups, shown, decided)
    rows, place = [], 1
    for tied in groups:
        for number in tied:
            rows.append(_row(record, number, place, group, shown[number], decided.get(number, "")))
        place += len(tied)
    for guest in (it for it in by_seed(entrants) if it.guest):
        rows.append(_row(record, guest.number, None, group, shown[guest.number], ""))
    return rows


def _row(
    record: Record, number: int, place: int | None, group: int, tie_breaks: list[Value], by: str
) -> Row:
    return Row(
        number=number,
        place=place,
        points=record.points[number],
        tie_breaks=tuple(tie_breaks),
        decided_by=by,
        group=group,
        played=len(record.meetings(number)),
        byes=sum(it.pairing.is_bye and it.points[0] > 0 for _, it in record.results[number]),
    )


def _apply(
    record: Record,
    name: str,
    groups: list[list[int]],
    shown: dict[int, list[Value]],
    decided: dict[int, str],
) -> list[list[int]]:
    """Returns the groups of tied entrants, split by one more criterion; notes its values."""
    if name != _HEAD_TO_HEAD:
        found = values(record, name, shown)
        for number, value in found.items():
            shown[number].append(Value(name, abs(value) if name == "seed" and value else value))
        return _split(groups, found, name, decided)
    split: list[list[int]] = []
    tied_numbers = {number for tied in groups if len(tied) > 1 for number in tied}
    for tied in groups:
        values_ = head_to_head(record, tied) if len(tied) > 1 else None
        for number in tied:
            value = values_[number] if values_ else None
            skipped = number in tied_numbers and values_ is None
            shown[number].append(Value(name, value, skipped=skipped))
        split += _split([tied], values_, name, decided) if values_ else [tied]
    for number, row in shown.items():
        if not row or row[-1].name != name:
            shown[number].append(Value(name, None))  # a guest
    return split


def _split(
    groups: list[list[int]],
    found: Mapping[int, Fraction | None],
    name: str,
    decided: dict[int, str],
) -> list[list[int]]:
    split: list[list[int]] = []

    def key(number: int) -> Fraction:
        value = found[number]
        return Fraction(0) if value is None else -value

    for tied in groups:
        parts = [list(part) for _, part in groupby(sorted(tied, key=key), key)]
        for part in parts[1:]:
            for number in part[:1]:
                decided[number] = name
        split += parts
    return split

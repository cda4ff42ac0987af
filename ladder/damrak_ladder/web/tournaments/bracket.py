"""The bracket of a knockout: the content of its slots, and their places in a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from django.utils.translation import gettext

from damrak_ladder.tournaments import formats
from damrak_ladder.tournaments.documents import Names
from damrak_ladder.tournaments.formats import Slot
from damrak_ladder.tournaments.formats.brackets import FINAL, RESET, THIRD_PLACE
from damrak_ladder.tournaments.log.course import Verdict, field_of
from damrak_ladder.tournaments.log.state import Stage
from damrak_ladder.web.site.tags import bot_name
from damrak_ladder.web.tournaments.lookup import Found
from damrak_ladder.web.tournaments.tags import exact

WIDTH: Final = 1180
"""The width of the drawing, in its own units: pixels in a window of 1280."""

LINE: Final = 16  # the height of an entrant
_GAP: Final = 6  # between slots
_BETWEEN: Final = 18  # between columns
_HEAD: Final = 28  # the height of the names of rounds
_LETTER: Final = 6.6  # the mean width of a letter


@dataclass(frozen=True, slots=True)
class Side:
    """An entrant of a slot; `slug` is empty while it is not known."""

    slug: str = ""
    name: str = ""
    short: str = ""  # as much of the name as fits
    seed: int | None = None
    score: str = ""
    is_winner: bool = False
    left: float = 0.0  # of the line of text
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class Duel:
    """A slot of the bracket that is or will be played, and its place in the drawing."""

    slot: str
    sides: Sequence[Side]
    round: int
    table: int | None  # None while the round is not paired
    x: float
    y: float  # of its upper edge
    height: float
    right: float  # where scores end
    paths: Sequence[str]  # the lines from earlier slots


@dataclass(frozen=True, slots=True)
class Column:
    """Slots of one round and one part of the bracket."""

    name: str
    x: float
    y: float
    duels: Sequence[Duel]


@dataclass(frozen=True, slots=True)
class Bracket:
    """The whole bracket."""

    columns: Sequence[Column]
    width: int
    height: int
    box: float  # the width of a slot


def bracket_of(found: Found, stage: Stage, names: Names) -> Bracket:
    """Return the bracket of a knockout as far as the viewer may know it."""
    seen = found.seen
    field = field_of(seen.state, stage)
    played = seen.course.played(stage)
    slots = [
        one for one in formats.bracket(stage.plan.rules, field, played) if not _is_walkover(one)
    ]
    verdicts = {
        one.pairing.slot: (made.key.number, one)
        for made in stage.rounds
        for one in seen.course.verdicts[made.key]
    }
    seeds = {one.number: one.seed for one in field}
    return _Drawing(slots, verdicts, seeds, names).drawn()


def _is_walkover(slot: Slot) -> bool:
    """Return whether at most one entrant can be in this slot."""
    return sum(entrant != 0 for entrant in slot.entrants) < 2


class _Drawing:
    """Places the slots: each in the middle between those that lead to it."""

    def __init__(
        self,
        slots: Sequence[Slot],
        verdicts: Mapping[str, tuple[int, Verdict]],
        seeds: Mapping[int, int],
        names: Names,
    ) -> None:
        self._slots = slots
        self._verdicts = verdicts
        self._seeds = seeds
        self._names = names
        self._parts = _parts(slots)
        self._column = WIDTH / max([1, *(column + 1 for column, _ in self._parts.values())])
        self._box = self._column - _BETWEEN
        self._middles: dict[str, float] = {}

    def drawn(self) -> Bracket:
        lines = max((len(slot.entrants) for slot in self._slots), default=2)
        pitch = lines * LINE + _GAP
        upper = self._most("W", "F") * pitch
        lower = self._most("L") * pitch
        top = {"W": _HEAD, "L": upper + 2 * _HEAD}
        columns = []
        order = sorted(self._slots, key=lambda slot: (*self._place(slot), _number(slot.name)))
        for (part, column, is_third), group in groupby(order, key=self._place):
            here = list(group)
            start, height = top[part], upper if part == "W" else lower
            duels = [self._duel(one, at, start, height, pitch) for at, one in enumerate(here)]
            title = _title(here[0], [one.name for one in self._slots])
            title_y = duels[0].y - 6 if is_third else start - 10
            columns.append(Column(title, column * self._column, title_y, duels))
        bottom = max((duel.y + duel.height for one in columns for duel in one.duels), default=0)
        return Bracket(columns, WIDTH, round(bottom + _GAP), self._box)

    def _place(self, slot: Slot) -> tuple[str, int, bool]:
        column, part = self._parts[slot.name]
        return part, column, slot.name == THIRD_PLACE

    def _most(self, *parts: str) -> int:
        """Return the number of rows that these parts need."""
        names = [slot.name for slot in self._slots if slot.name[0] in parts]
        firsts = [name for name in names if self._parts[name][0] == 0]
        seconds = [name for name in names if self._parts[name][0] == 1]
        return max(len(firsts), 2 * len(seconds) if parts[0] == "W" else len(seconds), 1)

    def _duel(self, slot: Slot, at: int, start: float, height: float, pitch: float) -> Duel:
        column, _ = self._parts[slot.name]
        size = len(slot.entrants) * LINE
        feeders = [
            source.slot
            for source in slot.sources
            if source.slot in self._middles and source.kind == "winner"
        ]
        feeders = list(dict.fromkeys(feeders))
        same = [one for one in feeders if self._parts[one][1] == self._parts[slot.name][1]]
        if slot.name == THIRD_PLACE:
            middle = self._middles[FINAL] + 2 * pitch
        elif slot.name == RESET:
            middle = self._middles[FINAL]
        else:
            middle = start + self._row(slot, height)
            if same and len(same) == len([one for one in slot.sources if one.kind == "winner"]):
                middle = sum(self._middles[one] for one in same) / len(same)
        self._middles[slot.name] = middle
        x, y = column * self._column, middle - size / 2
        paths = [
            f"M{self._parts[one][0] * self._column + self._box:g} {self._middles[one]:g}"
            f"H{x - _BETWEEN / 2:g}V{middle:g}H{x:g}"
            for one in same
            if slot.name != THIRD_PLACE
        ]
        number, verdict = self._verdicts.get(slot.name, (slot.round, None))
        sides = [
            self._side(slot, entrant, verdict, x + 22, y + line * LINE + 12)
            for line, entrant in enumerate(slot.entrants)
        ]
        table = None if verdict is None else verdict.pairing.key.table
        return Duel(slot.name, sides, number, table, x, y, size, x + self._box - 5, paths)

    def _row(self, slot: Slot, height: float) -> float:
        """Return the middle of a slot by its number alone, in a column as high as the part."""
        if "." not in slot.name:
            return height / 2
        _, part = self._parts[slot.name]
        first = {name for name, (_, own) in self._parts.items() if own == part and "." in name}
        level = slot.name.partition(".")[0]
        known = max(_number(name) for name in first if name.partition(".")[0] == level)
        total = 1
        while total < known:
            total *= 2
        return height * (_number(slot.name) - 0.5) / total

    def _side(
        self, slot: Slot, entrant: int | None, verdict: Verdict | None, left: float, y: float
    ) -> Side:
        if not entrant:
            return Side(left=left, y=y)
        bot = self._names.entrants[entrant].bot
        score = ""
        if verdict is not None and verdict.result is not None:
            numbers = verdict.pairing.entrants
            if entrant in numbers:
                score = exact(verdict.result.points[numbers.index(entrant)])
        name = bot_name(bot.slug, bot.name)
        fits = int((self._box - 32 - _LETTER * len(score)) / _LETTER)
        short = name if len(name) <= fits else name[: max(1, fits - 1)] + "…"
        is_winner = entrant in slot.winners
        return Side(bot.slug, name, short, self._seeds.get(entrant), score, is_winner, left, y)


def _parts(slots: Sequence[Slot]) -> dict[str, tuple[int, str]]:
    """Return the column of each slot, and its part: W for the upper bracket, L for the lower."""
    found: dict[str, tuple[int, str]] = {}
    for slot in slots:
        if slot.name[0] in "WL" and "." in slot.name:
            found[slot.name] = (int(slot.name[1:].partition(".")[0]) - 1, slot.name[0])
    shift = {
        part: min((column for column, own in found.values() if own == part), default=0)
        for part in "WL"
    }
    found = {name: (column - shift[part], part) for name, (column, part) in found.items()}
    last = max((column for column, part in found.values() if part == "W"), default=-1)
    found[FINAL] = (last + 1, "W")
    found[THIRD_PLACE] = (last + 1, "W")
    found[RESET] = (last + 2, "W")
    return {slot.name: found[slot.name] for slot in slots}


def _number(name: str) -> int:
    """Return the number of a slot in its column; the third place follows the final."""
    tail = name.partition(".")[2]
    return int(tail) if tail else 1 + (name == THIRD_PLACE)


def _title(slot: Slot, names: Sequence[str]) -> str:
    if slot.name == FINAL:
        return gettext("Final")
    if slot.name == RESET:
        return gettext("Second final")
    if slot.name == THIRD_PLACE:
        return gettext("Third place")
    if slot.name[0] == "L":
        level = int(slot.name[1:].partition(".")[0])
        return gettext("Lower round %(number)s") % {"number": level}
    is_double = any(name[0] == "L" for name in names)
    level = int(slot.name[1:].partition(".")[0])
    if is_double:
        return gettext("Upper round %(number)s") % {"number": level}
    last = max((int(n[1:].partition(".")[0]) for n in names if n[0] == "W"), default=1)
    if last - level < 2:
        return gettext("Semi-finals") if last == level else gettext("Quarter-finals")
    return gettext("Round %(number)s") % {"number": level}

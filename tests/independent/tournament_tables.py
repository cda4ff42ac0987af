"""An independent program: it computes the tables of a tournament from its exported JSON alone.

It was written from the description of the export and uses the standard library only. It covers
round robins and Swiss tournaments with points by share, and knockouts for two without a pairing for
the third place; it refuses cullings. Usage: `python tournament_tables.py [--check] FILE`; with
`--check` it compares its tables with those of the file, and exits with 1 if there is a difference.
"""

from __future__ import annotations

import itertools
import json
import sys
from fractions import Fraction
from typing import Any

HALF = Fraction(1, 2)
Table = list[tuple[int, str, str]]


def tables_of(export: dict[str, Any]) -> list[Table]:
    """Return for each stage its rows, best first: place, bot and points."""
    out = {
        one["entrant"]: one["ruling"]
        for one in export["entrants"]
        if one["state"] == "disqualified"
    }
    names = {one["entrant"]: one["bot"] for one in export["entrants"]}
    return [
        _knockout(stage, rules, names)
        if rules["format"].endswith("elimination")
        else _Stage(stage, rules, out).table(names)
        for stage, rules in zip(export["stages"], export["rules"]["stages"], strict=True)
        if stage["rounds"]
    ]


def _knockout(stage: dict[str, Any], rules: dict[str, Any], names: dict[int, str]) -> Table:
    """Return the rows of a bracket: a later exit is a better place, won pairings are points."""
    seeds: list[int] = stage["entrants"]
    lives = 2 if rules["format"] == "double-elimination" else 1
    losses, won = dict.fromkeys(seeds, 0), dict.fromkeys(seeds, 0)
    left: dict[int, int] = {}
    for number, played in enumerate(stage["rounds"], 1):
        if any(one["state"] != "decided" for one in played["pairings"]):
            break
        for pairing in played["pairings"]:
            if pairing["bye"]:
                continue
            winner, loser = _duel(pairing, seeds, played["blocks"])
            won[winner] += 1
            losses[loser] += 1
            if losses[loser] == lives:
                left[loser] = number
    late = len(stage["rounds"]) + 1
    ordered = sorted(seeds, key=lambda one: (-left.get(one, late), seeds.index(one)))
    rows: Table = []
    place = 1
    for at, one in enumerate(ordered):
        if at and left.get(one, late) != left.get(ordered[at - 1], late):
            place = at + 1
        rows.append((place, names[one], str(won[one])))
    return rows


def _duel(pairing: dict[str, Any], seeds: list[int], planned: int) -> tuple[int, int]:
    """Return winner and loser: by the games, by the first decisive further block, or by seed."""
    one, other = (it["entrant"] for it in pairing["entrants"])
    if pairing["forfeited"]:
        [loser] = pairing["forfeited"]
        return (other, one) if loser == one else (one, other)
    blocks = [
        sum((_share(*game["places"]) - HALF for game in block["games"]), Fraction(0))
        for block in pairing["blocks"]
        if block["games"]
    ]
    leads = [sum(blocks[:planned], Fraction(0)), *blocks[planned:]]
    lead = next((it for it in leads if it), Fraction(0))
    if not lead:
        lead = Fraction(seeds.index(other) - seeds.index(one))
    return (one, other) if lead > 0 else (other, one)


class _Stage:
    def __init__(self, stage: dict[str, Any], rules: dict[str, Any], out: dict[int, str]) -> None:
        self.entrants: list[int] = stage["entrants"]
        self.rounds = 0
        self.points = dict.fromkeys(self.entrants, Fraction(0))
        self.met: dict[int, list[tuple[int, Fraction]]] = {one: [] for one in self.entrants}
        self.firsts = dict.fromkeys(self.entrants, Fraction(0))
        self.goods = dict.fromkeys(self.entrants, 0)
        self.games = dict.fromkeys(self.entrants, 0)
        self.scored = dict.fromkeys(self.entrants, 0)
        self.own = dict.fromkeys(self.entrants, Fraction(0))
        self.meetings = dict.fromkeys(self.entrants, 0)
        self.rules, self.out = rules, out
        for played in stage["rounds"]:
            if any(one["state"] != "decided" for one in played["pairings"]):
                break
            self.rounds += 1
            for pairing in played["pairings"]:
                self._count(pairing)

    def _count(self, pairing: dict[str, Any]) -> None:
        seats = [one["entrant"] for one in pairing["entrants"]]
        if len(seats) == 1:
            given = self.rules["bye_points"]
            usual = Fraction(1) if self.rules["players"] == 2 else HALF
            self.points[seats[0]] += usual if given is None else Fraction(given)
            return
        games = self._games(pairing)
        if pairing["places"]:
            games = [(pairing["places"], None)]
        losers = set(pairing["forfeited"])
        if pairing["how"] == "award":
            losers = {one for one in seats if self.out.get(one, "keep") != "keep"}
        if pairing["how"] == "void":
            return
        shares = [[Fraction(0)] * len(seats) for _ in seats]
        for a, b in itertools.permutations(range(len(seats)), 2):
            if seats[a] in losers or seats[b] in losers:
                shares[a][b] = Fraction(seats[a] not in losers)
            elif pairing["how"] == "forfeit":
                shares[a][b] = HALF
            else:
                won = [_share(places[a], places[b]) for places, _ in games]
                shares[a][b] = sum(won, Fraction(0)) / len(won)
        for a, number in enumerate(seats):
            taken = sum(shares[a], Fraction(0)) / (len(seats) - 1)
            taken = Fraction(0) if number in losers else taken
            self.points[number] += taken
            if pairing["how"] != "forfeit":
                self._meet(a, seats, shares, games, taken)

    def _games(self, pairing: dict[str, Any]) -> list[tuple[list[int], list[int] | None]]:
        return [
            (game["places"], game["points"])
            for block in pairing["blocks"]
            for game in block["games"] or ()
        ]

    def _meet(self, a: int, seats: list[int], shares: Any, games: Any, taken: Fraction) -> None:
        number = seats[a]
        self.meetings[number] += 1
        self.own[number] += taken
        for b, other in enumerate(seats):
            if a != b:
                self.met[number].append((other, shares[a][b]))
        self.games[number] += len(games)
        for places, points in games:
            if places[a] == min(places):
                self.firsts[number] += Fraction(1, places.count(min(places)))
            if points is not None:
                self.goods[number] += points[a]
                self.scored[number] += 1

    def table(self, names: dict[int, str]) -> Table:
        ordered = [[*self.entrants]]
        ordered = _split(ordered, lambda tied: {one: self.points[one] for one in tied})
        for name in self._order():
            ordered = _split(ordered, lambda tied, name=name: self._value(name, tied))
        rows, place = [], 1
        for tied in ordered:
            rows += [(place, names[one], str(self.points[one])) for one in tied]
            place += len(tied)
        return rows

    def _order(self) -> list[str]:
        if self.rules["tie_breaks"] is not None:
            return list(self.rules["tie_breaks"])
        if self.rules["format"].startswith("swiss"):
            return ["buchholz-cut-1", "buchholz", "sonneborn-berger", "head-to-head",
                    "first-places", "seed"]  # fmt: skip
        return ["head-to-head", "sonneborn-berger", "first-places", "game-points", "seed"]

    def _adjusted(self, number: int) -> Fraction:
        return self.own[number] + HALF * max(0, self.rounds - self.meetings[number])

    def _value(self, name: str, tied: list[int]) -> dict[int, Fraction]:
        match name:
            case "buchholz" | "buchholz-cut-1":
                return {one: self._buchholz(one, cut=name.endswith("1")) for one in tied}
            case "sonneborn-berger":
                return {
                    one: _mean([won * self._adjusted(other) for other, won in self.met[one]])
                    for one in tied
                }
            case "head-to-head":
                return self._direct(tied)
            case "first-places":
                return {one: _per(self.firsts[one], self.games[one]) for one in tied}
            case "game-points":
                return {one: _per(Fraction(self.goods[one]), self.scored[one]) for one in tied}
            case _:
                return {one: Fraction(-self.entrants.index(one)) for one in tied}

    def _buchholz(self, number: int, *, cut: bool) -> Fraction:
        found = sorted(self._adjusted(other) for other, _ in self.met[number])
        return _mean(found[1:] if cut and len(found) > 1 else found)

    def _direct(self, tied: list[int]) -> dict[int, Fraction]:
        taken = dict.fromkeys(tied, Fraction(0))
        met = dict.fromkeys(map(frozenset, itertools.combinations(tied, 2)), 0)
        for one in tied:
            for other, won in self.met[one]:
                if other in taken:
                    taken[one] += won
                    met[frozenset((one, other))] += 1
        if len(set(met.values())) != 1 or 0 in met.values():
            return dict.fromkeys(tied, Fraction(0))
        return taken


def _share(mine: int, theirs: int) -> Fraction:
    return Fraction(1) if mine < theirs else HALF if mine == theirs else Fraction(0)


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def _per(total: Fraction, games: int) -> Fraction:
    return total / games if games else Fraction(0)


def _split(groups: list[list[int]], value_of: Any) -> list[list[int]]:
    found: list[list[int]] = []
    for tied in groups:
        values = value_of(tied)
        ordered = sorted(tied, key=lambda one: -values[one])
        found += [list(part) for _, part in itertools.groupby(ordered, values.__getitem__)]
    return found


def differences(export: dict[str, Any]) -> list[str]:
    """Return the differences between these tables and those of the export, a line each."""
    found = tables_of(export)
    shown = [
        [(row["place"], row["bot"], row["points"]) for row in table["rows"]]
        for table in export["standings"]
    ]
    if len(found) != len(shown):
        return [f"{len(shown)} tables in the file, {len(found)} computed"]
    return [
        f"table {at}: {theirs} in the file, {ours} computed"
        for at, tables in enumerate(zip(shown, found, strict=True), 1)
        for theirs, ours in itertools.zip_longest(*tables)
        if theirs != ours
    ]


def main(arguments: list[str]) -> int:
    """Print the tables, or with `--check` their differences; return the exit code."""
    is_check = arguments[:1] == ["--check"]
    with open(arguments[-1], encoding="utf-8") as file:
        export = json.load(file)
    if any(rules["format"] == "culling" for rules in export["rules"]["stages"]):
        print("this program does not cover cullings", file=sys.stderr)
        return 2
    tables = tables_of(export)
    if is_check:
        found = differences(export)
        rows = sum(len(table) for table in tables)
        print(*found, f"{len(tables)} tables, {rows} rows, {len(found)} differences", sep="\n")
        return 1 if found else 0
    for table in tables:
        for row in table:
            print(*row, sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The tallies that pages show: adding a block to them and subtracting it.

All are sums of whole numbers, so a withdrawn block leaves no trace.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

from django.db import connection
from django.db.models import Model

from damrak_ladder.standings.models import Meeting, Tally
from damrak_ladder.standings.packed_blocks import Outcome
from damrak_statistics.block_scores import comparisons

Key = TypeVar("Key", bound="tuple[int, ...]")

PLACES: Final = ("first", "second", "third", "fourth")
TALLIED: Final = ("games", "blocks", "halves", *PLACES, "points", "faults")
MET: Final = (
    *("blocks", "games", "wins", "ties"),
    *("halves_squared", "halves_by_most", "most_squared"),
)
_A_TIME: Final = 500


def tallies_of(outcomes: Iterable[Outcome]) -> dict[tuple[int, int, int], dict[str, int]]:
    """Return the values to add, by version, table size and turn."""
    sums: dict[tuple[int, int, int], dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(TALLIED, 0)
    )
    for outcome in outcomes:
        players = outcome.block.players
        seats = len(players)
        for player in players:
            sums[player, seats, 0]["blocks"] += 1
        games = zip(outcome.block.games, outcome.points, outcome.faults, strict=True)
        for game, points, faults in games:
            halves = comparisons(game.places)
            for column, player in enumerate(players):
                row = sums[player, seats, game.turns[column]]
                row["games"] += 1
                row["halves"] += halves[column]
                row[PLACES[game.places[column] - 1]] += 1
                row["points"] += points[column]
                row["faults"] += faults[column]
    return dict(sums)


def meetings_of(outcomes: Iterable[Outcome]) -> dict[tuple[int, int], dict[str, int]]:
    """Return the values to add, by version and opponent."""
    sums: dict[tuple[int, int], dict[str, int]] = defaultdict(lambda: dict.fromkeys(MET, 0))
    for outcome in outcomes:
        players, games = outcome.block.players, outcome.block.games
        for own, other in itertools.permutations(range(len(players)), 2):
            wins = sum(game.places[own] < game.places[other] for game in games)
            ties = sum(game.places[own] == game.places[other] for game in games)
            halves, most = 2 * wins + ties, 2 * len(games)
            row = sums[players[own], players[other]]
            row["blocks"] += 1
            row["games"] += len(games)
            row["wins"] += wins
            row["ties"] += ties
            row["halves_squared"] += halves * halves
            row["halves_by_most"] += halves * most
            row["most_squared"] += most * most
    return dict(sums)


def add(ladder: int, outcomes: Sequence[Outcome], sign: int = 1) -> None:
    """Add the outcomes of these blocks to the tallies; with a sign of -1, subtract them."""
    tallies, meetings = tallies_of(outcomes), meetings_of(outcomes)
    _add(Tally, ladder, ("version_id", "seats", "turn"), tallies, TALLIED, sign)
    _add(Meeting, ladder, ("version_id", "opponent_id"), meetings, MET, sign)
    if sign < 0:
        versions = {key[0] for key in tallies}
        for model in (Tally, Meeting):
            rows = model._base_manager.filter(ladder_id=ladder, version_id__in=versions)
            rows.filter(blocks=0, games=0).delete()


def _add(
    model: type[Model],
    ladder: int,
    keys: tuple[str, ...],
    sums: Mapping[Key, Mapping[str, int]],
    columns: tuple[str, ...],
    sign: int,
) -> None:
    """Add values to a few hundred rows in one statement, without reading them first."""
    todo = sorted(sums)  # always in the same order, to avoid deadlocks
    names = ("ladder_id", *keys, *columns)
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    changes = ", ".join(
        f"{quote(name)} = {table}.{quote(name)} + EXCLUDED.{quote(name)}" for name in columns
    )
    one = f"({', '.join(['%s'] * len(names))})"
    for start in range(0, len(todo), _A_TIME):
        some = todo[start : start + _A_TIME]
        values = [
            value
            for key in some
            for value in (ladder, *key, *(sign * sums[key][name] for name in columns))
        ]
        with connection.cursor() as cursor:
            # Only column names of our own are formatted into the statement; all other values are
            # parameters.
            cursor.execute(
                f"INSERT INTO {table} ({', '.join(map(quote, names))}) "  # noqa: S608
                f"VALUES {', '.join([one] * len(some))} "
                f"ON CONFLICT ({', '.join(map(quote, names[: len(keys) + 1]))}) "
                f"DO UPDATE SET {changes}",
                values,
            )

"""Strengths of bots by the visible games of tournaments, with the shrinkage of ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from damrak_ladder.ratings import Block, Game, History, rate
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.disclosure import Disclosed
from damrak_ladder.tournaments.log.course import Results
from damrak_ladder.tournaments.models import Tournament

WIDE = 150.0
"""The deviation of the strength of a bot without games, in Elo."""


@dataclass(frozen=True, slots=True)
class Known:
    """The strength of a bot in Elo, and its standard error."""

    elo: float
    error: float
    games: int


def visible_games(tournament: Tournament, seen: Disclosed) -> list[Block]:
    """Return the counted blocks that the viewer may know, with the keys of bots as players.

    The turns follow the rotation of the seats, as the blocks of a tournament are booked.
    """
    return list(_games(seen, journal.results_of(tournament)))


def strengths(blocks: Sequence[Block]) -> Mapping[int, Known]:
    """Return the strengths of all players of these blocks, fitted to all of them at once.

    Estimates are shrunk towards the mean of the field as those of ladders are (docs/ratings.md).
    """
    bots = sorted({bot for block in blocks for bot in block.players})
    at = {bot: number for number, bot in enumerate(bots)}
    if len(bots) < 2:
        return {}
    played = [Block(tuple(at[bot] for bot in one.players), one.games) for one in blocks]
    ratings = rate(History.of(played), len(bots))
    return {
        bot: Known(
            float(ratings.elo[number]), float(ratings.widths[number]), int(ratings.games[number])
        )
        for bot, number in at.items()
    }


def _games(seen: Disclosed, results: Results) -> Iterator[Block]:
    state = seen.state
    for verdicts in seen.course.verdicts.values():
        for verdict in verdicts:
            pairing = verdict.pairing
            if seen.is_hidden(pairing.key) or len(pairing.entrants) < 2:
                continue
            bots = tuple(state.entrants[number].bot for number in pairing.entrants)
            for number in verdict.recorded:
                found = results.get(pairing.block_key(number), ())
                count = len(bots)
                games = tuple(
                    Game(tuple((seat + at) % count for seat in range(count)), game.places)
                    for at, game in enumerate(found)
                )
                if games:
                    yield Block(bots, games)

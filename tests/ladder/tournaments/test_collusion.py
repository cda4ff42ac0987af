"""The collusion report finds a planted favour, and accuses nobody without one."""

from __future__ import annotations

import math
import random

from damrak_ladder.ratings import Block, Game
from damrak_ladder.tournaments.collusion import Findings, findings

BOTS = 12


def report(favour: float, blocks: int = 900) -> Findings:
    """Return the report on random tables at which bot 1 plays better beside bot 2."""
    rng = random.Random(1)
    strength = {bot: rng.gauss(0, 0.5) for bot in range(BOTS)}
    played = []
    for _ in range(blocks):
        bots = tuple(rng.sample(range(BOTS), 4))
        here = {bot: strength[bot] + favour * (bot == 1 and 2 in bots) for bot in bots}
        games = []
        for turn in range(4):
            keys = {bot: here[bot] - math.log(rng.expovariate(1)) for bot in bots}
            order = sorted(bots, key=lambda bot: -keys[bot])
            turns = tuple((seat + turn) % 4 for seat in range(4))
            games.append(Game(turns, tuple(order.index(bot) + 1 for bot in bots)))
        played.append(Block(bots, tuple(games)))
    return findings(played, dict.fromkeys((1, 2), 7))


def test_planted_favour_is_found_and_nothing_else() -> None:
    found = report(2.0)
    assert [(one.who, one.beside) for one in found.remarkable] == [(1, 2)]
    assert found.remarkable[0].gain > 0.1
    assert found.together > 30


def test_fair_tables_are_unremarkable_and_needed_meetings_are_stated() -> None:
    found = report(0.0)
    assert found.remarkable == []
    assert len(found.pairs) == BOTS * (BOTS - 1)
    assert all(50 < one.needed < 600 for one in found.pairs)
    few = report(2.0, blocks=6)
    assert few.remarkable == []
    assert not any(one.is_enough for one in few.pairs)
    assert report(0.0, blocks=0).pairs == []

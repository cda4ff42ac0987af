"""Times of pairing and of tables, for tournaments of made-up bots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from random import Random
from time import perf_counter, process_time
from typing import Final

from damrak_ladder.tournaments.formats import (
    Entrant,
    GameResult,
    Pairing,
    PairingResult,
    StageRules,
    bye,
    pair_round,
    score_pairing,
    standings,
)

ROUNDS: Final = 9
FIELDS: Final = ((2, 200, 0.2), (2, 1000, 5.0), (4, 33, 1.0), (4, 200, 1.0))
"""Players at a table, entrants, and the time that a round may take, in seconds."""

Rounds = list[list[PairingResult]]
Times = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of one operation in seconds; `processor` is the median without waiting."""

    name: str
    median: float
    slowest: float
    processor: float
    budget: float | None
    rematches: int | None = None

    def as_row(self) -> dict[str, object]:
        """Returns a row of a table for people."""
        return {
            "what": self.name,
            "median": f"{self.median:.3f} s",
            "slowest": f"{self.slowest:.3f} s",
            "processor": f"{self.processor:.3f} s",
            "budget": None if self.budget is None else f"{self.budget:g} s",
            "rematches": self.rematches,
        }


def measure(report: Callable[[str], None]) -> list[Timing]:
    """Returns the times of pairing 9 rounds of each field, and of tables after them."""
    found = []
    for players, entrants, budget in FIELDS:
        name = "for two" if players == 2 else f"at tables of {players}"
        report(f"pairing {entrants} entrants {name}")
        rounds, times, rematches = _play(players, entrants)
        what = f"a round of {entrants} {name}"
        found.append(_timing(what, times, budget, rematches))
        if entrants == 200:
            report(f"the table of {entrants} entrants {name}")
            times = _tables(players, entrants, rounds)
            what = f"table of {entrants} {name} after {ROUNDS} rounds"
            found.append(_timing(what, times, None))
    return found


def _timing(
    name: str, times: list[Times], budget: float | None, rematches: int | None = None
) -> Timing:
    elapsed, processor = (sorted(column) for column in zip(*times, strict=True))
    middle = len(times) // 2
    return Timing(name, elapsed[middle], elapsed[-1], processor[middle], budget, rematches)


def _rules(players: int) -> StageRules:
    return StageRules(
        format="swiss" if players == 2 else "swiss-tables", players=players, rounds=ROUNDS
    )


def _play(players: int, count: int) -> tuple[Rounds, list[Times], int]:
    """Returns the rounds of a tournament, the time of each pairing, and all rematches."""
    random = Random(1)  # noqa: S311 - made-up games
    strengths = {number: random.gauss(0, 150) / 174 for number in range(1, count + 1)}
    entrants = [Entrant(number, number) for number in strengths]
    rules = _rules(players)
    rounds: Rounds = []
    times: list[Times] = []
    rematches = 0
    for number in range(ROUNDS):
        begun = perf_counter(), process_time()
        found = pair_round(rules, entrants, rounds, seed=str(number))
        times.append((perf_counter() - begun[0], process_time() - begun[1]))
        assert found is not None
        rematches += int(found.cost["rematches"])
        rounds.append([_result(rules, it, strengths, random) for it in found.pairings])
    return rounds, times, rematches


def _result(
    rules: StageRules, pairing: Pairing, strengths: dict[int, float], random: Random
) -> PairingResult:
    if pairing.is_bye:
        return bye(rules, pairing)
    games = []
    for _ in pairing.entrants:
        keys = {it: strengths[it] - log(random.expovariate(1.0)) for it in pairing.entrants}
        order = sorted(keys, key=keys.__getitem__, reverse=True)
        games.append(GameResult(tuple(order.index(it) + 1 for it in pairing.entrants)))
    return score_pairing(rules, pairing, [games])


def _tables(players: int, count: int, rounds: Rounds) -> list[Times]:
    entrants = [Entrant(number, number) for number in range(1, count + 1)]
    times = []
    for _ in range(5):
        begun = perf_counter(), process_time()
        standings(_rules(players), entrants, rounds)
        times.append((perf_counter() - begun[0], process_time() - begun[1]))
    return times

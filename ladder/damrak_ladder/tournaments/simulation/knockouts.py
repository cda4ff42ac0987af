"""Simulated knockouts, on the geometry of the real ones."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from damrak_ladder.tournaments.formats import StageRules
from damrak_ladder.tournaments.formats.brackets import FINAL, RESET, THIRD_PLACE, Node, nodes
from damrak_ladder.tournaments.formats.results import qualifying_places
from damrak_ladder.tournaments.simulation.games import (
    Floats,
    Integers,
    duel_wins,
    ranking,
    sudden_death,
    table_points,
)
from damrak_ladder.tournaments.simulation.runs import Runs


@dataclass(slots=True)
class _Bracket:
    """Runs in progress: who won and lost each slot (None is a bye) and when entrants left."""

    rules: StageRules
    strengths: Floats
    random: np.random.Generator
    left: Integers
    blocks: Integers
    games: Integers
    sudden_death: Floats
    winners: dict[str, list[Integers | None]] = field(default_factory=dict)
    losers: dict[str, list[Integers | None]] = field(default_factory=dict)


def simulate(rules: StageRules, strengths: Floats, random: np.random.Generator) -> Runs:
    """Returns runs of a single or double elimination; columns of strengths are seeds."""
    runs, count = strengths.shape
    zeros = np.zeros(runs, np.int64)
    never = np.full((runs, count), 10**6, np.int64)
    bracket = _Bracket(rules, strengths, random, never, zeros.copy(), zeros.copy(), np.zeros(runs))
    final: list[Integers] = []
    for node in nodes(rules, count):
        present = [it for it in _entrants(bracket, node) if it is not None]
        if node.name == RESET:
            if rules.bracket_reset:
                _reset(bracket, node.round, final)
            continue
        if node.name == FINAL:
            final = present
        _play(bracket, node, present)
    order = np.argsort(-bracket.left, axis=1, kind="stable").astype(np.int64)
    return Runs(order, bracket.blocks, bracket.games, float(bracket.sudden_death.mean()))


def _entrants(bracket: _Bracket, node: Node) -> list[Integers | None]:
    runs, count = bracket.strengths.shape
    found: list[Integers | None] = []
    for source in node.sources:
        if source.kind == "seed":
            at = source.place - 1
            found.append(np.full(runs, at, np.int64) if at < count else None)
            continue
        known = bracket.winners if source.kind == "winner" else bracket.losers
        slot = known[source.slot]
        found.append(slot[source.place - 1] if len(slot) >= source.place else None)
    return found


def _play(bracket: _Bracket, node: Node, present: list[Integers]) -> None:
    places = qualifying_places(len(node.sources), node.name)
    if len(present) <= places:
        bracket.winners[node.name], bracket.losers[node.name] = list(present), []
        return
    blocks = bracket.rules.blocks
    if node.name == FINAL:
        blocks = bracket.rules.final_blocks or blocks
    order, more = _order(bracket, present, blocks)
    bracket.sudden_death += more
    bracket.blocks += blocks
    bracket.games += blocks * len(present)
    bracket.winners[node.name] = [*order.T[:places]]
    bracket.losers[node.name] = [*order.T[places:]]
    stays = node.name.startswith("W") and bracket.rules.format == "double-elimination"
    if not stays and node.name != THIRD_PLACE:
        for place, loser in enumerate(bracket.losers[node.name] or [], places):
            assert loser is not None
            _leave(bracket, loser, 10 * node.round - place)


def _leave(bracket: _Bracket, entrants: Integers, when: int) -> None:
    rows = np.arange(len(entrants))
    bracket.left[rows, entrants] = when


def _order(bracket: _Bracket, present: list[Integers], blocks: int) -> tuple[Integers, Floats]:
    """Returns the entrants of one slot, the winners first, and the blocks of sudden death."""
    entrants = np.sort(np.column_stack(present), axis=1)  # higher seeds first
    strengths = np.take_along_axis(bracket.strengths, entrants, axis=1)
    if len(present) > 2:
        points = table_points(strengths, blocks * len(present), bracket.random)
        order = ranking(points, strengths, bracket.random)
        return np.take_along_axis(entrants, order, axis=1), np.zeros(len(order))
    one, other = strengths.T
    wins = duel_wins(one, other, 2 * blocks, bracket.random)
    won, more = sudden_death(one, other, bracket.random)
    first = (wins > blocks) | ((wins == blocks) & won)
    return np.where(first[:, None], entrants, entrants[:, ::-1]), more * (wins == blocks)


def _reset(bracket: _Bracket, round_: int, final: list[Integers]) -> None:
    """Play a second final in the runs in which the entrant without a loss lost the first."""
    blocks = bracket.rules.final_blocks or bracket.rules.blocks
    [winner], [loser] = bracket.winners[FINAL], bracket.losers[FINAL]
    assert winner is not None
    assert loser is not None
    again = loser == final[0]
    order, more = _order(bracket, [winner, loser], blocks)
    bracket.sudden_death += more * again
    bracket.blocks += blocks * again
    bracket.games += 2 * blocks * again
    rows = np.flatnonzero(again)
    bracket.left[rows, winner[rows]] = 10**6
    bracket.left[rows, order[rows, 0]] = 10**6
    bracket.left[rows, order[rows, 1]] = 10 * round_

"""Verification of a tournament: every stored result is compared with its replays.

A replay is reproduced from its seed, and its signature is checked, so a result is confirmed only if
the platform recorded it and the rules of the game lead to it. Blocks that do not count any more are
verified, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from damrak_ladder.matches.models import Seat
from damrak_ladder.standings.audit.replay_results import Replayed, replayed
from damrak_ladder.standings.packed_blocks import Outcome
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.models import PairingBlock, Tournament
from damrak_ladder.tournaments.records import key_of


@dataclass(frozen=True, slots=True)
class Verified:
    """A recorded block; `problem` is empty if its replays confirm the stored result."""

    block: int
    stage: int
    round: int
    table: int
    games: int
    counts: bool  # whether the tables rest on it
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def verified(
    tournament: Tournament, after: int = 0, limit: int | None = None, jobs: int = 1
) -> Iterator[Verified]:
    """Yield the recorded blocks after this one, in the order of their keys."""
    rows = PairingBlock.objects.filter(tournament=tournament, block__gt=after, result__isnull=False)
    full = rows.select_related("pairing__round__stage", "result").order_by("block")[:limit]
    by_block = {row.block_id: row for row in full}
    orders = _orders(list(by_block))
    state = journal.state_of(tournament)
    for found in replayed(by_block, jobs):
        row = by_block[found.block]
        key, games = key_of(row), row.result.games
        yield Verified(
            block=found.block,
            stage=key.stage,
            round=key.round,
            table=key.table,
            games=len(games),
            counts=state.counts(key),
            problem=_problem(found, orders[found.block], games),
        )


def _orders(blocks: list[int]) -> dict[int, list[int]]:
    """Return the versions of each block in the order in which results are stored."""
    found: dict[int, list[int]] = {block: [] for block in blocks}
    seats = Seat.objects.filter(match__block__in=blocks, match__number=0).order_by("number")
    for block, version in seats.values_list("match__block", "version"):
        found[block].append(version)
    return found


def _problem(found: Replayed, order: list[int], games: list[dict[str, Any]]) -> str:
    if found.outcome is None:
        return found.problem
    if sorted(order) != list(found.outcome.block.players):
        return "its replays name other versions"
    said = _games(found.outcome, order)
    if len(said) != len(games):
        return f"{len(games)} games are stored, but there are {len(said)} replays"
    for number, (stored, replayed_) in enumerate(zip(games, said, strict=True)):
        faults = [bool(one) for one in stored["faults"]]
        for name, value in (("places", stored["places"]), ("points", stored["points"])):
            if value != replayed_[name]:
                return f"game {number}: {name} {value} stored, {replayed_[name]} replayed"
        if faults != replayed_["faults"]:
            return f"game {number}: the stored faults differ from those in the replay"
    return ""


def _games(outcome: Outcome, order: list[int]) -> list[dict[str, list[Any]]]:
    """Return places, points and faults of each game, in the order of the stored results."""
    at = [outcome.block.players.index(version) for version in order]
    played = zip(outcome.block.games, outcome.points, outcome.faults, strict=True)
    return [
        {
            "places": [game.places[one] for one in at],
            "points": [points[one] for one in at],
            "faults": [faults[one] for one in at],
        }
        for game, points, faults in played
    ]

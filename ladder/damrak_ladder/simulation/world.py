"""Synthetic bots with known strength, and the games they would play.

In each game every player has a performance: strength + advantage of its turn + luck, with luck
drawn from Gumbel's distribution, and the better performance gets the better place. The orders of
single games then follow the Plackett-Luce model exactly. Three properties of real games are added:

* the games of a block are not independent: part of the luck belongs to the seat (its cards are the
  same in each game), part to the player (who may suit the board);
* close finishes are shared places;
* with `cycles`, results between pairs do not depend on strength alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import log_ndtr

from damrak_ladder.ratings.history import SEATS, History, Tables
from damrak_ladder.ratings.scale import ELO_PER_LOGIT, Floats, Integers

_A_TIME: Final = 50_000  # blocks played at once, to save memory


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Bots and the parameters of their games."""

    strength: Floats  # in logits
    advantages: Mapping[int, Floats]
    seat_luck: float  # share of the luck that belongs to the seat of the block
    form: float  # share of the luck that belongs to the player in the block
    gap: float  # performances closer than this share a place
    cycles: float
    styles: Floats  # bots x 2

    @property
    def elo(self) -> Floats:
        """The true strengths as Elo."""
        return 1500 + ELO_PER_LOGIT * self.strength

    def __len__(self) -> int:
        return len(self.strength)

    def play(self, tables: Mapping[int, Integers], rng: np.random.Generator) -> History:
        """Play mirrored blocks at these tables: by size, blocks x seats."""
        parts = []
        for seats in sorted(tables):
            for start in range(0, len(tables[seats]), _A_TIME):
                some = tables[seats][start : start + _A_TIME]
                parts.append(History({seats: self._blocks(some, rng)}))
        history = History({})
        for part in parts:
            history = history.joined(part)
        return history

    def _blocks(self, players: Integers, rng: np.random.Generator) -> Tables:
        blocks, seats = players.shape
        turns = (np.arange(seats)[:, None] + np.arange(seats)) % seats  # games x players
        shape = (blocks, seats, seats)
        luck = rng.standard_normal(shape) * np.sqrt(1 - self.seat_luck - self.form)
        luck += np.sqrt(self.form) * rng.standard_normal((blocks, 1, seats))
        luck += np.sqrt(self.seat_luck) * rng.standard_normal((blocks, seats))[:, turns]
        performance = -np.log(-log_ndtr(luck))
        performance += (self.strength[players] + self._matchup(players))[:, None, :]
        performance += self.advantages[seats][turns]
        places = self._places(performance.reshape(-1, seats))
        return Tables(
            players=players,
            block=np.repeat(np.arange(blocks, dtype=np.int32), seats),
            turns=np.tile(turns.astype(np.int8), (blocks, 1)),
            places=places,
        )

    def _matchup(self, players: Integers) -> Floats:
        """Return each player's gain by its style against those of the others; the sum is 0."""
        first, second = self.styles[players, 0], self.styles[players, 1]
        ahead = first * np.sum(second, axis=1, keepdims=True)
        behind = second * np.sum(first, axis=1, keepdims=True)
        return np.asarray(self.cycles * (ahead - behind) / (players.shape[1] - 1))

    def _places(self, performance: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
        order = np.argsort(-performance, axis=1, kind="stable")
        sorted_ = np.take_along_axis(performance, order, axis=1)
        place = np.ones(order.shape, dtype=np.int8)
        for column in range(1, order.shape[1]):
            shared = sorted_[:, column - 1] - sorted_[:, column] < self.gap
            place[:, column] = np.where(shared, place[:, column - 1], column + 1)
        places = np.empty_like(place)
        np.put_along_axis(places, order, place, axis=1)
        return places


def world_of(
    bots: int,
    seed: int,
    *,
    spread: float = 400.0,
    seat_luck: float = 0.15,
    form: float = 0.15,
    cycles: float = 0.0,
) -> World:
    """Return bots that depend on the seed only. `spread` is that of true strengths, in Elo."""
    rng = np.random.default_rng([seed, 1])
    advantages = {seats: np.linspace(0.2, 0.0, seats) for seats in SEATS}
    return World(
        strength=rng.standard_normal(bots) * spread / ELO_PER_LOGIT,
        advantages=advantages,
        seat_luck=seat_luck,
        form=form,
        gap=0.05,
        cycles=cycles,
        styles=rng.standard_normal((bots, 2)),
    )

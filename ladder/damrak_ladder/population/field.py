"""The participants: bots of very different strength and diligence, and their progress over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Real = NDArray[np.float64]

MIDDLE: Final = 1100.0
SPREAD: Final = 260.0
FROM_THE_START: Final = 0.5
MOST_VERSIONS: Final = 60


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """All bots, weakest first, and all their versions, by bot and time.

    Times range from 0, when the first ladder opened, to 1, which is now.
    """

    owner: Whole  # of each bot, from 0; -1 for house bots
    started: Real
    appetite: Real  # relative frequency of play, summing to 1
    version_bot: Whole
    version_number: Whole
    version_start: Real
    version_elo: Real

    @property
    def bots(self) -> int:
        """Return the number of bots."""
        return len(self.owner)

    @property
    def first_version(self) -> Whole:
        """Return the index of each bot's first version, followed by the number of versions."""
        return np.searchsorted(self.version_bot, np.arange(self.bots + 1))

    def version_at(self, bots: Whole, times: Real) -> Whole:
        """Return the versions of these bots that were live at these times, or else their first."""
        keys = self.version_bot * 2.0 + self.version_start
        found = np.searchsorted(keys, bots * 2.0 + times, side="right") - 1
        return np.maximum(found, self.first_version[bots])


def make_field(chance: np.random.Generator, bots: int, house: dict[int, float]) -> Field:
    """Generate `bots` bots of authors, and add house bots of known Elo, keyed from 0."""
    authors = max(8, round(bots / 2.5))
    elo = chance.normal(MIDDLE, SPREAD, bots)
    owner = (authors * chance.random(bots) ** 1.5).astype(np.int64)  # some authors own many bots
    started = np.where(chance.random(bots) < FROM_THE_START, 0.0, chance.random(bots) * 0.9)
    appetite = chance.pareto(1.3, bots) + 0.2
    counts = np.minimum(chance.geometric(0.42, bots), MOST_VERSIONS)
    counts[0] = max(counts[0], min(MOST_VERSIONS, 30))  # gives pages with long lists a bot to show
    elo = np.concatenate([elo, np.array(list(house.values()))])
    owner = np.concatenate([owner, np.full(len(house), -1)])
    started = np.concatenate([started, np.zeros(len(house))])
    appetite = np.concatenate([appetite, np.full(len(house), appetite.sum() / 60)])
    counts = np.concatenate([counts, np.ones(len(house), dtype=np.int64)])
    version_bot = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(version_bot)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    birth = started[version_bot]
    later = np.where(number == 1, 0.0, chance.random(len(number)))
    start = birth + (0.999 - birth) * later
    order = np.lexsort((start, version_bot))
    ahead = counts[version_bot] - number
    lag = np.where(ahead > 0, chance.gamma(1.5, 25.0, len(number)) * ahead**0.6, 0.0)
    return Field(
        owner=owner,
        started=started,
        appetite=appetite / appetite.sum(),
        version_bot=version_bot,
        version_number=number,
        version_start=start[order],
        version_elo=elo[version_bot] - lag,
    )

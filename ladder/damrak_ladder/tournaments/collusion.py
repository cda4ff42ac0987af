"""Who profits when one bot sits with another at tables of three and four.

For each game the share of opponents that a bot beats is compared with the share that its strength
and those of the others predict. The mean difference over all games in which two bots sat together
shows whether one of them does better there than it should. The report informs organisers; nothing
follows from it. Games of all tournaments that the organiser may see are pooled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import erfc, exp, sqrt
from typing import Final

from damrak_ladder.ratings import Block
from damrak_ladder.ratings.scale import ELO_PER_LOGIT
from damrak_ladder.tournaments.evidence import Known, strengths

EFFECT: Final = 0.05
"""The gain, as a share of opponents beaten, that the needed number of blocks refers to."""

_POWER: Final = (1.959964 + 0.841621) ** 2  # 5 % and 80 %


@dataclass(frozen=True, slots=True)
class Pair:
    """How bot `who` does when it sits with bot `beside`, by the keys of bots.

    `gain` is the mean difference to the predicted share, `error` its standard error, `chance` how
    often chance alone gives such a difference, before a correction for the number of pairs.
    """

    who: int
    beside: int
    blocks: int
    gain: float
    error: float
    chance: float
    needed: int  # blocks that would show a gain of EFFECT with 80 %

    @property
    def is_enough(self) -> bool:
        """Return whether there are enough blocks to see a gain of EFFECT."""
        return self.blocks >= self.needed


@dataclass(frozen=True, slots=True)
class Findings:
    """All pairs that sat together, the most remarkable first, and the threshold for them."""

    pairs: Sequence[Pair]
    threshold: float  # for `chance`, so that one alarm in 20 reports is false
    together: int  # tables at which two bots of one owner sat

    @property
    def remarkable(self) -> list[Pair]:
        """Return the pairs with a gain that chance does not explain."""
        return [one for one in self.pairs if one.chance < self.threshold and one.gain > 0]


def findings(blocks: Iterable[Block], owners: Mapping[int, int]) -> Findings:
    """Return the report on the tables of three and four among these blocks."""
    tables = [one for one in blocks if len(one.players) > 2]
    known = strengths(tables)
    gains: dict[tuple[int, int], list[float]] = defaultdict(list)
    for block in tables:
        differences = _differences(block, known)
        for who, difference in zip(block.players, differences, strict=True):
            for beside in block.players:
                if beside != who:
                    gains[who, beside].append(difference)
    # The games of a block share their cards, so that the block is the unit of the error.
    pairs = [_pair(who, beside, found) for (who, beside), found in gains.items()]
    pairs.sort(key=lambda one: (one.chance, one.who, one.beside))
    return Findings(pairs, 0.05 / max(1, len(pairs)), sum(_shares(one, owners) for one in tables))


def _shares(block: Block, owners: Mapping[int, int]) -> bool:
    return len({owners.get(bot, -bot) for bot in block.players}) < len(block.players)


def _differences(block: Block, known: Mapping[int, Known]) -> list[float]:
    """Return for each player the mean share of opponents beaten, minus the predicted one."""
    count = len(block.players)
    expected = _expected([known[bot].elo for bot in block.players])
    found = []
    for at in range(count):
        beaten = 0.0
        for game in block.games:
            mine = game.places[at]
            beaten += sum((one > mine) + 0.5 * (one == mine) for one in game.places) - 0.5
        found.append(beaten / (len(block.games) * (count - 1)) - expected[at])
    return found


def _expected(elos: Sequence[float]) -> list[float]:
    """Return the predicted shares of opponents beaten, by the Plackett-Luce model."""
    weights = [exp((one - max(elos)) / ELO_PER_LOGIT) for one in elos]
    shares = [0.0] * len(elos)
    for order in permutations(range(len(elos))):
        chance, left = 1.0, sum(weights)
        for at in order:
            chance *= weights[at] / left
            left -= weights[at]
        for place, at in enumerate(order):
            shares[at] += chance * (len(elos) - 1 - place) / (len(elos) - 1)
    return shares


def _pair(who: int, beside: int, differences: Sequence[float]) -> Pair:
    count = len(differences)
    gain = sum(differences) / count
    square = sum((one - gain) ** 2 for one in differences)
    # With a prior of two blocks of the usual deviation, so that few meetings prove nothing.
    deviation = sqrt((square + 2 * 0.25**2) / (count + 1))
    error = deviation / sqrt(count)
    chance = erfc(abs(gain) / error / sqrt(2))
    return Pair(who, beside, count, gain, error, chance, round(_POWER * (deviation / EFFECT) ** 2))

"""Whether a host plays as the others do: pure statistics about who was better, slower, unluckier.

Each question is asked of the host's latest blocks, of several lengths, against what the other
hosts did with the same versions. All of them together are allowed one false alarm in so many
looks, and what is merely significant is no alarm: an effect has to be large, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from scipy import stats

ALARM: Final = 1e-6
"""The chance of a false alarm in one look at all hosts, which happens every few minutes."""

LENGTHS: Final = (40, 80, 160, 320)
"""How many of a host's latest blocks are looked at. Fewer say nothing."""

SLOWER: Final = 1.25
SHIFTED: Final = 0.5
WILDER: Final = 0.5
OFTENER: Final = 3.0
LEAST_EVENTS: Final = 5

Question = Literal["results", "wild results", "slowness", "bot faults", "host faults"]


@dataclass(frozen=True, slots=True)
class Turnout:
    """How one version came out of one block. What is not known is None."""

    version: int
    residual: float | None = None  # of its score, in standard deviations
    thinking: float | None = None  # the logarithm of a typical decision's duration
    faults: int = 0


@dataclass(frozen=True, slots=True)
class PlayedBlock:
    """One recorded block of a host."""

    key: int
    turnouts: tuple[Turnout, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """What a host did lately: its blocks in the order they ended, and its attempts.

    `troubles` are the times, in seconds, of attempts that were void by the host's fault.
    """

    blocks: tuple[PlayedBlock, ...]
    attempts: int
    troubles: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Deviation:
    """What is wrong with a host: the answer to one question, and since which of its blocks.

    `chance` is that of seeing it on some host by accident; `effect` is a ratio, or a difference in
    standard deviations.
    """

    question: Question
    chance: float
    effect: float
    here: int
    elsewhere: int
    doubtful: tuple[int, ...]
    version: int | None = None


def deviations(records: Mapping[str, Record]) -> dict[str, Deviation]:
    """The clearest deviation of each host that deviates; none if there is but one host."""
    found: dict[str, list[Deviation]] = {name: [] for name in records}
    looks = 0
    for name, record in records.items():
        others = [other for key, other in records.items() if key != name]
        for length in _lengths(record, others):
            recent = record.blocks[-length:]
            asked = list(_ask(recent, [block for other in others for block in other.blocks]))
            looks += len(asked)
            found[name] += [answer for answer in asked if answer is not None]
        if others:
            looks += 1
            found[name] += _host_faults(record, others)
    clear = {
        name: [answer for answer in answers if answer.chance * looks < ALARM]
        for name, answers in found.items()
    }
    return {
        name: min(answers, key=lambda answer: answer.chance)
        for name, answers in clear.items()
        if answers
    }


def _lengths(record: Record, others: Sequence[Record]) -> list[int]:
    elsewhere = sum(len(other.blocks) for other in others)
    if elsewhere < LENGTHS[0]:
        return []
    return [length for length in LENGTHS if length <= len(record.blocks)]


def _ask(
    here: Sequence[PlayedBlock], elsewhere: Sequence[PlayedBlock]
) -> Iterable[Deviation | None]:
    """The answer to each question that can be asked of these blocks; None: nothing deviates."""
    versions = {turnout.version for block in here for turnout in block.turnouts}
    for version in sorted(versions):
        residuals = _Comparison(here, elsewhere, lambda it: it.residual, only=version)
        if residuals.is_enough:
            yield residuals.deviation("results", SHIFTED, both_ways=True)
    squares = _Comparison(here, elsewhere, _square, whole=True)
    if squares.is_enough:
        yield squares.deviation("wild results", WILDER)
    thinking = _Comparison(here, elsewhere, lambda it: it.thinking)
    if thinking.is_enough:
        yield thinking.deviation("slowness", math.log(SLOWER), tell=math.exp)
    yield _bot_faults(here, elsewhere)


def _square(turnout: Turnout) -> float | None:
    return None if turnout.residual is None else turnout.residual**2


Measure = Callable[[Turnout], float | None]


class _Comparison:
    """A measure here and elsewhere, version by version: a stratified rank sum (van Elteren).

    Ranks, because a distribution of thinking times has a tail that no bell curve has, and one
    block that hung proves nothing. The normal approximation errs on the safe side in its tails.
    """

    def __init__(
        self,
        here: Sequence[PlayedBlock],
        elsewhere: Sequence[PlayedBlock],
        measure: Measure,
        *,
        only: int | None = None,
        whole: bool = False,
    ) -> None:
        """`only` asks about one version; `whole` takes the mean of each block for one value."""
        self._version = only
        self._keys = [block.key for block in here]
        strata_here = _strata(here, measure, only, whole)
        strata_there = _strata(elsewhere, measure, only, whole)
        self.here = self.elsewhere = 0
        self._scores = np.zeros(len(here))  # how high each block of ours ranks, -1 to 1
        self._counts = np.zeros(len(here))
        total = variance = shift = weights = 0.0
        for stratum in strata_here.keys() & strata_there.keys():
            mine, theirs = strata_here[stratum], strata_there[stratum]
            ours, others = len(mine), len(theirs)
            values = np.array([*(value for _, value in mine), *_values(theirs)])
            ranks = stats.rankdata(values)
            _, ties = np.unique(values, return_counts=True)
            both = ours + others
            tied = float(np.sum(ties.astype(float) ** 3 - ties)) / (both * (both - 1))
            spread = ours * others / 12 * (both + 1 - tied)
            if spread <= 0:
                continue
            weight = 1 / (both + 1)
            total += weight * (float(ranks[:ours].sum()) - ours * (both + 1) / 2)
            variance += weight**2 * spread
            share = ours * others / both
            difference = float(np.median(values[:ours]) - np.median(values[ours:]))
            shift += share * difference
            weights += share
            self.here += ours
            self.elsewhere += others
            for (place, _), rank in zip(mine, ranks[:ours], strict=True):
                self._scores[place] += 2 * (rank - 0.5) / both - 1
                self._counts[place] += 1
        self.z = total / math.sqrt(variance) if variance else 0.0
        self.shift = shift / weights if weights else 0.0

    @property
    def is_enough(self) -> bool:
        """Whether there is something to compare."""
        return min(self.here, self.elsewhere) >= LENGTHS[0] // 2

    def deviation(
        self,
        question: Question,
        least: float,
        *,
        both_ways: bool = False,
        tell: Callable[[float], float] = float,
    ) -> Deviation | None:
        """What it says, if there is a shift of at least so much."""
        if abs(self.shift) < least or (self.shift < 0 and not both_ways):
            return None
        if self.z * self.shift <= 0:
            return None
        chance = float(stats.norm.sf(abs(self.z))) * (2 if both_ways else 1)
        return Deviation(
            question=question,
            chance=chance,
            effect=tell(self.shift),
            here=self.here,
            elsewhere=self.elsewhere,
            doubtful=self._since(),
            version=self._version,
        )

    def _since(self) -> tuple[int, ...]:
        """Our blocks from the one on at which the change is likeliest to have happened."""
        known = self._counts > 0
        scores = np.where(known, self._scores / np.maximum(self._counts, 1), 0.0)
        behind = np.cumsum((scores * math.copysign(1.0, self.z))[::-1])[::-1]
        left = np.maximum(np.cumsum(known[::-1])[::-1], 1)
        first = int(np.argmax(behind / np.sqrt(left)))
        return tuple(self._keys[first:])


def _values(theirs: Sequence[tuple[int, float]]) -> list[float]:
    """The values without their places."""
    return [value for _, value in theirs]


def _strata(
    blocks: Sequence[PlayedBlock], measure: Measure, only: int | None, whole: bool
) -> dict[int, list[tuple[int, float]]]:
    """The values of each version (of all under 0, if whole), with the place of their block."""
    strata: dict[int, list[tuple[int, float]]] = {}
    for place, block in enumerate(blocks):
        found = [
            (turnout.version, value)
            for turnout in block.turnouts
            if (only is None or turnout.version == only) and (value := measure(turnout)) is not None
        ]
        if whole and found:
            mean = sum(value for _, value in found) / len(found)
            strata.setdefault(0, []).append((place, mean))
        elif not whole:
            for version, value in found:
                strata.setdefault(version, []).append((place, value))
    return strata


def _bot_faults(here: Sequence[PlayedBlock], elsewhere: Sequence[PlayedBlock]) -> Deviation | None:
    """Whether bots fail more often here than the same bots elsewhere."""
    expected = 0.0
    failed = there = 0
    strata_here = _strata(here, lambda it: float(it.faults > 0), None, False)
    strata_there = _strata(elsewhere, lambda it: float(it.faults > 0), None, False)
    for version in strata_here.keys() & strata_there.keys():
        mine = [value for _, value in strata_here[version]]
        theirs = [value for _, value in strata_there[version]]
        faults = sum(mine) + sum(theirs)
        expected += faults * len(mine) / (len(mine) + len(theirs))
        failed += int(sum(mine))
        there += len(theirs)
    if failed < LEAST_EVENTS or failed < OFTENER * expected:
        return None
    first = next(i for i, block in enumerate(here) if any(it.faults for it in block.turnouts))
    return Deviation(
        question="bot faults",
        # Of rare events; what is expected is in truth less scattered than this assumes.
        chance=float(stats.poisson.sf(failed - 1, expected)),
        effect=failed / expected if expected else math.inf,
        here=len(here),
        elsewhere=there,
        doubtful=tuple(block.key for block in here[first:]),
    )


def _host_faults(record: Record, others: Sequence[Record]) -> list[Deviation]:
    """Whether attempts come to nothing more often here; troubles of one moment are one."""
    mine = incidents(record.troubles)
    theirs = sum(incidents(other.troubles) for other in others)
    attempts = sum(other.attempts for other in others)
    if mine < LEAST_EVENTS or min(attempts, record.attempts) < LENGTHS[0]:
        return []
    table = np.array([[mine, max(record.attempts - mine, 0)], [theirs, max(attempts - theirs, 0)]])
    chance = float(stats.fisher_exact(table, alternative="greater").pvalue)
    ratio = (mine / record.attempts) / max(theirs / attempts, 1 / attempts)
    if ratio < OFTENER:
        return []
    # What was recorded nevertheless is not in doubt: a void attempt is a host's fault owned up.
    return [Deviation("host faults", chance, ratio, record.attempts, attempts, ())]


def incidents(times: Iterable[float], apart: float = 60.0) -> int:
    """How many troubles there were, if those that follow one another closely are one."""
    count = 0
    latest = -math.inf
    for time in sorted(times):
        count += time - latest > apart
        latest = time
    return count

"""Statistical tests of whether a host's results, speed and faults match those of other hosts.

Each test compares the host's latest blocks, of several lengths, with the same versions' blocks on
other hosts. The tests of one look share the probability `ALARM` of a false alarm, and statistical
significance alone is no alarm: the effect must also be large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from scipy import special  # scipy.stats takes more than a second to load, in every process

ALARM: Final = 1e-6
"""The probability of a false alarm in one look at all hosts, which happens every few minutes."""

LENGTHS: Final = (40, 80, 160, 320)
"""The numbers of a host's latest blocks that are examined. Fewer are not conclusive."""

SLOWER: Final = 1.25
SHIFTED: Final = 0.5
WILDER: Final = 0.5
OFTENER: Final = 3.0
LEAST_EVENTS: Final = 5

_EARLY: Final = 0.9

Question = Literal["results", "wild results", "slowness", "bot faults", "host faults"]


@dataclass(frozen=True, slots=True)
class Turnout:
    """The result of one version in one block. Unknown values are None."""

    version: int
    residual: float | None = None  # of its score, in standard deviations
    thinking: float | None = None  # the logarithm of a typical decision's duration
    faults: int = 0


Measure = Callable[[Turnout], float | None]


@dataclass(frozen=True, slots=True)
class PlayedBlock:
    """One recorded block of a host."""

    key: int
    turnouts: tuple[Turnout, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """The recent record of a host: its blocks in the order of their ends, and its attempts.

    `troubles` are the times, in seconds, of attempts that were void through the host's fault.
    """

    blocks: tuple[PlayedBlock, ...]
    attempts: int
    troubles: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Deviation:
    """A significant deviation of a host: the test, its result, and the doubtful blocks.

    `chance` is the probability of seeing it on some host by accident; `effect` is a ratio, or a
    difference in standard deviations.
    """

    question: Question
    chance: float
    effect: float
    here: int
    elsewhere: int
    doubtful: tuple[int, ...]
    version: int | None = None


def clearest(records: Mapping[str, Record]) -> tuple[str, Deviation] | None:
    """Return the host that deviates most clearly, with its deviation; None if none does.

    Only that one: the results of a dishonest host can make honest hosts seem to deviate, too.
    """
    found = deviations(records)
    if not found:
        return None
    name = min(found, key=lambda it: (found[it].chance, -abs(found[it].effect)))
    return name, found[name]


def deviations(records: Mapping[str, Record]) -> dict[str, Deviation]:
    """Return the clearest deviation of each host that deviates; empty if there is only one host."""
    found: dict[str, list[Deviation]] = {}
    looks = 0
    for name, record in records.items():
        others = [other for key, other in records.items() if key != name]
        elsewhere = [block for other in others for block in other.blocks]
        asked = [_host_faults(record, others)] if others else []
        if len(elsewhere) >= LENGTHS[0]:
            for length in LENGTHS:
                if length <= len(record.blocks):
                    asked += _ask(record.blocks, length, elsewhere)
        looks += len(asked)
        found[name] = [answer for answer in asked if answer is not None]
    clear = {
        name: [answer for answer in answers if answer.chance * looks < ALARM]
        for name, answers in found.items()
    }
    return {
        name: min(answers, key=lambda answer: answer.chance)
        for name, answers in clear.items()
        if answers
    }


def _ask(
    ours: Sequence[PlayedBlock], length: int, elsewhere: Sequence[PlayedBlock]
) -> Iterable[Deviation | None]:
    """Yield the result of each test that applies to our latest blocks; None: no deviation.

    The start of a deviation is sought among all of our blocks.
    """
    versions = {turnout.version for block in ours[-length:] for turnout in block.turnouts}
    questions: list[tuple[Question, Measure, float, int | None]] = [
        ("wild results", _square, WILDER, None),
        ("slowness", _thinking, math.log(SLOWER), None),
        *(("results", _residual, SHIFTED, version) for version in sorted(versions)),
    ]
    for question, measure, least, only in questions:
        recent = _Comparison(ours[-length:], elsewhere, measure, only)
        if not recent.is_enough:
            continue
        is_either = question == "results"
        is_far = abs(recent.shift) >= least and recent.z * recent.shift > 0
        if not is_far or (recent.shift < 0 and not is_either):
            yield None
            continue
        yield Deviation(
            question=question,
            chance=float(special.ndtr(-abs(recent.z))) * (2 if is_either else 1),
            effect=math.exp(recent.shift) if question == "slowness" else recent.shift,
            here=recent.here,
            elsewhere=recent.elsewhere,
            doubtful=_Comparison(ours, elsewhere, measure, only).since(recent.z),
            version=only,
        )
    yield _bot_faults(ours[-length:], elsewhere)


def _residual(turnout: Turnout) -> float | None:
    return turnout.residual


def _thinking(turnout: Turnout) -> float | None:
    return turnout.thinking


def _square(turnout: Turnout) -> float | None:
    return None if turnout.residual is None else turnout.residual**2


class _Comparison:
    """A stratified rank-sum test (van Elteren) of a measure here and elsewhere, by version.

    Ranks are used because thinking times have a heavier tail than a normal distribution, and one
    block that hung proves nothing. The normal approximation is conservative in its tails.
    """

    def __init__(
        self,
        here: Sequence[PlayedBlock],
        elsewhere: Sequence[PlayedBlock],
        measure: Measure,
        only: int | None,
    ) -> None:
        """Compare the measure; `only` restricts it to one version."""
        self._keys = [block.key for block in here]
        self.here = self.elsewhere = 0
        self._scores = np.zeros(len(here))  # the rank of each of our blocks, -1 to 1
        self._counts = np.zeros(len(here))
        total = variance = shift = weights = 0.0
        strata_here, strata_there = _strata(here, measure, only), _strata(elsewhere, measure, only)
        for version in sorted(strata_here.keys() & strata_there.keys()):
            mine, theirs = strata_here[version], strata_there[version]
            ours, others = len(mine), len(theirs)
            both = ours + others
            values = np.array([value for _, value in (*mine, *theirs)])
            ranks = _ranks(values)
            spread = _spread(values, ours, others)
            if spread <= 0:
                continue  # all values are equal
            total += (float(ranks[:ours].sum()) - ours * (both + 1) / 2) / (both + 1)
            variance += spread / (both + 1) ** 2
            share = ours * others / both
            shift += share * float(np.median(values[:ours]) - np.median(values[ours:]))
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
        """Return whether there are enough values to compare."""
        return min(self.here, self.elsewhere) >= LENGTHS[0] // 2

    def since(self, direction: float) -> tuple[int, ...]:
        """Return our blocks from the likely start of the deviation in this direction.

        Errs on the side of too many blocks: replaying an honest one does no harm.
        """
        known = self._counts > 0
        scores = np.where(known, self._scores / np.maximum(self._counts, 1), 0.0)
        behind = np.cumsum((scores * math.copysign(1.0, direction))[::-1])[::-1]
        left = np.maximum(np.cumsum(known[::-1])[::-1], 1)
        clearness = behind / np.sqrt(left)
        first = int(np.argmax(clearness >= _EARLY * clearness.max()))
        return tuple(self._keys[first:])


Floats = np.ndarray[Any, np.dtype[np.float64]]


def _ranks(values: Floats) -> Floats:
    """Return the rank of each value, from 1; equal values share their mean rank."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks


def _so_many(mine: int, of_mine: int, theirs: int, of_theirs: int) -> float:
    """Return the probability that `mine` or more of all troubles are ours (Fisher's exact test)."""
    troubles, every = mine + theirs, of_mine + of_theirs
    ours = np.arange(mine, min(troubles, of_mine) + 1)
    logarithms = (
        _choices(of_mine, ours) + _choices(of_theirs, troubles - ours) - _choices(every, troubles)
    )
    return min(1.0, float(np.exp(logarithms).sum()))


def _choices(of: int, taken: Any) -> Any:
    """Return the logarithm of the binomial coefficient."""
    log = special.gammaln
    return log(of + 1) - log(taken + 1) - log(of - taken + 1)


def _spread(values: Floats, ours: int, others: int) -> float:
    """Return the variance of a rank sum, corrected for ties."""
    both = ours + others
    _, ties = np.unique(values, return_counts=True)
    tied = float(np.sum(ties.astype(float) ** 3 - ties)) / (both * max(both - 1, 1))
    return ours * others / 12 * (both + 1 - tied)


def _strata(
    blocks: Sequence[PlayedBlock], measure: Measure, only: int | None
) -> dict[int, list[tuple[int, float]]]:
    """Return the values of each version, with the index of their block."""
    strata: dict[int, list[tuple[int, float]]] = {}
    for place, block in enumerate(blocks):
        for turnout in block.turnouts:
            value = measure(turnout)
            if value is not None and only in (None, turnout.version):
                strata.setdefault(turnout.version, []).append((place, value))
    return strata


def _bot_faults(here: Sequence[PlayedBlock], elsewhere: Sequence[PlayedBlock]) -> Deviation | None:
    """Test whether bots fail more often here than the same bots elsewhere."""
    expected = 0.0
    failed = there = 0
    strata_here = _strata(here, lambda it: float(it.faults > 0), None)
    strata_there = _strata(elsewhere, lambda it: float(it.faults > 0), None)
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
        # Poisson tail; the expected number varies less than this assumes.
        chance=float(special.pdtrc(failed - 1, expected)),
        effect=failed / expected if expected else math.inf,
        here=len(here),
        elsewhere=there,
        doubtful=tuple(block.key for block in here[first:]),
    )


def _host_faults(record: Record, others: Sequence[Record]) -> Deviation | None:
    """Test whether attempts fail more often here; failures close in time count as one."""
    mine = incidents(record.troubles)
    theirs = sum(incidents(other.troubles) for other in others)
    attempts = sum(other.attempts for other in others)
    if mine < LEAST_EVENTS or min(attempts, record.attempts) < LENGTHS[0]:
        return None
    chance = _so_many(mine, max(record.attempts, mine), theirs, max(attempts, theirs))
    ratio = (mine / record.attempts) / max(theirs / attempts, 1 / attempts)
    if ratio < OFTENER:
        return None
    # Recorded blocks are not in doubt: the host reports its void attempts itself.
    return Deviation("host faults", chance, ratio, record.attempts, attempts, ())


def incidents(times: Iterable[float], apart: float = 60.0) -> int:
    """Return the number of troubles, where those that follow one another closely count as one."""
    count = 0
    latest = -math.inf
    for time in sorted(times):
        count += time - latest > apart
        latest = time
    return count

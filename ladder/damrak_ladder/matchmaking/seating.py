"""The choice of the tables that contribute most to the ranking.

`arrange` is a pure function: the same field, policy and seed give the same tables. The value of
seating a version is how much a block would narrow down its rank: the reduction of the variance of
its strength, times the square of the density of rivals that it may be confused with, which converts
it to a variance of ranks. The table is filled with the opponents that yield the most information
about all players at the table. Five rules take precedence:

* no eligible version waits for more than four fair turns (waiting_limit.py);
* fresh versions come first, and no version falls behind half the mean number of blocks;
* every version gets tables of 2, 3 and 4 in the ladder's shares; of those equally due the largest
  comes first, as it yields the most information per block;
* recent opponents are less likely, the more so the more others there are, and every so often one
  opponent is an anchor or comes from anywhere on the ladder: so no pair can count on meeting, every
  pair can meet, and the scale stays connected;
* no two bots of one owner sit at a table.
"""

from __future__ import annotations

import heapq
from typing import Final

import numpy as np

from damrak_ladder.matchmaking.field import HOUSE, MEMORY, Field
from damrak_ladder.matchmaking.policy import Policy, Table
from damrak_ladder.matchmaking.waiting_limit import WaitingLine
from damrak_ladder.ratings.history import SEATS
from damrak_ladder.ratings.scale import ELO_PER_LOGIT, Floats, Integers

_REACH: Final = 20  # candidates considered on either side of a version
_CLOSEST: Final = 4  # neighbours on either side that all count for the density
_FARTHEST: Final = 4.0  # standard errors of a gap beyond which rivals are ignored
_OFTEN: Final = 2.0  # meetings, relative to a rotation, above which a pair is penalised
_STRICT: Final = 4  # steepness of the penalty


def arrange(entrants: Field, policy: Policy, seed: int, count: int) -> tuple[Table, ...]:
    """Return up to `count` tables, the most urgent first; fewer if no version can be seated.

    The field is read once; after that, the cost per table does not depend on the size of the field.
    """
    if len(entrants) < min(seats for seats, share in policy.shares.items() if share > 0):
        return ()
    return tuple(_Seating(entrants, policy, seed, count).tables(count))


class _Seating:
    """One call of `arrange`: the field, updated by the tables arranged so far."""

    def __init__(self, entrants: Field, policy: Policy, seed: int, count: int) -> None:
        self._field, self._policy = entrants, policy
        self._rng = np.random.default_rng([seed, 7])
        self._parts = policy.parts
        size = len(entrants)
        self._order = np.lexsort((np.arange(size), entrants.elo)).astype(np.int32)
        self._position = np.empty(size, dtype=np.int32)
        self._position[self._order] = np.arange(size, dtype=np.int32)
        about = _LEARNT * entrants.pending
        self._variance = 1 / (1 / np.maximum(self._logits, 1e-9) ** 2 + about)
        self._density = self._densities()
        self._often = 1 + _OFTEN * MEMORY / size
        self._blocks = entrants.blocks.copy()
        self._room = entrants.room.copy()
        self._line = WaitingLine(entrants, policy.seats)
        self._recent: dict[int, Integers] = {}
        self._slots = np.zeros(size, dtype=np.int32)  # the next index to write in `recent`
        self._anchors = np.flatnonzero(entrants.is_anchor).astype(np.int32)
        total = self._blocks.sum(axis=1)
        movable = ~entrants.is_anchor
        self._half = float(np.mean(total[movable])) / 2 if movable.any() else 0.0
        urgency = self._urgencies(total)
        urgency[~entrants.eligible] = np.inf
        most = min(size, 4 * count + 16)
        first = np.argpartition(urgency, most - 1)[:most] if most < size else np.arange(size)
        self._heap = [(float(urgency[at]), int(at)) for at in first if np.isfinite(urgency[at])]
        heapq.heapify(self._heap)

    def tables(self, count: int) -> list[Table]:
        """Return the tables, the most urgent first."""
        found: list[Table] = []
        while len(found) < count:
            due = self._line.due()
            first = self._most_urgent() if due is None else due
            if first is None:
                break
            players = self._table_of(first)
            if players is None:  # no other version may sit with this one
                self._line.drop(first)
                continue
            reason = self._reason(first) if due is None else "waited"
            found.append(Table(tuple(players), reason))
            self._note(players)
            if due is None:
                heapq.heappush(self._heap, (self._urgency(first), first))
        return found

    def _most_urgent(self) -> int | None:
        """Pop the version whose next block has the highest value off the heap."""
        while self._heap:
            urgency, first = heapq.heappop(self._heap)
            if self._room[first] <= 0:
                continue
            now = self._urgency(first)
            if now <= urgency:
                return first
            heapq.heappush(self._heap, (now, first))  # it has been seated since
        return None

    @property
    def _logits(self) -> Floats:
        return self._field.error / ELO_PER_LOGIT

    def _densities(self) -> Floats:
        """Return the rivals per logit around each version, weighted by the chance of a wrong order.

        Distant neighbours are sampled and weighted, so that it takes few steps in a large field.
        """
        size = len(self._field)
        strength = self._field.elo[self._order] / ELO_PER_LOGIT
        variance = self._variance[self._order]
        density = np.zeros(size)
        widest = 2 * float(np.max(variance)) * _FARTHEST**2
        for away, stands_for in _steps(size):
            gap = strength[away:] - strength[:-away]
            squared = gap * gap
            if float(np.min(squared)) > widest:
                break
            both = np.maximum(variance[away:] + variance[:-away], 1e-6)
            rivals = stands_for * np.exp(squared / (-2 * both)) / np.sqrt(both)
            density[away:] += rivals
            density[:-away] += rivals
        found = np.empty(size)
        found[self._order] = np.maximum(density, max(1e-3, 1e-3 * np.max(density)))
        return found

    def _urgencies(self, total: Integers) -> Floats:
        """Return the urgency of each version, the lowest value first.

        Versions below the guaranteed number of blocks have negative values.
        """
        less = self._variance - 1 / (1 / self._variance + _LEARNT)
        urgency = 1 / np.maximum(self._density**2 * less, 1e-12)
        behind = total < self._half
        urgency[behind] = -1.0 / (1 + total[behind])
        fresh = total < self._policy.fresh
        urgency[fresh] = total[fresh] - 1e6
        return urgency

    def _urgency(self, one: int) -> float:
        total = int(self._blocks[one].sum())
        if total < self._policy.fresh:
            return total - 1e6
        if total < self._half:
            return -1.0 / (1 + total)
        variance = float(self._variance[one])
        less = variance - 1 / (1 / variance + _LEARNT)
        return float(1 / max(self._density[one] ** 2 * less, 1e-12))

    def _reason(self, one: int) -> str:
        total = int(self._blocks[one].sum())
        if total < self._policy.fresh:
            return "fresh"
        return "behind" if total < self._half else "uncertain"

    def _table_of(self, first: int) -> list[int] | None:
        """Return a table for this version: of the size it lacks most, or another if necessary."""
        total = int(self._blocks[first].sum())
        lack = self._parts * (total + 1) - self._blocks[first]
        lack[self._parts == 0] = -np.inf
        for size in np.lexsort((-np.arange(len(lack)), -lack)):  # the largest of equals
            if self._parts[size] == 0:
                break
            players = self._filled(first, int(size))
            if players is not None:
                return players
        return None

    def _filled(self, first: int, size: int) -> list[int] | None:
        players = [first]
        if self._rng.random() * self._policy.far < 1:
            other = self._from_afar(first)
            if other is not None:
                players.append(other)
        candidates = self._candidates(first)
        allowed = self._allowed(first, candidates, size, players)
        while len(players) < SEATS[size]:
            best = int(np.argmax(allowed))
            if not allowed[best] > 0:  # for example if all neighbours have the same owner
                candidates = self._order[self._order != first]
                allowed = self._allowed(first, candidates, size, players)
                best = int(np.argmax(allowed))
                if not allowed[best] > 0:
                    return None
            players.append(int(candidates[best]))
            if len(players) < SEATS[size]:
                allowed *= self._may_join(players[-1], candidates)
        return players

    def _allowed(self, first: int, others: Integers, size: int, players: list[int]) -> Floats:
        """Return the value of seating each of the others beside these; 0: it may not sit there."""
        worth = self._worth(first, others, size)
        for player in players:
            worth *= self._may_join(player, others)
        return worth

    def _candidates(self, first: int) -> Integers:
        if self._line.is_late:
            longest = np.array(self._line.longest(SEATS[-1]), dtype=np.int32)
            return np.asarray(longest[longest != first])
        return self._around(first)

    def _around(self, first: int) -> Integers:
        at = int(self._position[first])
        near: Integers = self._order[max(0, at - _REACH) : at + _REACH + 1]
        return np.asarray(near[near != first])

    def _worth(self, first: int, others: Integers, size: int) -> Floats:
        """Return the information of such a block about both ranks, weighted by the sizes due."""
        own = float(self._variance[first])
        variance = self._variance[others]
        gap = (self._field.elo[others] - self._field.elo[first]) / ELO_PER_LOGIT
        about = SEATS[size] / (2 + 2 * np.cosh(gap))  # games times p(1-p)
        for_own = about / (1 + about * variance)
        for_other = about / (1 + about * own)
        worth = self._density[first] ** 2 * (own - 1 / (1 / own + for_own))
        worth = worth + self._density[others] ** 2 * (variance - 1 / (1 / variance + for_other))
        blocks = self._blocks[others]
        lack = self._parts[size] * (blocks.sum(axis=1) + 1) - blocks[:, size]
        due = np.exp(np.clip(lack, -4, 4) / 2)
        return np.asarray(worth * due * self._rng.uniform(0.7, 1.3, len(others)))

    def _may_join(self, player: int, others: Integers) -> Floats:
        """Return 0 for versions that may not sit with this one, less than 1 for recent rivals."""
        recent = self._recent.get(player, self._field.recent[player])
        met = np.count_nonzero(recent[:, None] == others, axis=0)
        allowed = 1 / (1 + (met / self._often) ** _STRICT)
        allowed[(others == player) | (self._room[others] <= 0)] = 0.0
        owner = self._field.owner[player]
        if owner != HOUSE:
            allowed[self._field.owner[others] == owner] = 0.0
        return np.asarray(allowed)

    def _from_afar(self, first: int) -> int | None:
        """Return a near anchor if it met none recently, else a version from anywhere, or None."""
        size = len(self._field)
        recent = self._recent.get(first, self._field.recent[first])
        others = self._anchors
        if len(others) and not self._field.is_anchor[recent[recent >= 0]].any():
            distance = np.abs(self._field.elo[others] - self._field.elo[first])
            worth = 1 / (100 + distance)
        else:
            others = self._rng.integers(0, size, 12).astype(np.int32)
            worth = np.ones(len(others))
        allowed = worth * self._may_join(first, others)
        best = int(np.argmax(allowed))
        return int(others[best]) if allowed[best] > 0 else None

    def _note(self, players: list[int]) -> None:
        """Count the table as if it had been played."""
        size = len(players) - SEATS[0]
        self._line.seat(players)
        for player in players:
            self._room[player] -= 1
            if self._room[player] <= 0:
                self._line.drop(player)
            self._blocks[player, size] += 1
            if not self._field.is_anchor[player]:
                self._variance[player] = 1 / (1 / self._variance[player] + _LEARNT)
            if player not in self._recent:
                self._recent[player] = self._field.recent[player].copy()
            recent = self._recent[player]
            for other in players:
                if other != player:
                    recent[self._slots[player] % len(recent)] = other
                    self._slots[player] += 1


def _steps(size: int) -> list[tuple[int, float]]:
    """Return sampled distances, all close ones and two per octave, and the weight of each."""
    away = list(range(1, _CLOSEST + 1))
    while away[-1] < 2 * size:
        away += [away[-1] * 3 // 2, away[-1] * 2]
    return [
        (at, (after - before) / 2)
        for before, at, after in zip([0, *away], away, away[1:], strict=False)
        if at < size
    ]


_LEARNT: Final = 0.45
"""The typical information of a block about one of its players, in 1 / logits squared."""

"""Decisions of recorded matches as arrays, with the layout of `damrak.env`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from damrak.data import native
from damrak.data.files import Source
from damrak.data.match_decisions import replayed
from damrak.data.native import NOT_WANTED
from damrak.data.recorded import Match, selected
from damrak.data.selection import Bounds, Selection
from damrak.data.tape import Tape, tape_of
from damrak.env.encode import Encoder, Mask, Vector, encoder_for
from damrak.env.rewards import by_place
from damrak_engine.observation import observe
from damrak_engine.rules import Rules

Array = NDArray[Any]
ROWS = 4096


@dataclass(frozen=True, slots=True)
class Decisions:
    """A batch of decisions under the same rules, in the order of the matches; one per row."""

    rules: Rules = field(repr=False)
    encoder: Encoder = field(repr=False)
    observations: Vector
    """What the seat knew (`encoder.layout`)."""
    masks: Mask
    """Which actions were legal."""
    actions: Array
    """The action that the bot chose."""
    seats: Array
    """The seat that decided."""
    rewards: Vector
    """The result for this seat, from +1 (beat all others) to -1 (lost to all)."""
    places: Array
    totals: Array
    matches: tuple[Match, ...]
    of_match: Array
    """The index in `matches`."""

    def __len__(self) -> int:
        return len(self.actions)


def decisions(
    source: Source,
    *,
    bot: str | None = None,
    seat: int | None = None,
    board: str | None = None,
    rating: Bounds | None = None,
    rows: int = ROWS,
) -> Iterator[Decisions]:
    """Yield batches of the decisions in these replays, in their order.

    Only decisions of `bot`, of `seat`, on the board with the id `board`, and of versions with a
    `rating` within these bounds, if given. A batch has at least `rows` rows, unless the next match
    is played under other rules, or there are no more. The errors are those of `matches`.
    """
    if rows < 1:
        raise ValueError(f"rows must be at least 1, not {rows}")
    batch: _Batch | None = None
    selection = Selection(bot, seat, rating)
    for match in selected(source, selection, board):
        if batch is not None and (batch.rules != match.rules or batch.rows >= rows):
            if batch.rows:
                yield batch.arrays()
            batch = None
        if batch is None:
            batch = _Batch(match.rules)
        batch.add(match, selection)
    if batch is not None and batch.rows:
        yield batch.arrays()


class _Batch:
    """The matches of the next batch, not played yet."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.rows = 0
        self._matches: list[Match] = []
        self._tapes: list[Tape] = []
        self._targets: list[Array] = []  # for each match, the row of each decision

    def add(self, match: Match, selection: Selection) -> None:
        """Add a match with the selected decisions."""
        chosen = selection.seats(match.bots, match.ratings)
        tape = tape_of(match)
        if all(chosen):
            target = np.arange(self.rows, self.rows + len(tape.seats))
            self.rows += len(tape.seats)
        else:
            wanted = np.array(chosen)[np.array(tape.seats, np.intp)]
            target = np.where(wanted, self.rows + np.cumsum(wanted) - 1, NOT_WANTED)
            self.rows += int(wanted.sum())
        self._matches.append(match)
        self._tapes.append(tape)
        self._targets.append(target)

    def arrays(self) -> Decisions:
        """Return the batch."""
        encoder = encoder_for(self.rules)
        observations = np.empty((self.rows, encoder.size), np.float32)
        masks = np.empty((self.rows, encoder.actions), np.int8)
        self._play(observations, masks)
        wanted = [target != NOT_WANTED for target in self._targets]
        chosen = np.concatenate(wanted)
        seats = _joined([tape.seats for tape in self._tapes], np.int8)[chosen]
        of_match = np.repeat(np.arange(len(wanted), dtype=np.int32), [it.sum() for it in wanted])
        rewards = np.array([by_place(match.result) for match in self._matches], np.float32)
        places = np.array([match.places for match in self._matches], np.int8)
        totals = np.array([match.totals for match in self._matches], np.int32)
        return Decisions(
            rules=self.rules,
            encoder=encoder,
            observations=observations,
            masks=masks,
            actions=_joined([tape.actions for tape in self._tapes], np.int32)[chosen],
            seats=seats,
            rewards=rewards[of_match, seats],
            places=places[of_match, seats],
            totals=totals[of_match, seats],
            matches=tuple(self._matches),
            of_match=of_match,
        )

    def _play(self, observations: Vector, masks: Mask) -> None:
        """Write the vectors and masks: by the native core if possible, or else by the engine."""
        everything = [*zip(self._matches, self._tapes, self._targets, strict=True)]
        fast = [row for row in everything if native.can_play(row[0], row[1])]
        if fast:
            matches, tapes, targets = zip(*fast, strict=True)
            native.play(self.rules, matches, tapes, targets, observations, masks)
        for match, tape, target in everything:
            if not native.can_play(match, tape):
                _play_by_engine(match, target, observations, masks)


def _play_by_engine(match: Match, target: Array, observations: Vector, masks: Mask) -> None:
    encoder = encoder_for(match.rules)
    for row, (state, _) in zip(target.tolist(), replayed(match), strict=True):
        if row != NOT_WANTED:
            encoder.encode(observe(state, state.actor), observations[row])
            masks[row] = encoder.mask(state.legal_mask())


def _joined(lists: list[list[int]], dtype: type[Any]) -> Array:
    return np.array([*chain.from_iterable(lists)], dtype)

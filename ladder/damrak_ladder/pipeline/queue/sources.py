"""Sources of blocks to book, and the order within each: ladders, tournaments, tests, canaries."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Protocol

import numpy as np

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.boards import board_for
from damrak_ladder.matches.booking import SEED_BYTES, Table, book
from damrak_ladder.matches.flows import BURST, ladder_flow, owner_flow
from damrak_ladder.matches.models import Block, Ladder, Purpose
from damrak_ladder.matches.waiting_time import current_waits, note_seated
from damrak_ladder.matchmaking import UNLIMITED, Field, Table as Seating, arrange
from damrak_ladder.pipeline.queue.capacity import Place
from damrak_ladder.standings.read.field import LadderField, field_of, policy_of
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.pairing_blocks import TournamentSource
from damrak_ladder.trials.burst import left_of
from damrak_ladder.trials.demand import TrialWish, Wish, wishes

REMOTE_BLOCKS: Final = 2
"""The maximum number of a remote bot's waiting and running blocks on one ladder."""

Tokens = Callable[[int], bytes]
"""Returns this many cryptographically random bytes."""


class Source(Protocol):
    """A source of blocks within one flow."""

    @property
    def flow(self) -> str:
        """Return the flow that its blocks are charged to."""
        ...

    def book_next(self) -> Block | None:
        """Book the next block; None if there is none for now."""
        ...


@dataclass(slots=True)
class LadderSource:
    """A ladder: the tables that contribute most to its ranking."""

    ladder: Ladder
    place: Place  # where the remote bots of these tables are connected
    now: datetime
    tokens: Tokens
    most: int
    _field: LadderField | None = None
    _tables: list[Seating] = field(default_factory=list)
    _eligible: int = 0

    @property
    def flow(self) -> str:
        """Return the flow of the ladder."""
        return ladder_flow(self.ladder)

    def book_next(self) -> Block | None:
        """Book the most urgent table that has not been booked yet."""
        if self._field is None:
            # Arranged together, so that the field is read once and no table is arranged twice.
            self._field = field_of(self.ladder, self.place.lobby, self.now)
            seed = int.from_bytes(self.tokens(8), "big")
            arranged = self._limited(self._field)
            self._eligible = int(np.count_nonzero(arranged.eligible))
            self._tables = list(arrange(arranged, policy_of(self.ladder), seed, self.most))
        if not self._tables:
            return None
        seated = self._field.seated(self._tables.pop(0).players)
        block = book(self._table(seated), self.tokens(SEED_BYTES), self.now)
        note_seated(self.ladder, [version.bot_id for version in seated], self._eligible)
        return block

    def _limited(self, known: LadderField) -> Field:
        """Return the field with the waits of the versions, and how many tables each may join.

        A remote bot that already has enough blocks cannot be seated.
        """
        room = np.array([_room(version, known.pending) for version in known.versions])
        eligible = {one.bot_id for one, free in zip(known.versions, room, strict=True) if free > 0}
        waits = current_waits(self.ladder, eligible)
        waited = [waits.get(version.bot_id, 0.0) for version in known.versions]
        return replace(known.field, waited=np.array(waited), room=room.astype(np.int32))

    def _table(self, versions: tuple[Version, ...]) -> Table:
        ladder = self.ladder
        chance = random.Random(self.tokens(8)).random()  # noqa: S311 - only picks a board
        return Table(
            versions=versions,
            board=board_for(ladder, self.now, chance),
            purpose=Purpose.LADDER,
            flow=self.flow,
            ladder=ladder,
            rotations=ladder.rotations,
            options=ladder.options,
            control=ladder.control,
        )


@dataclass(slots=True)
class OwnerSource:
    """The tests and canaries of one owner, in turn."""

    flow: str
    wishes: list[Wish]
    place: Place
    now: datetime
    tokens: Tokens

    def book_next(self) -> Block | None:
        """Book a block of the test or canary that has waited longest, and move it to the end."""
        while self.wishes:
            wish = self.wishes.pop(0)
            block = wish.book_next(self.place.lobby, self.tokens, self.now)
            if block is not None:
                self.wishes.append(wish)
                return block
        return None


@dataclass(slots=True)
class BurstSource:
    """The first blocks of tests, in turn."""

    wishes: list[TrialWish]
    left: dict[int, int]  # blocks, by test
    owners_left: Counter[int]
    place: Place
    now: datetime
    tokens: Tokens

    @property
    def flow(self) -> str:
        """Return the flow of all bursts."""
        return BURST

    def book_next(self) -> Block | None:
        """Book a block of the longest-waiting test of the owner who has had the fewest."""
        while self.wishes:
            wish = max(self.wishes, key=lambda one: self.owners_left[one.owner_id])
            self.wishes.remove(wish)
            trial = wish.trial
            if not self.left[trial.pk] or not self.owners_left[trial.owner_id]:
                continue
            block = wish.book(self.flow, self.place.lobby, self.tokens, self.now)
            if block is not None:
                self.left[trial.pk] -= 1
                self.owners_left[trial.owner_id] -= 1
                self.wishes.append(wish)
                return block
        return None


def sources(place: Place, most: int, tokens: Tokens, now: datetime) -> dict[str, Source]:
    """Return all sources by flow, with the remote bots of this place."""
    found: dict[str, Source] = {}
    for ladder in Ladder.objects.filter(is_open=True).order_by("pk"):
        source = LadderSource(ladder, place, now, tokens, most)
        found[source.flow] = source
    for tournament in Tournament.objects.filter(phase=Phase.RUNNING).order_by("pk"):
        played = TournamentSource(tournament, place.lobby, now, tokens)
        found[played.flow] = played
    by_owner: dict[int, list[Wish]] = {}
    wished = wishes()
    left, owners_left = left_of(wished, now)
    first = [wish for wish in wished if isinstance(wish, TrialWish) and wish.trial.pk in left]
    if first:
        found[BURST] = BurstSource(first, left, owners_left, place, now, tokens)
    for wish in wished:
        by_owner.setdefault(wish.owner_id, []).append(wish)
    for owner_id, mine in by_owner.items():
        flow = owner_flow(owner_id)
        found[flow] = OwnerSource(flow, mine, place, now, tokens)
    return found


def _room(version: Version, pending: Mapping[int, int]) -> int:
    if version.kind != Kind.REMOTE:
        return UNLIMITED
    return max(0, REMOTE_BLOCKS - pending[version.pk])

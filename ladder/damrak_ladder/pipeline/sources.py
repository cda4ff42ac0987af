"""Who wants blocks to be booked, and what comes next of each: ladders, tests, canaries."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.boards import board_for
from damrak_ladder.matches.booking import SEED_BYTES, Table, book
from damrak_ladder.matches.flows import ladder_flow, owner_flow
from damrak_ladder.matches.models import Block, Ladder, Purpose
from damrak_ladder.matchmaking import Table as Seating, arrange
from damrak_ladder.pipeline.places import Place
from damrak_ladder.standings.fields import LadderField, field_of, policy_of
from damrak_ladder.trials.wishes import Wish, wishes

REMOTE_BLOCKS: Final = 2
"""So many blocks at a time wait for a remote bot or are played by it on one ladder."""

Tokens = Callable[[int], bytes]
"""So many bytes that nobody can guess."""


class Source(Protocol):
    """Something of one flow that wants to be played."""

    @property
    def flow(self) -> str:
        """At whose cost."""
        ...

    def book_next(self) -> Block | None:
        """The next block, booked; None if there is none for now."""
        ...


@dataclass(slots=True)
class LadderSource:
    """A ladder: the tables that are worth most to its ranking."""

    ladder: Ladder
    place: Place  # where remote bots at these tables are
    now: datetime
    tokens: Tokens
    most: int
    _field: LadderField | None = None
    _tables: list[Seating] = field(default_factory=list)
    _booked: Counter[int] = field(default_factory=Counter)  # blocks of remote bots

    @property
    def flow(self) -> str:
        """The flow of the ladder."""
        return ladder_flow(self.ladder)

    def book_next(self) -> Block | None:
        """The most urgent table that has not been booked yet."""
        if self._field is None:
            # Arranged together: the field is read once, and no table is arranged twice.
            self._field = field_of(self.ladder, self.place.lobby, self.now)
            seed = int.from_bytes(self.tokens(8), "big")
            policy = policy_of(self.ladder)
            self._tables = list(arrange(self._field.field, policy, seed, self.most))
        while self._tables:
            seated = self._field.seated(self._tables.pop(0).players)
            if self._has_time(seated):
                return book(self._table(seated), self.tokens(SEED_BYTES), self.now)
        return None

    def _has_time(self, versions: tuple[Version, ...]) -> bool:
        """Whether no remote bot among them has enough to play already; counts this table."""
        assert self._field is not None
        remotes = [version.pk for version in versions if version.kind == Kind.REMOTE]
        if any(self._field.under_way(one) + self._booked[one] >= REMOTE_BLOCKS for one in remotes):
            return False
        self._booked.update(remotes)
        return True

    def _table(self, versions: tuple[Version, ...]) -> Table:
        ladder = self.ladder
        chance = random.Random(self.tokens(8)).random()  # noqa: S311 - a pick of a board
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
        """A block of the one that has waited longest; it goes to the end of the line then."""
        while self.wishes:
            wish = self.wishes.pop(0)
            block = wish.book_next(self.place.lobby, self.tokens, self.now)
            if block is not None:
                self.wishes.append(wish)
                return block
        return None


def sources(place: Place, most: int, tokens: Tokens, now: datetime) -> dict[str, Source]:
    """By flow all who want to play, with remote bots at this place."""
    found: dict[str, Source] = {}
    for ladder in Ladder.objects.filter(is_open=True).order_by("pk"):
        source = LadderSource(ladder, place, now, tokens, most)
        found[source.flow] = source
    by_owner: dict[int, list[Wish]] = {}
    for wish in wishes():
        by_owner.setdefault(wish.owner_id, []).append(wish)
    for owner_id, wished in by_owner.items():
        flow = owner_flow(owner_id)
        found[flow] = OwnerSource(flow, wished, place, now, tokens)
    return found

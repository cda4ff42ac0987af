"""The next blocks of tests and canaries."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from django.db.models import OuterRef, Subquery

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.boards import board_for
from damrak_ladder.matches.booking import SEED_BYTES, Table, book
from damrak_ladder.matches.entries import live_versions
from damrak_ladder.matches.flows import owner_flow
from damrak_ladder.matches.models import Block, BlockState, Ladder, Purpose
from damrak_ladder.matchmaking import Field, Policy, arrange
from damrak_ladder.standings.read.estimates import estimates
from damrak_ladder.standings.read.field import entrant_of, is_there
from damrak_ladder.standings.read.shadow_games import canary_estimate
from damrak_ladder.trials import canaries
from damrak_ladder.trials.models import Canary, CanaryState, Trial, TrialBlock, TrialState

MOST_DEAD: Final = 3
"""With this many dead blocks, nothing more is booked until an organiser has them retried."""

Tokens = Callable[[int], bytes]


class Wish(Protocol):
    """A running test or canary."""

    @property
    def owner_id(self) -> int:
        """The owner who is charged for its blocks."""
        ...

    def book_next(self, lobby: Collection[int], tokens: Tokens, now: datetime) -> Block | None:
        """Book and return its next block on a host where these remote versions wait, or None."""
        ...


@dataclass(frozen=True, slots=True)
class TrialWish:
    """A running test."""

    trial: Trial

    @property
    def owner_id(self) -> int:
        """The owner who started it."""
        return self.trial.owner_id

    def book_next(self, lobby: Collection[int], tokens: Tokens, now: datetime) -> Block | None:
        """Book and return its next block, until it has all."""
        return self.book(owner_flow(self.owner_id), lobby, tokens, now)

    def book(
        self, flow: str, lobby: Collection[int], tokens: Tokens, now: datetime
    ) -> Block | None:
        """Book and return its next block, charged to this flow, until it has all."""
        trial = self.trial
        versions = (trial.candidate, trial.baseline)
        if trial.blocks.filter(block__state=BlockState.DEAD).count() >= MOST_DEAD:
            return None
        booked = trial.blocks.filter(is_late=False).exclude(block__state=BlockState.DEAD)
        if booked.count() >= trial.most:
            return None
        if not all(is_there(version, lobby) for version in versions):
            return None
        table = _table(trial.ladder, versions, Purpose.TEST, flow, tokens, now)
        block = book(replace(table, subject=trial.candidate), tokens(SEED_BYTES), now)
        TrialBlock.objects.create(trial=trial, block=block)
        return block


@dataclass(frozen=True, slots=True)
class CanaryWish:
    """A running canary."""

    canary: Canary

    @property
    def owner_id(self) -> int:
        """The owner of the bot."""
        return self.canary.version.bot.owner_id

    def book_next(self, lobby: Collection[int], tokens: Tokens, now: datetime) -> Block | None:
        """Book and return a block against opponents that the ladder would have chosen for it."""
        canary, ladder = self.canary, self.canary.ladder
        if canaries.dead(canary) >= MOST_DEAD:
            return None
        blocks = canaries.blocks_of(canary)
        if sum(blocks.values()) >= canary.most:
            return None
        shares = {int(seats): share for seats, share in ladder.shares.items() if share > 0}
        lack = {
            seats: share / sum(shares.values()) * (sum(blocks.values()) + 1) - blocks.get(seats, 0)
            for seats, share in shares.items()
        }
        seed = int.from_bytes(tokens(8), "big")
        for seats in sorted(lack, key=lambda seats: -lack[seats]):
            versions = _opponents(canary, seats, lobby, seed)
            if versions:
                flow = owner_flow(self.owner_id)
                table = _table(ladder, versions, Purpose.CANARY, flow, tokens, now)
                return book(replace(table, subject=canary.version), tokens(SEED_BYTES), now)
        return None


def wishes() -> list[Wish]:
    """Return all running tests and canaries; the one with the oldest latest block comes first."""
    trials = Trial.objects.filter(state=TrialState.RUNNING).select_related(
        "ladder", "candidate__bot", "baseline__bot"
    )
    # A closed ladder has no field; its canaries wait until it opens again.
    running = Canary.objects.filter(state=CanaryState.RUNNING, ladder__is_open=True).select_related(
        "ladder", "version__bot"
    )
    shadows = Block.objects.filter(
        subject=OuterRef("version"), ladder=OuterRef("ladder"), purpose=Purpose.CANARY
    )
    booked = TrialBlock.objects.filter(trial=OuterRef("pk"))
    found: list[tuple[int, int, Wish]] = []
    for trial in trials.annotate(
        latest=Subquery(booked.order_by("-block").values("block")[:1])
    ).order_by("pk"):
        found.append((trial.latest or 0, len(found), TrialWish(trial)))
    for canary in running.annotate(
        latest=Subquery(shadows.order_by("-pk").values("pk")[:1])
    ).order_by("pk"):
        found.append((canary.latest or 0, len(found), CanaryWish(canary)))
    return [wish for _, _, wish in sorted(found, key=lambda one: one[:2])]


def _opponents(
    canary: Canary, seats: int, lobby: Collection[int], seed: int
) -> tuple[Version, ...] | None:
    """Return a table of this size with the canary as if it were the ladder's newest version."""
    guest = canary.version
    others = [
        version
        for version in live_versions(canary.ladder)
        if version.pk != guest.pk and is_there(version, lobby)
    ]
    versions = [guest, *others]
    known = estimates(canary.ladder, [version.pk for version in versions])
    place = {version.pk: at for at, version in enumerate(versions)}
    entrants = [entrant_of(version, known[version.pk], place) for version in versions]
    so_far = canary_estimate(guest, canary.ladder)
    if so_far is not None:
        entrants[0] = replace(entrants[0], elo=so_far.elo, error=so_far.error)
    # A version that has not played is most urgent, and the first in the field of those.
    entrants[0] = replace(entrants[0], blocks={}, pending=0, is_anchor=False)
    for table in arrange(Field.of(entrants), Policy(shares={seats: 1.0}), seed, 1):
        if table.players[0] == 0:
            return tuple(versions[player] for player in table.players)
    return None


def _table(
    ladder: Ladder,
    versions: tuple[Version, ...],
    purpose: Purpose,
    flow: str,
    tokens: Tokens,
    now: datetime,
) -> Table:
    chance = random.Random(tokens(8)).random()  # noqa: S311 - a pick of a board
    return Table(
        versions=versions,
        board=board_for(ladder, now, chance),
        purpose=purpose,
        flow=flow,
        ladder=ladder,
        rotations=ladder.rotations,
        options=ladder.options,
        control=ladder.control,
    )

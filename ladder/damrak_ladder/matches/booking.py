"""Booking of new blocks, and the seeds of their matches."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, transaction

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.notes import note
from damrak_ladder.matches.errors import BadTable
from damrak_ladder.matches.models import Block, Ladder, Match, Purpose, Seat
from damrak_ladder.message_codes import block_codes as codes

SEED_BYTES: Final = 32
SEATS: Final = range(2, 5)
MOST_ROTATIONS: Final = 20
_TRIES: Final = 8
_FORGETFUL: Final = (Kind.UPLOADED, Kind.HOUSE)  # every game in a fresh process


@dataclass(frozen=True, slots=True)
class Table:
    """The description of a block: these versions in all rotations."""

    versions: tuple[Version, ...]
    board: str
    purpose: Purpose
    flow: str
    ladder: Ladder | None = None
    subject: Version | None = None
    rotations: int = 1
    games: int | None = None  # the first ones only; None: all rotations
    keeps_cards: bool = False  # in every attempt, although not all versions are forgetful
    options: Mapping[str, str] = field(default_factory=dict)
    control: Mapping[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Return the number of games."""
        return len(self.versions) * self.rotations if self.games is None else self.games


def book(table: Table, seed: bytes, now: datetime) -> Block:
    """Create a waiting block. `seed` are 32 random bytes that are kept secret.

    It is mirrored unless a remote bot or a person takes part, as they could remember the cards.

    Raises:
        BadTable
    """
    _check(table, seed)
    for _ in range(_TRIES - 1):
        try:
            return _insert(table, seed, now)
        except IntegrityError:  # another process has generated the same id
            continue
    return _insert(table, seed, now)


def _insert(table: Table, seed: bytes, now: datetime) -> Block:
    is_mirrored = table.keeps_cards or all(version.kind in _FORGETFUL for version in table.versions)
    with transaction.atomic():
        block = Block.objects.create(
            ladder=table.ladder,
            purpose=table.purpose,
            board=table.board,
            options=dict(table.options),
            control=dict(table.control),
            rotations=table.rotations,
            is_mirrored=is_mirrored,
            seed=seed,
            flow=table.flow,
            subject=table.subject,
            created=now,
            due=now,
        )
        seats = len(table.versions)
        matches = Match.objects.bulk_create(
            [Match(block=block, number=number) for number in range(table.size)]
        )
        Seat.objects.bulk_create(
            Seat(match=match, number=seat, version=table.versions[(seat + match.number) % seats])
            for match in matches
            for seat in range(seats)
        )
        note(ChangeKind.BLOCK_QUEUED, block.pk, now)
    return block


def _check(table: Table, seed: bytes) -> None:
    if len(table.versions) not in SEATS:
        raise BadTable(codes.TableSize(len(table.versions)))
    if not 1 <= table.rotations <= MOST_ROTATIONS:
        raise BadTable(codes.TableRotations(table.rotations))
    if len(seed) != SEED_BYTES:
        raise BadTable(codes.TableSeed(len(seed)))


def match_seed(block: Block, number: int, seats: int) -> bytes:
    """Return the seed of a match in the block's latest attempt.

    In a mirrored block it is the same throughout a rotation and in every attempt. Otherwise it
    differs in each match and attempt, as a remote bot has seen the cards of the earlier ones.
    """
    if block.is_mirrored:
        return _derived(block, 0, number // seats)
    return _derived(block, block.attempt, number)


def _derived(block: Block, attempt: int, number: int) -> bytes:
    place = attempt.to_bytes(8, "big") + number.to_bytes(8, "big")
    return hashlib.sha256(b"damrak-seed/1" + bytes(block.seed) + place).digest()

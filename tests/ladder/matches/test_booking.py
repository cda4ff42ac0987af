"""A block has all rotations of its table, and unpredictable seeds."""

from __future__ import annotations

import pytest

from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.booking import Table, book, match_seed
from damrak_ladder.matches.errors import BadTable
from damrak_ladder.matches.models import Block, BlockState, Purpose
from ladder.bot_versions import some_bot, some_version
from ladder.people import NOW
from ladder.tables import SEED, some_block, some_versions

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_version_sits_in_every_seat_once(seats: int) -> None:
    versions = some_versions(seats)
    block = some_block(versions)
    rows = [
        [seat.version for seat in match.seats.order_by("number")]
        for match in block.matches.order_by("number")
    ]
    assert rows[0] == list(versions)
    assert all(set(row) == set(versions) for row in rows)
    assert all(set(column) == set(versions) for column in zip(*rows, strict=True))


def test_new_block_waits() -> None:
    block = Block.objects.get(pk=some_block().pk)
    assert (block.state, block.attempt, block.due) == (BlockState.WAITING, 0, NOW)


def test_mirrored_block_has_one_seed_in_all_attempts() -> None:
    block = some_block()
    assert block.is_mirrored
    seeds = set()
    for block.attempt in range(1, 4):
        seeds |= {match_seed(block, number, 2) for number in range(2)}
    assert len(seeds) == 1


def test_each_rotation_of_a_block_has_a_seed_of_its_own() -> None:
    table = Table(some_versions(3), "practice", Purpose.LADDER, "ladder:practice", rotations=2)
    block = book(table, SEED, NOW)
    seeds = [match_seed(block, match.number, 3) for match in block.matches.order_by("number")]
    assert len(seeds) == 6
    assert [len(set(seeds[:3])), len(set(seeds[3:])), len(set(seeds))] == [1, 1, 2]
    turns = [
        tuple(match.seats.order_by("number").values_list("version", flat=True))
        for match in block.matches.order_by("number")
    ]
    assert turns[:3] == turns[3:]


@pytest.mark.parametrize("rotations", [0, 21])
def test_a_block_has_a_sensible_number_of_rotations(rotations: int) -> None:
    table = Table(some_versions(), "practice", Purpose.LADDER, "x", rotations=rotations)
    with pytest.raises(BadTable, match="rotations"):
        book(table, SEED, NOW)


def test_remote_bot_never_sees_a_seed_again() -> None:
    house, remote = some_version(some_bot("a")), some_version(some_bot("b"), kind=Kind.REMOTE)
    block = some_block((house, remote))
    assert not block.is_mirrored
    seeds = []
    for block.attempt in range(1, 4):
        seeds += [match_seed(block, number, 2) for number in range(2)]
    assert len(set(seeds)) == 6
    assert SEED not in seeds
    assert all(len(seed) == 32 for seed in seeds)


@pytest.mark.parametrize("seats", [0, 1, 5])
def test_tables_have_two_to_four_seats(seats: int) -> None:
    table = Table(some_versions(seats), "practice", Purpose.LADDER, "ladder:practice")
    with pytest.raises(BadTable):
        book(table, SEED, NOW)


def test_seeds_have_32_bytes() -> None:
    with pytest.raises(BadTable, match="bytes: 31"):
        book(Table(some_versions(), "practice", Purpose.LADDER, "ladder:practice"), bytes(31), NOW)
    assert not Block.objects.exists()

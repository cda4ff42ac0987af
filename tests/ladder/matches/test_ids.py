"""Ids of blocks and matches: collisions of processes, and the rows of earlier releases."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from damrak_ladder.matches.models import Block, Match, Seat
from damrak_ladder.time_ordered_ids import new_id
from damrak_ladder.tournaments.models import PairingBlock
from ladder.databases import migrate, original_executor, separate_database
from ladder.people import NOW
from ladder.tables import some_block, some_versions

BEFORE = [("matches", "0007_alter_block_purpose"), ("tournaments", "0002_cancelled_season")]


def generate(monkeypatch: pytest.MonkeyPatch, ids: Iterator[int]) -> None:
    monkeypatch.setattr("damrak_ladder.time_ordered_ids._generate", ids.__next__)


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("model", [Block, Match])
def test_block_is_booked_with_other_ids_if_another_process_has_generated_the_same(
    model: type[Block] | type[Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = some_versions()
    some_block(versions)
    clash = model._default_manager.latest("pk").pk
    fresh = [new_id() for _ in range(6)]
    ids = [clash] if model is Block else [*fresh[:2], clash]
    generate(monkeypatch, chain(ids, fresh[2:]))
    block = some_block(versions)
    assert (block.pk, *block.matches.order_by("pk").values_list("pk", flat=True)) == tuple(
        fresh[2:5]
    )
    assert (Block.objects.count(), Match.objects.count(), Seat.objects.count()) == (2, 4, 8)


@pytest.mark.usefixtures("database")
def test_booking_fails_if_no_id_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = some_versions()
    generate(monkeypatch, repeat(some_block(versions).pk))
    with pytest.raises(IntegrityError), transaction.atomic():
        some_block(versions)
    assert Block.objects.count() == 1


@pytest.fixture
def earlier(committed: Any, tmp_path: Path) -> Iterator[Any]:
    """Yield the models of the release before, with their tables in a separate database."""
    with separate_database(tmp_path):
        executor = original_executor()
        executor.migrate(BEFORE)
        yield executor.loader.project_state(BEFORE).apps


def some_pairing(earlier: Any) -> Any:
    """Return a pairing of an earlier release."""
    owner = earlier.get_model("accounts", "User").objects.create(username="olga")
    cup = earlier.get_model("tournaments", "Tournament").objects.create(
        slug="cup", name="Cup", owner=owner, secret=bytes(32), created=NOW
    )
    first = cup.stages.create(number=0).rounds.create(number=1, serial=1, paired=NOW)
    return first.pairings.create(table=1)


def test_rows_of_earlier_releases_keep_their_ids(earlier: Any) -> None:
    blocks = earlier.get_model("matches", "Block").objects
    matches = earlier.get_model("matches", "Match").objects
    for _ in range(3):
        block = blocks.create(
            purpose="ladder", board="practice", is_mirrored=True, seed=bytes(32), flow="x",
            created=NOW, due=NOW,
        )  # fmt: skip
        for number in range(2):
            matches.create(block=block, number=number)
    pairing = some_pairing(earlier)
    pairing.blocks.create(number=1, block=block)
    before = list(matches.order_by("pk").values_list("pk", "block", "number"))
    assert [row[:2] for row in before] == [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)]

    migrate()
    connection.check_constraints()
    assert list(Match.objects.order_by("pk").values_list("pk", "block", "number")) == before
    assert PairingBlock.objects.get(block=3).tournament.slug == "cup"
    new = some_block()
    assert new.pk > 1 << 32
    assert Block.objects.latest("pk").pk == new.pk
    assert list(Match.objects.filter(pk__gt=6).values_list("block", flat=True)) == [new.pk] * 2
    Block.objects.filter(pk=2).delete()  # foreign keys still refer to the keys
    assert Match.objects.filter(pk__lte=6).count() == 4
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM information_schema.columns WHERE is_identity = 'YES'"
                " AND table_name IN ('matches_block', 'matches_match', 'tournaments_tournament')"
            )
            assert cursor.fetchone() == (0,)

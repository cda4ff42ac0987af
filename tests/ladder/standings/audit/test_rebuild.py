"""Every published number follows from the replays, and any tampering is detected."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F
from django.test import override_settings

from damrak_engine.replay import read_object
from damrak_engine.strictjson import canonical
from damrak_ladder.command_line import build_parser, main
from damrak_ladder.installation.buckets import Bucket
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import Block, Match, Purpose, SeatResult
from damrak_ladder.matches.record import Report, record
from damrak_ladder.replays.compression import compress
from damrak_ladder.replays.models import StoredReplay
from damrak_ladder.replays.signatures import PlatformKey
from damrak_ladder.replays.storage import keep, load
from damrak_ladder.standings.audit.rebuild import rebuild
from damrak_ladder.standings.counts.updates import absorb, withdraw
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.models import Counted, Fit, Line, Meeting, Standing, Tally
from damrak_ladder.standings.read.table import table
from damrak_ladder.usage_errors import Misuse
from ladder.games import true_replay_of
from ladder.people import NOW
from ladder.seasons import a_ladder, some_field
from ladder.tables import PATIENCE, SEED

pytestmark = pytest.mark.usefixtures("database")

LATER = NOW + timedelta(hours=1)


def played_block(ladder, versions, number):
    """Return a block that was really played, at random, and is settled."""
    tables = Table(tuple(versions), "practice", Purpose.LADDER, f"ladder:{ladder.slug}", ladder)
    block = book(tables, SEED, NOW)
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    matches = tuple(
        keep(true_replay_of(match, 10 * number + match.number))
        for match in block.matches.order_by("number")
    )
    assert record(Report(block.pk, 1, matches), NOW)
    block.refresh_from_db()
    assert absorb(block)
    Block.objects.filter(pk=block.pk).update(settled=NOW)
    return block


@pytest.fixture
def ladder():
    """Return a ladder with a few blocks, published."""
    ladder, versions = a_ladder(), some_field(4)
    played_block(ladder, versions[:2], 1)
    played_block(ladder, versions[1:], 2)
    played_block(ladder, [versions[3], versions[0]], 3)
    assert publish(ladder, NOW)
    return ladder


def test_rebuild_without_tampering_is_identical(ladder) -> None:
    seen = []
    result = rebuild(ladder, LATER, check=True, progressed=lambda *at: seen.append(at))
    assert result.is_identical
    assert (result.blocks, result.fit) == (3, 1)
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert result.numbers > 200
    assert not rebuild(ladder, LATER).is_repaired
    assert Fit.objects.count() == 1


def test_store_that_is_away_takes_one_line(
    ladder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("damrak_ladder.management.load", lambda: None)  # Django is already loaded
    nowhere = Bucket("damrak", "http://127.0.0.1:9", "us-east-1", "", "key", "secret")
    with override_settings(DAMRAK_REPLAY_STORE="s3", DAMRAK_BUCKET=nowhere):
        assert main(["ratings", "rebuild", "--check", "--ladder", ladder.slug]) == 2
    [said] = capsys.readouterr().err.strip().splitlines()
    assert said.startswith("damrak-ladder: ")
    assert "127.0.0.1:9" in said
    assert "nothing is lost" in said


@pytest.mark.process
def test_several_processes_replay_what_one_does(ladder) -> None:
    replay = Match.objects.order_by("pk")[0].replay
    StoredReplay.objects.filter(pk=replay).update(data=b"noise")
    alone = rebuild(ladder, LATER, check=True)
    seen = []
    together = rebuild(ladder, LATER, check=True, jobs=2, progressed=lambda *at: seen.append(at))
    assert together == alone
    assert not together.is_identical
    assert seen == [(1, 3), (2, 3), (3, 3)]


TAMPERING = {
    "elo is": lambda: Standing.objects.filter(seats=0).update(elo=F("elo") + 1),
    "rank is": lambda: Standing.objects.filter(seats=2).update(rank=F("rank") + 1),
    "standing of version": lambda: Standing.objects.filter(seats=3, rank=2).delete(),
    "ledger: does not end": lambda: Line.objects.filter(seats=3).update(high=F("high") + 1),
    "points is 0": lambda: Tally.objects.filter(seats=2).update(points=0),
    "tally of version": lambda: Tally.objects.filter(seats=3).delete(),
    "meeting of versions": lambda: Meeting.objects.update(wins=F("wins") + 1),
    "does not count": lambda: Counted.objects.order_by("pk")[0].delete(),
    "counts for other results": lambda: Counted.objects.filter(serial=2).update(points=bytes(36)),
}


def everything(ladder):
    """Return all numbers of all tables, and the tallies."""
    return (
        [
            (row.bot_slug, row.elo, row.low, row.high, row.rank, row.band, row.games)
            for seats in (None, 2, 3)
            for row in table(ladder, seats)
        ],
        sorted(Tally.objects.values_list("version", "seats", "turn", "games", "points")),
        sorted(Meeting.objects.values_list("version", "opponent", "wins", "blocks")),
    )


def test_tampering_is_found_and_undone(ladder) -> None:
    before = everything(ladder)
    for name, tamper in TAMPERING.items():
        with transaction.atomic():
            tamper()
            result = rebuild(ladder, LATER, check=True)
            assert any(name in line for line in result.differences), name
            assert not result.is_repaired
            assert not result.unfounded
            transaction.set_rollback(True)
    for tamper in TAMPERING.values():
        tamper()
    assert rebuild(ladder, LATER).is_repaired
    assert rebuild(ladder, LATER, check=True).is_identical
    assert everything(ladder) == before


def lose(match):
    StoredReplay.objects.filter(pk=match.replay).delete()


def damage(match):
    StoredReplay.objects.filter(pk=match.replay).update(data=b"nothing of the kind")


def swap(match):
    other = Match.objects.exclude(pk=match.pk).exclude(block=match.block).first()
    Match.objects.filter(pk=match.pk).update(replay=other.replay)


def change(match):
    SeatResult.objects.filter(seat__match=match).update(place=2)


def forge(match):
    raw = read_object(load(match.replay))
    raw["signature"] = PlatformKey.of_bytes(bytes(32)).sign(match.replay)
    forged = compress(canonical(raw) + b"\n")
    assert StoredReplay.objects.filter(pk=match.replay).update(data=forged)


@pytest.mark.parametrize("harm", [lose, damage, swap, change, forge])
def test_without_its_replays_a_block_is_unfounded_and_nothing_is_changed(ladder, harm) -> None:
    harm(Match.objects.order_by("pk")[1])
    Tally.objects.update(points=0)
    result = rebuild(ladder, LATER)
    assert len(result.unfounded) == 1
    assert result.unfounded[0].startswith(f"block {Match.objects.order_by('pk')[1].block_id}: ")
    assert not result.is_identical
    assert not result.is_repaired
    assert set(Tally.objects.values_list("points", flat=True)) == {0}


def test_blocks_that_do_not_count_yet_are_not_a_difference(ladder) -> None:
    versions = [row.version_id for row in table(ladder)]
    fresh = some_field_of(versions)
    block = played_block(ladder, fresh[:2], 7)
    assert rebuild(ladder, LATER, check=True).is_identical  # counted, but not in the fit
    withdraw(block)
    Block.objects.filter(pk=block.pk).update(settled=None)
    assert rebuild(ladder, LATER, check=True).is_identical


def some_field_of(keys):
    from damrak_ladder.bots.models import Version

    return list(Version.objects.filter(pk__in=keys).order_by("pk"))


def test_withdrawn_blocks_ask_for_a_fit(ladder) -> None:
    block = Block.objects.order_by("pk").first()
    withdraw(block)
    Block.objects.filter(pk=block.pk).update(state="waiting", settled=None)
    result = rebuild(ladder, LATER, check=True)
    assert result.differences == ["fit 1: 1 of its blocks count no longer; a new fit is due"]
    publish(ladder, LATER)
    assert rebuild(ladder, LATER, check=True).is_identical


def run(*arguments: str) -> int:
    args = build_parser().parse_args(["ratings", *arguments])
    return args.run(args)


class TestCommand:
    def test_check(self, ladder, capsys) -> None:
        assert run("rebuild", "--check") == 0
        assert "practice: identical (3 blocks replayed" in capsys.readouterr().out
        Standing.objects.filter(seats=0).update(elo=F("elo") + 1)
        assert run("rebuild", "--check", "--ladder", "practice") == 1
        assert "elo is" in capsys.readouterr().out
        assert run("rebuild", "--json") == 0
        [said] = json.loads(capsys.readouterr().out)
        assert said["is_repaired"]
        assert run("rebuild", "--check", "--json") == 0
        [said] = json.loads(capsys.readouterr().out)
        assert said["is_identical"]

    def test_show(self, ladder, capsys) -> None:
        assert run("show", "practice") == 0
        assert "bot-1 1" in capsys.readouterr().out
        assert run("show", "practice", "--json", "--limit", "2", "--on", "2030-01-01") == 0
        rows = json.loads(capsys.readouterr().out)
        assert [row["rank"] for row in rows] == [1, 2]

    def test_export(self, ladder, capsys) -> None:
        assert run("export", "practice", "--seats", "2") == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 4
        assert lines[0].startswith("version_id,bot_slug,")
        assert run("export", "practice", "--json") == 0
        assert len(json.loads(capsys.readouterr().out)) == 4

    @pytest.mark.parametrize(
        "arguments",
        [
            ("show", "nowhere"),
            ("show", "practice", "--on", "yesterday"),
            ("show", "practice", "--on", "9999-12-31"),
            ("show", "practice", "--limit", "0"),
            ("rebuild", "--jobs", "0"),
        ],
    )
    def test_misuse(self, ladder, arguments) -> None:
        with pytest.raises(Misuse):
            run(*arguments)

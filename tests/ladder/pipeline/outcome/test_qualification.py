"""A new version qualifies before it plays, and its author can follow the steps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from django.test import override_settings

from damrak_ladder.bots.errors import Overtaken
from damrak_ladder.bots.house import house_version
from damrak_ladder.bots.lifecycle import advance, promote
from damrak_ladder.bots.models import Bot, Kind, Promotion, State, Version
from damrak_ladder.bots.submission import Submission, register
from damrak_ladder.installation.environment import Benching
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.entries import seat_house
from damrak_ladder.matches.models import (
    Blame,
    Block,
    BlockState,
    Entry,
    Host,
    Ladder,
    Purpose,
    Seat,
)
from damrak_ladder.matches.record import record
from damrak_ladder.matches.withdrawal import withdraw
from damrak_ladder.message_codes.block_codes import ReportedVoid
from damrak_ladder.message_codes.wording import english
from damrak_ladder.notices.models import Notice
from damrak_ladder.pipeline.outcome import qualification, settlement
from damrak_ladder.pipeline.outcome.bench import share_at_least
from damrak_ladder.pipeline.outcome.promotion import make_live
from damrak_ladder.pipeline.outcome.qualification import CHANCES, begin
from damrak_ladder.pipeline.outcome.settlement import settle, settle_leftovers, unsettle
from damrak_ladder.pipeline.upkeep.expiry import reap
from damrak_ladder.standings.models import Counted
from damrak_ladder.trials import canaries
from damrak_ladder.trials.canaries import played
from damrak_ladder.trials.models import Canary, CanaryState
from ladder.bot_versions import some_bot, some_version
from ladder.flow import Player, rounds, some_host
from ladder.interruptions import is_dead_after, statements_of
from ladder.ladders import some_ladder
from ladder.people import NOW
from ladder.tables import PATIENCE

alone = pytest.mark.usefixtures("database")


def a_ladder(**values: Any) -> Ladder:
    ladder = some_ladder(house=["random", "greedy"], **values)
    seat_house(ladder, NOW)
    some_host(workers=2)
    return ladder


def submitted(bot: Bot, spec: str = "one", kind: Kind = Kind.UPLOADED, **more: Any) -> Version:
    version = register(bot, Submission(kind, spec=spec, **more), NOW)
    begin(version, NOW)
    return version


def breaking(bot: str, fault: str) -> Callable[[Seat], str]:
    return lambda seat: fault if seat.version.bot.slug == bot else ""


def fresh(version: Version) -> Version:
    return Version.objects.select_related("bot__live").get(pk=version.pk)


def steps(version: Version) -> list[str]:
    return list(version.steps.order_by("pk").values_list("kind", flat=True))


def told() -> list[str]:
    return list(Notice.objects.order_by("pk").values_list("kind", flat=True))


@alone
def test_version_that_plays_without_a_fault_goes_live_and_is_entered() -> None:
    ladder = a_ladder()
    version = submitted(some_bot())
    rounds(Player(), 1)
    version = fresh(version)
    assert (version.state, version.bot.live) == (State.QUALIFIED, version)
    assert Entry.objects.filter(ladder=ladder, bot=version.bot, left=None).exists()
    assert steps(version) == ["queued", "qualified", "live"]
    assert told() == ["qualified"]
    rounds(Player(), 3, NOW + timedelta(minutes=1))
    assert Seat.objects.filter(version=version, match__block__purpose=Purpose.LADDER).exists()


@alone
def test_it_starts_once() -> None:
    version = submitted(some_bot())
    with pytest.raises(Overtaken):
        begin(version, NOW)
    block = Block.objects.get()
    assert (block.subject, block.flow, block.purpose) == (version, "qualification", "qualification")


@alone
def test_on_a_ladder_for_three_it_qualifies_at_a_table_for_three() -> None:
    a_ladder(shares={"2": 0, "3": 1})
    version = submitted(some_bot())
    assert english(version.steps.get().message) == (
        "Queued: it plays greedy and random on practice, in the sandbox."
    )
    rounds(Player(), 1)
    assert fresh(version).state == State.QUALIFIED
    assert Block.objects.get(subject=version).matches.count() == 3


@alone
def test_version_that_breaks_down_fails_with_the_evidence_and_the_old_one_stays() -> None:
    a_ladder()
    bot = some_bot()
    old = some_version(bot, "old", Kind.UPLOADED)
    promote(bot.pk, None, old.pk, NOW)
    version = submitted(bot)
    rounds(Player(breaks=breaking("stan", "crash")), 1)
    version = fresh(version)
    assert (version.state, version.bot.live) == (State.FAILED, old)
    # The reason is public, but the bot's own output is visible to its author only.
    reason = english(version.reason)
    assert reason.startswith("It crashed (game 1, match ")
    assert reason.endswith(", seat 1).")  # counted from 1, as on pages
    told_to_author = english(version.steps.latest("pk").message)
    assert told_to_author.startswith("Not qualified. It crashed: as the test wants it (game 1, ")
    match = Seat.objects.filter(version=version).order_by("pk").values_list("match", flat=True)[0]
    assert {"fault": "crash", "match": match, "seat": 0}.items() <= version.evidence.items()
    assert steps(version) == ["queued", "failed"]
    assert told() == ["failed"]


@alone
def test_lost_connection_is_tried_again_a_few_times() -> None:
    a_ladder()
    bot = some_bot("rita")
    Host.objects.update(waiting=["rita"])
    version = submitted(bot, kind=Kind.REMOTE)
    player = Player(breaks=breaking("rita", "disconnect"), owner=Blame.NETWORK)
    rounds(player, 1)
    assert fresh(version).state == State.QUALIFYING
    rounds(player, CHANCES, NOW + timedelta(minutes=1))
    assert fresh(version).state == State.FAILED
    assert steps(version) == ["queued"] * CHANCES + ["failed"]
    assert Block.objects.filter(subject=version).count() == CHANCES


@alone
def test_newer_version_that_is_live_already_stays() -> None:
    a_ladder()
    bot = some_bot()
    slow = submitted(bot, "slow")
    quick = some_version(bot, "quick", Kind.UPLOADED)
    promote(bot.pk, None, quick.pk, NOW)
    rounds(Player(), 1)
    assert fresh(slow).state == State.QUALIFIED
    assert fresh(slow).bot.live == quick


@alone
def test_canary_plays_shadow_blocks_that_do_not_count_for_others() -> None:
    ladder = a_ladder(shares={"2": 1, "3": 1})
    bot = some_bot()
    old = some_version(bot, "old", Kind.UPLOADED)
    promote(bot.pk, None, old.pk, NOW)
    submitted(bot, goes_live=False)
    rounds(Player(), 1)
    canary = Canary.objects.select_related("version__bot__live").get()
    Canary.objects.update(most=6)
    assert canary.version.bot.live == old
    now = rounds(Player(), 14, NOW + timedelta(minutes=1))
    canary.refresh_from_db()
    assert (canary.state, played(canary)) == (CanaryState.FINISHED, 6)
    shadow = Block.objects.filter(purpose=Purpose.CANARY)
    assert {block.matches.count() for block in shadow} == {2, 3}
    assert not Counted.objects.filter(block__in=shadow).exists()
    assert not Seat.objects.filter(match__block__in=shadow, version=old).exists()
    assert told() == ["qualified", "canary_finished"]
    # A limit from now on, whatever was requested before.
    for more, most in ((4, 10), (2, 10), (7, 13)):
        again = canaries.begin(fresh(canary.version), ladder, now, more)
        assert (again.state, again.most) == (CanaryState.RUNNING, most)
    assert "Decide" in Notice.objects.get(kind="qualified").text
    make_live(canary.version, old.pk, now, bot.owner)
    assert fresh(canary.version).bot.live == canary.version
    assert Promotion.objects.filter(by=bot.owner).count() == 1
    assert ladder.entries.filter(bot=bot, left=None).exists()


@alone
def test_version_that_breaks_down_too_often_is_benched_until_the_next() -> None:
    a_ladder()
    bot = some_bot()
    bad = some_version(bot, "bad", Kind.UPLOADED)
    promote(bot.pk, None, bad.pk, NOW)
    Entry.objects.create(ladder=Ladder.objects.get(), bot=bot, entered=NOW)
    elsewhere = some_ladder("elsewhere", is_open=False)
    canary = Canary.objects.create(version=bad, ladder=elsewhere, most=500, created=NOW)
    player = Player(breaks=lambda seat: "timeout" if seat.version_id == bad.pk else "")
    later = book(
        Table((bad, house_version("greedy", NOW)), "practice", Purpose.LADDER, "ladder:practice"),
        bytes(32),
        NOW + timedelta(days=1),
    )
    rounds(player, 12)
    bad = fresh(bad)
    canary.refresh_from_db()
    assert canary.state == CanaryState.CANCELLED
    assert (bad.state, bad.bot.live) == (State.BENCHED, None)
    assert bad.evidence["faults"] >= 8
    assert bad.evidence["reasons"] == {"timeout": bad.evidence["faults"]}
    assert steps(bad)[-1] == "benched"
    assert told() == ["benched"]
    waiting = Block.objects.filter(state=BlockState.WAITING, host=None)
    assert not waiting.filter(matches__seats__version=bad).exists()
    assert not Block.objects.filter(pk=later.pk).exists()
    good = submitted(bot, "good")
    rounds(player, 2, NOW + timedelta(minutes=2))
    assert fresh(good).bot.live == good


def take_back(block: Block) -> None:
    assert withdraw(block.pk, block.attempt, ReportedVoid("doubtful"), NOW, unsettle)


@alone
def test_version_benched_for_a_bad_hosts_games_plays_again() -> None:
    a_ladder()
    bot = some_bot()
    version = some_version(bot, "one", Kind.UPLOADED)
    promote(bot.pk, None, version.pk, NOW)
    Entry.objects.create(ladder=Ladder.objects.get(), bot=bot, entered=NOW)
    rounds(Player(breaks=breaking("stan", "timeout")), 12)
    assert fresh(version).state == State.BENCHED
    played = Block.objects.filter(state=BlockState.RECORDED, matches__seats__version=version)
    for block in played.distinct():
        take_back(block)
    assert fresh(version).state == State.QUALIFIED
    assert fresh(version).bot.live == version
    assert steps(version)[-1] == "restored"


@alone
def test_version_that_failed_on_a_bad_host_qualifies_again() -> None:
    a_ladder()
    version = submitted(some_bot())
    rounds(Player(breaks=breaking("stan", "timeout")), 1)
    assert fresh(version).state == State.FAILED
    take_back(Block.objects.get(subject=version))
    assert fresh(version).state == State.QUALIFYING
    rounds(Player(), 1, NOW + timedelta(minutes=1))
    assert fresh(version).state == State.QUALIFIED
    assert told() == ["failed", "qualified"]


@alone
def test_few_faults_among_many_games_do_not_bench() -> None:
    a_ladder()
    bot = some_bot()
    version = some_version(bot, "one", Kind.UPLOADED)
    promote(bot.pk, None, version.pk, NOW)
    Entry.objects.create(ladder=Ladder.objects.get(), bot=bot, entered=NOW)
    games = count(1)
    rare = Player(
        breaks=lambda seat: "crash" if seat.version == version and next(games) % 12 == 0 else ""
    )
    with override_settings(DAMRAK_BENCHING=Benching(percent=10, games=60, least=8)):
        rounds(rare, 10)
    assert fresh(version).state == State.QUALIFIED


@alone
@pytest.mark.parametrize(
    ("faults", "games", "least"), [(0, 10, 0.0), (1, 1, 0.27), (2, 10, 0.07), (30, 60, 0.4)]
)
def test_share_is_distinguished_from_luck(faults: int, games: int, least: float) -> None:
    assert share_at_least(faults, games) == pytest.approx(least, abs=0.02)


@alone
def test_author_is_notified_once_of_an_unplayable_block() -> None:
    version = submitted(some_bot())
    Block.objects.update(state=BlockState.DEAD, trouble=ReportedVoid("no way to 10.0.0.3"), tries=5)
    reap(NOW)
    reap(NOW)
    assert fresh(version).state == State.QUALIFYING
    # Without the reason, which may name internal machines.
    assert [english(step.message) for step in version.steps.all()][1:] == [
        f"Its block {Block.objects.get().pk} could not be played. The operators have been notified."
    ]


def recorded_qualification(slug: str = "stan") -> Block:
    if not Ladder.objects.exists():
        some_ladder(house=["greedy"])
    found = Block.objects.get(subject=submitted(some_bot(slug)))
    block = start(found.pk, 0, "alpha", NOW, PATIENCE)
    assert block is not None
    record(Player().report(block), NOW)
    return block


@alone
def test_a_version_with_a_decision_is_not_changed() -> None:
    block = recorded_qualification()
    assert block.subject is not None
    advance(block.subject.pk, State.QUALIFYING, State.FAILED, NOW, ReportedVoid("twice"))
    assert settle(block.pk, NOW)
    assert fresh(block.subject).state == State.FAILED
    assert told() == []


@alone
def test_block_is_settled_once_and_leftovers_are_found() -> None:
    block = recorded_qualification()
    assert settle_leftovers(NOW) == 1
    assert settle_leftovers(NOW) == 0
    assert not settle(block.pk, NOW)
    assert told() == ["qualified"]
    assert Promotion.objects.filter(after=block.subject).count() == 1


@alone
def test_block_that_cannot_be_settled_does_not_hold_up_those_behind_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks = [recorded_qualification(), recorded_qualification("tess")]

    def breaks(block: Block, now: datetime) -> None:
        if block == blocks[0]:
            raise ValueError("its results contradict one another")
        qualification.settle(block, now)

    monkeypatch.setitem(settlement._SETTLERS, Purpose.QUALIFICATION, breaks)
    assert settle_leftovers(NOW) == 1
    assert [Block.objects.get(pk=block.pk).settled for block in blocks] == [None, NOW]


@pytest.mark.usefixtures("committed")
def test_crash_while_settling_leaves_all_or_nothing() -> None:
    block = recorded_qualification()
    for after in range(1, 200, 4):
        if not is_dead_after(lambda: settle(block.pk, NOW), after):
            break
        block.refresh_from_db()
        assert block.settled is None
        assert not Promotion.objects.filter(after=block.subject).exists()
        assert not told()
    else:
        raise AssertionError(statements_of(lambda: settle(block.pk, NOW)))
    block.refresh_from_db()
    assert block.settled == NOW
    assert told() == ["qualified"]

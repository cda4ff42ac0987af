"""The queue shows the position, the expected start and the reason for waiting of each block."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import override_settings

from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.attempts import give_up, start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import Block, Host, Purpose
from damrak_ladder.message_codes.block_codes import ReportedVoid
from damrak_ladder.message_codes.queue_codes import NoWorker
from damrak_ladder.message_codes.wording import english
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.queue.forecast import held_back, place_of, queue
from damrak_ladder.pipeline.queue.scheduler import schedule
from ladder.bot_versions import some_bot, some_version
from ladder.flow import SECOND, Player, some_host, tokens_of
from ladder.ladders import some_ladder
from ladder.people import NOW
from ladder.tables import PATIENCE, SEED, some_versions

pytestmark = pytest.mark.usefixtures("database")


def a_block(flow: str = "ladder:practice", kind: Kind = Kind.UPLOADED, slug: str = "x") -> Block:
    one, two = (some_version(some_bot(f"{slug}{at}"), f"{at}", kind) for at in range(2))
    return book(Table((one, two), "practice", Purpose.LADDER, flow), SEED, NOW)


def test_without_hosts_everything_waits_for_one() -> None:
    block = a_block()
    found = place_of(block.pk, NOW)
    assert found is not None
    assert (found.position, found.starts_in, english(found.message)) == (
        1,
        None,
        "no worker is running",
    )


def test_positions_count_up_and_starts_follow_the_places() -> None:
    some_host(workers=2)
    blocks = [a_block(slug=f"{letter}-") for letter in "abcde"]
    found = queue(NOW)
    assert [one.position for one in found.waiting] == [1, 2, 3, 4, 5]
    assert [one.block for one in found.waiting] == blocks
    assert [one.starts_in for one in found.waiting] == [0, 0, 2, 2, 4]  # two games of a second
    assert (found.hosts, found.places, found.waiting_count) == (1, 2, 5)


def test_remote_bot_that_is_not_there_is_named() -> None:
    host = some_host()
    block = a_block(kind=Kind.REMOTE, slug="rita-")
    found = place_of(block.pk, NOW)
    assert found is not None
    assert (found.position, found.reason) == (None, "remote")
    assert english(found.message) == "it waits for rita-0 and rita-1 to connect"
    versions = [seat.version for seat in block.matches.get(number=0).seats.order_by("number")]
    assert held_back(versions, NOW) == found.message
    assert held_back(versions[:1], NOW + timedelta(hours=1)) == NoWorker()
    Host.objects.filter(pk=host.pk).update(waiting=["rita-0"])
    assert held_back(versions[:1], NOW) is None
    some_host("beta", waiting=["rita-1"])
    found = place_of(block.pk, NOW)
    assert found is not None
    assert "different hosts" in english(found.message)


def test_running_blocks_hold_their_places_and_those_that_failed_rest() -> None:
    host = some_host(workers=1)
    one, two, three = (a_block(slug=f"{letter}-") for letter in "abc")
    start(one.pk, 0, "alpha", NOW, PATIENCE, host.pk)
    start(two.pk, 0, "alpha", NOW, PATIENCE, host.pk)
    give_up(two.pk, 1, ReportedVoid("no memory"), [], NOW, PATIENCE)
    found = queue(NOW + SECOND / 2)
    assert [(run.block, run.seconds, run.ends_in) for run in found.running] == [(one, 0.5, 1.5)]
    assert [(wait.block, wait.starts_in) for wait in found.waiting] == [(three, 1.5), (two, None)]
    assert english(found.waiting[1].message) == "it failed, and is tried again in 1 second"
    silent = queue(NOW + timedelta(hours=1))
    assert [run.block for run in silent.running] == [one]
    assert {(wait.starts_in, wait.reason) for wait in silent.waiting} == {(None, "machine")}


def test_orders_already_sent_to_a_host_come_first() -> None:
    some_ladder(house=["random", "greedy"])
    some_host(workers=1)
    for letter in "abcd":
        a_block(slug=f"{letter}-")
    player = Player()
    dispatch(NOW, player.send)
    found = queue(NOW)
    assert [one.reason for one in found.waiting][:2] == ["next", "next"]
    assert [one.position for one in found.waiting] == [1, 2, 3, 4]
    # A silent host starts nothing.
    later = NOW + timedelta(hours=1)
    assert {one.message for one in queue(later).waiting} == {NoWorker()}


def test_limit_of_games_is_reported() -> None:
    some_host(workers=50)
    for letter in "abcdefgh":
        a_block(slug=f"{letter}-")
    with override_settings(DAMRAK_GAMES_PER_MINUTE=30):
        found = queue(NOW)
    assert {one.reason for one in found.waiting} >= {"limit"}
    assert "30 games" in english(found.waiting[-1].message)
    assert found.waiting[-1].starts_in == pytest.approx((7 * 2 - 5) * 2, abs=0.1)


def test_order_is_what_the_dispatcher_does() -> None:
    some_host(workers=1)
    versions = some_versions()
    for number in range(12):
        flow = ("ladder:a", "owner:7", "qualification", "tournament:1")[number % 4]
        book(Table(versions, "practice", Purpose.TEST, flow), SEED, NOW)
    foreseen = [one.block.pk for one in queue(NOW).waiting]
    done: list[int] = []
    player, now = Player(takes=2 * SECOND), NOW  # the default duration without data
    while len(done) < 12:
        Host.objects.update(last_seen=now)
        dispatch(now, player.send)
        done += [block for _, block, _ in player.orders]
        player.play_all(now)
        now += timedelta(seconds=1)
    assert done == foreseen


def test_shares_of_the_machine_are_shown() -> None:
    some_host()
    a_block("ladder:a", slug="a-")
    a_block("owner:7", slug="b-")
    assert queue(NOW).shares == {"ladder:a": pytest.approx(2 / 3), "owner:7": pytest.approx(1 / 3)}
    schedule(NOW, tokens_of(1))

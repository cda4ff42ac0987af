"""Hosts, remote bots and blocks that fail do not hold a tournament for ever."""

from __future__ import annotations

from datetime import timedelta

import pytest

from damrak_ladder.account_data.deletion import delete_account
from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot, Kind, Version
from damrak_ladder.matches import hosts
from damrak_ladder.matches.durations import UNKNOWN_S
from damrak_ladder.matches.models import Block, BlockState, Host, Seat, SeatLog
from damrak_ladder.message_codes.block_codes import OperatorReason
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.queue.scheduler import schedule
from damrak_ladder.pipeline.submission import connect
from damrak_ladder.pipeline.upkeep.host_checks import follow_up
from damrak_ladder.pipeline.upkeep.retention import forget
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.alerts import alerts
from damrak_ladder.tournaments.duties import advance, run_duties
from damrak_ladder.tournaments.entry import check_unpinned
from damrak_ladder.tournaments.errors import Pinned, Refused
from damrak_ladder.tournaments.models import Act, BlockResult, Round, Tournament
from ladder.flow import Player, some_host, tokens_of
from ladder.people import NOW
from ladder.tournaments.cups import act, by_number, cup, entered_bot, play, started

pytestmark = pytest.mark.usefixtures("database")

KINDS = {"kinds": ["house", "uploaded", "remote"]}


def play_on(host: str, now: object = NOW) -> list[int]:
    """Book and play what is booked now, on this host."""
    player = Player(strength=by_number)
    schedule(NOW, tokens_of(3))
    dispatch(NOW, player.send)
    return player.play_all(NOW)


def test_block_of_a_quarantined_host_is_played_again_while_its_round_is_open() -> None:
    started(6, "swiss", rounds=2)
    bad = some_host("bad", workers=2)
    played = play_on("bad")
    assert played
    hosts.quarantine(
        bad.pk, OperatorReason("slow"), {hosts.SINCE: (NOW - timedelta(hours=1)).isoformat()}
    )
    assert follow_up(NOW) == len(played)
    assert not BlockResult.objects.exists()
    assert set(Block.objects.values_list("state", flat=True)) == {BlockState.WAITING}


def test_block_of_a_quarantined_host_is_an_alert_once_later_rounds_rest_on_it() -> None:
    tournament, user = started(4, "swiss", rounds=2)
    bad = some_host("bad", workers=9)
    played = play_on("bad")
    assert len(played) == 2
    run_duties(NOW)
    assert Round.objects.count() == 2
    hosts.quarantine(
        bad.pk, OperatorReason("slow"), {hosts.SINCE: (NOW - timedelta(hours=1)).isoformat()}
    )
    assert follow_up(NOW) == 0
    assert BlockResult.objects.count() == 2
    found = alerts(tournament, NOW)
    assert {one.block for one in found} == set(played)
    some_host("good", workers=9)
    play(tournament)
    assert tournament.phase == "over"
    with pytest.raises(Refused, match="quarantine"):
        act(tournament, user, "finalise")
    for _ in played:
        kind, payload = alerts(tournament, NOW)[0].proposals[0]
        act(tournament, user, kind, payload)
    play(tournament)
    assert alerts(tournament, NOW) == []
    act(tournament, user, "finalise")


def remote_cup(**more: object) -> tuple[Tournament, Version]:
    tournament, user = cup(3, "round-robin", entry=KINDS, **more)
    version = entered_bot("rover-9", Kind.REMOTE)
    act(tournament, user, "enter", {"slug": "rover-9"})
    act(tournament, user, "close")
    act(tournament, user, "start")
    advance(tournament, NOW)
    return tournament, version


def test_remote_entrant_that_vanishes_loses_after_the_patience_of_the_rules() -> None:
    tournament, version = remote_cup(patience_s=60)
    now = play(tournament)
    assert tournament.phase == "running"
    assert run_duties(now, frozenset({version.pk})) == 0
    run_duties(now, frozenset())
    assert Act.objects.filter(kind="forfeit").count() == 0
    assert run_duties(now + timedelta(seconds=61), frozenset()) >= 1
    assert Act.objects.filter(kind="forfeit").count() >= 1
    for minute in range(2, 9):
        play(tournament, now=now + timedelta(minutes=minute))
        run_duties(now + timedelta(minutes=minute, seconds=30), frozenset())
    tournament.refresh_from_db()
    assert tournament.phase == "over"


def test_remote_entrant_that_may_be_waited_for_is_an_alert() -> None:
    tournament, _ = remote_cup(patience_s=60, absent="wait")
    now = play(tournament)
    run_duties(now, frozenset())
    late = now + timedelta(minutes=5)
    assert run_duties(late, frozenset()) == 0
    (found,) = [one for one in alerts(tournament, late) if one.kind == "absent"]
    assert {kind for kind, _ in found.proposals} == {"forfeit", "withdraw"}


def test_remote_entrant_plays_while_it_is_connected() -> None:
    tournament, _ = remote_cup()
    some_host(workers=9, waiting=["rover-9"])
    play(tournament)
    assert tournament.phase == "over"


def test_remote_version_is_fixed_until_the_tournament_is_over() -> None:
    tournament, version = remote_cup()
    with pytest.raises(Pinned):
        connect(version.bot, "another", NOW)
    tournament, _ = tournament, None
    act(tournament, tournament.owner, "cancel")
    check_unpinned(version.bot)


def kill_a_block(tournament: Tournament) -> Block:
    some_host(workers=9)
    schedule(NOW, tokens_of(1))
    block = Block.objects.order_by("pk")[0]
    Block.objects.filter(pk=block.pk).update(state=BlockState.DEAD, tries=3)
    return block


def test_dead_block_is_an_alert_and_may_be_skipped() -> None:
    tournament, user = started(4, blocks=2)
    block = kill_a_block(tournament)
    play(tournament)
    assert tournament.phase == "running"
    (found,) = [one for one in alerts(tournament, NOW) if one.kind == "dead"]
    assert found.block == block.pk
    assert [kind for kind, _ in found.proposals] == ["replay_block", "skip_block"]
    act(tournament, user, *found.proposals[1])
    play(tournament)
    assert tournament.phase == "over"


def test_dead_block_is_replaced_by_another() -> None:
    tournament, user = started(4)
    kill_a_block(tournament)
    (found,) = [one for one in alerts(tournament, NOW) if one.kind == "dead"]
    act(tournament, user, *found.proposals[0])
    play(tournament)
    assert tournament.phase == "over"


def test_dead_block_is_skipped_by_rule() -> None:
    tournament, _ = started(4, dead="skip")
    kill_a_block(tournament)
    play(tournament)
    assert tournament.phase == "over"
    assert Act.objects.filter(kind="skip_block", actor=None).count() == 1


def test_sudden_death_between_equal_bots_ends() -> None:
    tournament, _ = started(2, "single-elimination", sudden_death_limit=2)

    class Tied(Player):
        def report(self, block: Block):  # type: ignore[no-untyped-def]
            from dataclasses import replace

            said = Player.report(self, block)
            tied = tuple(
                replace(one, seats=tuple(replace(seat, place=1) for seat in one.seats))
                for one in said.matches
            )
            return replace(said, matches=tied)

    some_host(workers=4)
    now = NOW
    for _ in range(8):
        now += timedelta(seconds=2)
        Host.objects.update(last_seen=now)
        player = Tied()
        schedule(now, tokens_of(now.second))
        dispatch(now, player.send)
        player.play_all(now)
        run_duties(now)
    tournament.refresh_from_db()
    assert tournament.phase == "over"
    assert Block.objects.count() == 3
    (verdict,) = next(iter(journal.course_of(tournament).verdicts.values()))
    assert verdict.result is not None
    assert verdict.result.sudden_death == 2


def test_logs_of_a_tournament_are_kept_until_it_has_ended() -> None:
    tournament, user = started(3)
    play(tournament)
    seat = Seat.objects.order_by("pk")[0]
    SeatLog.objects.create(seat=seat, attempt=1)
    late = NOW + timedelta(days=4000)
    assert forget(late)["logs"] == 0
    act(tournament, user, "finalise")
    assert forget(late)["logs"] == 1


def test_entrants_of_a_deleted_account_are_withdrawn_and_its_acts_stay() -> None:
    tournament, _ = started(4)
    owner = User.objects.get(bots__slug="cup-1")
    delete_account(owner, NOW)
    tournament.refresh_from_db()
    assert next(one.standing for one in tournament.entrants.order_by("number")) == "withdrawn"
    play(tournament)
    assert tournament.phase == "over"


def test_forbidden_pairs_that_leave_no_pairing_raise_an_alert_before_the_start_and_later() -> None:
    tournament, user = cup(4, "swiss", rounds=3)
    nobody = {"forbidden": [[1, 2], [1, 3], [1, 4]]}
    for number in (1, 2):
        act(tournament, user, "arrange", {"round": number, **nobody})
    act(tournament, user, "close")
    [alert] = alerts(tournament, NOW)
    assert alert.kind == "pairing"
    assert "Round 1 cannot be paired" in alert.text
    act(tournament, user, "start")
    assert run_duties(NOW) == 0
    assert alerts(tournament, NOW) == [alert]
    for number in (1, 2):
        [alert] = [one for one in alerts(tournament, NOW) if one.kind == "pairing"]
        assert alert.proposals == (("arrange", {"stage": 0, "round": number}),)
        act(tournament, user, *alert.proposals[0])
        play(tournament)
        assert len(journal.state_of(tournament).stages[0].rounds) == (1 if number == 1 else 3)
    tournament.refresh_from_db()
    assert tournament.phase == "over"


def test_author_of_most_bots_of_a_swiss_raises_an_alert_before_the_start() -> None:
    tournament, user = cup(6, "swiss", rounds=3)
    for number in (2, 3, 4):
        act(tournament, user, "withdraw", {"entrant": number})
    for slug in ("one", "two", "three", "four", "five"):
        version = entered_bot(slug)
        Bot.objects.filter(pk=version.bot_id).update(owner=user)
        act(tournament, user, "enter", {"slug": slug})
    act(tournament, user, "close")
    [alert] = alerts(tournament, NOW)
    assert (alert.kind, alert.proposals) == ("plan", ())
    assert "Entrants of one author: 5 of 8" in alert.text


def test_author_whose_bots_run_out_of_opponents_raises_an_alert_before_the_start() -> None:
    tournament, user = cup(8, "swiss", rounds=5)
    for number in (5, 6, 7, 8):
        act(tournament, user, "withdraw", {"entrant": number})
    for slug in ("one", "two", "three", "four"):
        version = entered_bot(slug)
        Bot.objects.filter(pk=version.bot_id).update(owner=user)
        act(tournament, user, "enter", {"slug": slug})
    assert alerts(tournament, NOW) == []  # more bots may still enter
    act(tournament, user, "close")
    [alert] = alerts(tournament, NOW)
    assert (alert.kind, alert.proposals) == ("plan", ())
    assert "bots kept apart from an entrant: at most 3" in alert.text
    assert "number of rounds is at most 3" in alert.text


def test_open_round_that_takes_longer_than_forecast_is_an_alert() -> None:
    tournament, user = started(4, blocks=30)  # 120 games a round
    some_host(workers=1)

    def slow(seconds: int) -> list[tuple[str, dict[str, int]]]:
        found = alerts(tournament, NOW + timedelta(seconds=seconds))
        return [(one.text, one.where) for one in found if one.kind == "slow"]

    assert UNKNOWN_S == 1.0  # at one game a second the first round takes 2 minutes
    assert slow(239) == []
    late = [("Round 1 takes longer than forecast.", {"stage": 0, "round": 1})]
    assert slow(241) == late
    act(tournament, user, "speed", {"games_a_minute": 30})
    assert slow(241) == []
    assert slow(481) == late
    act(tournament, user, "pause")
    assert slow(481) == []
    act(tournament, user, "resume", now=NOW + timedelta(seconds=5000))
    act(tournament, user, "pause", now=NOW + timedelta(seconds=5100))
    act(tournament, user, "resume", now=NOW + timedelta(seconds=9000))
    assert slow(9379) == []  # 479 seconds without the pauses
    assert slow(9381) == late


def test_days_between_rounds_are_no_forecast_of_their_games() -> None:
    schedule = {"daily": "20:00", "zone": "Europe/Amsterdam"}
    tournament, _ = started(4, "swiss", rounds=3, schedule=schedule)
    play(tournament)
    second = NOW + timedelta(days=1, hours=12)
    run_duties(second)
    assert Round.objects.count() == 2

    def slow(minutes: int) -> list[dict[str, int]]:
        found = alerts(tournament, second + timedelta(minutes=minutes))
        return [one.where for one in found if one.kind == "slow"]

    tournament.refresh_from_db()
    assert slow(1) == []
    assert slow(3) == [{"stage": 0, "round": 2}]


def test_rounds_of_earlier_stages_are_not_slow() -> None:
    stages = [
        {"format": "swiss", "rounds": 2},
        {"format": "single-elimination", "sources": [{"stage": 0}]},
    ]
    tournament, _ = started(4, stages=stages)
    now = play(tournament, until=lambda: Round.objects.count() > 2)

    def slow() -> list[dict[str, int]]:
        found = alerts(tournament, now + timedelta(hours=1))
        return [one.where for one in found if one.kind == "slow"]

    assert slow() == []  # the semi-finals are over, and the final is not paired yet
    run_duties(now)
    tournament.refresh_from_db()
    assert slow() == [{"stage": 1, "round": 2}]

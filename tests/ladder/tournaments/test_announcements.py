"""Owners of entrants are told what concerns them, once, and nothing before its release."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from damrak_ladder.notices import tournament_texts as texts
from damrak_ladder.notices.creation import Letter, tell_all
from damrak_ladder.notices.kinds import Channel, Kind
from damrak_ladder.notices.models import Delivery, Notice, Webhook
from damrak_ladder.notices.rules import set_rule
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.creation import change_rules
from damrak_ladder.tournaments.duties import run_duties
from damrak_ladder.tournaments.errors import BadTournament
from damrak_ladder.tournaments.log.rules import rules_json
from damrak_ladder.tournaments.models import Tournament
from ladder.people import NOW, somebody
from ladder.tournaments.cups import act, cup, play, started

pytestmark = pytest.mark.usefixtures("database")


def told(kind: str, slug: str = "cup-1") -> list[str]:
    """Return the texts of the notices of a kind to the owner of a bot."""
    rows = Notice.objects.filter(user__username=slug, kind=kind).order_by("pk")
    return list(rows.values_list("text", flat=True))


def test_owner_is_told_of_entry_freeze_and_changed_rules_once() -> None:
    closes = NOW + timedelta(days=2)
    tournament, user = cup(2, schedule={"closes": closes.isoformat()})
    assert len(told("tournament_entry")) == 1
    assert "2030" in told("tournament_entry")[0]
    run_duties(NOW)
    assert not told("tournament_freeze")
    for hours in (30, 31):
        run_duties(NOW + timedelta(hours=hours))
        assert len(told("tournament_freeze")) == 1
    rules = rules_json(journal.state_of(tournament).rules)
    tournament.refresh_from_db()
    change_rules(tournament, user, rules, NOW)
    assert not told("tournament_rules")  # nothing differs
    change_rules(tournament, user, rules | {"rotations": 2}, NOW)
    assert len(told("tournament_rules")) == 1
    notice = Notice.objects.get(user__username="cup-1", kind="tournament_rules")
    assert notice.link == "/tournaments/cup/rules/"


def test_rounds_and_public_results_are_told() -> None:
    tournament, _ = started(4, "swiss", rounds=2)
    assert told("tournament_round") == ["Cup-1 plays in round 1 of Cup, which begins now."]
    assert not told("tournament_result")
    play(tournament)
    assert len(told("tournament_round")) == 2
    assert len(told("tournament_result")) == 2


@pytest.mark.parametrize("level", ["hidden", "entrants"])
def test_nothing_is_told_before_its_release(level: str) -> None:
    tournament, user = started(4, "single-elimination", reveal=level)
    play(tournament)
    assert tournament.phase == "over"
    assert len(told("tournament_round")) == 1  # the second round would tell who has won
    results = 1 if level == "entrants" else 0  # of the own pairing only
    assert len(told("tournament_result")) == results
    act(tournament, user, "override", {"round": 2, "table": 1, "places": [2, 1]})
    assert not told("tournament_ruling")
    act(tournament, user, "release", {"round": 1, "level": "public"})
    assert len(told("tournament_result")) == (2 if level == "entrants" else 1)
    act(tournament, user, "release", {"round": 2, "level": "public"})
    assert len(told("tournament_result")) == 2


def test_rulings_state_their_reason_unless_it_is_private() -> None:
    tournament, user = started(4)
    play(tournament)
    act(tournament, user, "disqualify", {"entrant": 1}, reason="It cheats.", is_public=False)
    act(tournament, user, "override", {"round": 1, "table": 1, "places": [1, 2]}, reason="Draw.")
    act(tournament, user, "override", {"round": 2, "table": 1, "places": [1, 2]}, reason="Draw.")
    every = Notice.objects.filter(kind="tournament_ruling").values_list("text", flat=True)
    assert "disqualified" in told("tournament_ruling")[0]
    assert not any("cheats" in text for text in every)
    assert sum("Reason: Draw." in text for text in every) == 4


def test_entrants_of_the_next_stage_are_told() -> None:
    rules = {
        "stages": [
            {"format": "swiss", "rounds": 1, "advance": 2},
            {"name": "Final", "format": "single-elimination", "sources": [{"stage": 0}]},
        ]
    }
    tournament, user = cup(4)
    known = rules_json(journal.state_of(tournament).rules)
    change_rules(tournament, user, known | rules, NOW)
    for kind in ("close", "start"):
        act(tournament, user, kind)
    play(tournament)
    found = Notice.objects.filter(kind="tournament_promoted").values_list("user", flat=True)
    assert len(found) == 2
    assert "Final" in told("tournament_promoted")[0]


def test_planned_release_happens_once_at_its_time() -> None:
    tournament, user = started(4, "swiss", rounds=1, reveal="hidden")
    at = NOW + timedelta(hours=5)
    plan = {"round": 1, "at": at.isoformat()}
    answer = act(tournament, user, "plan_release", plan)
    assert answer.changes["planned"][0]["after"]["level"] == "public"
    play(tournament)
    assert tournament.phase == "over"
    assert tournament.due == at
    assert run_duties(at - timedelta(seconds=1)) == 0
    assert run_duties(at) == 1
    assert run_duties(at + timedelta(hours=1)) == 0
    tournament = Tournament.objects.get()
    assert tournament.due is None
    assert next(journal.state_of(tournament).rounds()).release == "public"
    assert len(told("tournament_result")) == 1


def test_many_are_told_by_their_channels_with_the_same_number_of_queries() -> None:
    counts = []
    for size in (2, 6):
        users = [somebody(f"user-{size}-{number}") for number in range(size)]
        set_rule(users[0], Kind.TOURNAMENT_ROUND, Channel.MAIL, False)
        Webhook.objects.create(
            user=users[1], url="https://example.org/", salt="s", created=NOW, renewed=NOW
        )
        letters = [
            Letter(user, Kind.TOURNAMENT_ROUND, "a", *texts.tournament_round("b", "t", 1), "/x/")
            for user in users
        ]
        with CaptureQueriesContext(connection) as captured:
            assert tell_all([*letters, letters[0]], NOW) == size
        counts.append(len(captured))
        assert tell_all(letters, NOW) == 0
        sent = Delivery.objects.filter(user__in=users).values_list("user", "channel")
        expected = {(one.pk, "mail") for one in users[1:]} | {(users[1].pk, "webhook")}
        assert set(sent) == expected
    assert counts[0] == counts[1]


def test_undone_act_corrects_the_notices_that_it_sent() -> None:
    tournament, user = cup(2)
    entry = tournament.acts.filter(kind="enter").latest("serial")
    act(tournament, user, "undo", undoes=entry.serial)
    assert told("tournament_ruling", "cup-2") == [
        "The organisers of Cup undid an act about which you were notified. It affected Cup-2. "
        "Reason: for a test"
    ]
    assert not told("tournament_ruling", "cup-1")
    ruled = act(tournament, user, "disqualify", {"entrant": 1})
    act(tournament, user, "undo", undoes=ruled.serial)
    act(tournament, user, "undo", undoes=tournament.serial)
    assert len(told("tournament_ruling", "cup-1")) == 3


def test_undone_release_corrects_the_results_that_it_told() -> None:
    tournament, user = started(2, reveal="hidden")
    play(tournament)
    key = {"stage": 0, "round": 1}
    act(tournament, user, "release", {**key, "level": "public"})
    assert len(told("tournament_result", "cup-1")) == 1
    assert not told("tournament_ruling", "cup-1")
    act(tournament, user, "undo", undoes=tournament.serial)
    assert told("tournament_ruling", "cup-1") == [
        "The organisers of Cup undid an act about which you were notified. It affected Cup-1. "
        "Reason: for a test"
    ]
    assert len(told("tournament_ruling", "cup-2")) == 1


def test_name_is_changed_and_restored() -> None:
    tournament, user = cup(2)
    for name in ("Winter cup", "Spring cup"):
        act(tournament, user, "rename", {"name": name})
        assert tournament.name == name
    act(tournament, user, "undo", undoes=tournament.serial)
    assert tournament.name == "Winter cup"
    act(tournament, user, "undo", undoes=tournament.serial - 2)
    assert tournament.name == "Cup"
    with pytest.raises(BadTournament, match="printed"):
        act(tournament, user, "rename", {"name": "a\nb"})

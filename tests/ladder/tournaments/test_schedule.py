"""Rounds that begin at a time of the organiser's time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.duties import run_duties
from damrak_ladder.tournaments.models import Round
from damrak_ladder.tournaments.schedule import round_due
from ladder.people import NOW
from ladder.tournaments.cups import act, cup, entered_bot, organiser, play, rules, started

pytestmark = pytest.mark.usefixtures("database")


def test_each_round_begins_on_another_day_at_the_time_of_the_organiser() -> None:
    schedule = {"daily": "20:00", "zone": "Europe/Amsterdam"}
    tournament, _ = started(4, "swiss", rounds=3, schedule=schedule)
    now = play(tournament)
    assert Round.objects.count() == 1
    for day in (2, 3):
        due = datetime(2030, 1, day, 19, tzinfo=UTC)  # 20:00 in winter
        assert now < due
        run_duties(due - timedelta(seconds=1))
        assert Round.objects.count() == day - 1
        run_duties(due)
        assert Round.objects.count() == day
        now = play(tournament, now=due)
    assert tournament.phase == "over"


@pytest.mark.parametrize(
    ("day", "zone", "due"),
    [
        ("2030-03-30T12:00", "Europe/Amsterdam", "2030-03-31T18:00"),  # summer time began that day
        ("2030-10-26T12:00", "Europe/Amsterdam", "2030-10-27T19:00"),
        ("2030-01-01T23:30", "Europe/Amsterdam", "2030-01-03T19:00"),  # after midnight there
        ("2030-01-01T23:30", "America/New_York", "2030-01-03T01:00"),
    ],
)
def test_days_are_those_of_the_time_zone(day: str, zone: str, due: str) -> None:
    tournament, user = cup(2, schedule={"daily": "20:00", "zone": zone})
    now = datetime.fromisoformat(day).replace(tzinfo=UTC)
    for kind in ("close", "start"):
        act(tournament, user, kind, now=now)
    run_duties(now)
    tournament.refresh_from_db()
    expected = datetime.fromisoformat(due).replace(tzinfo=UTC)
    assert round_due(journal.state_of(tournament)) == expected


def test_times_open_close_and_start_a_tournament() -> None:
    hours = {"opens": 1, "closes": 2, "starts": 3}
    schedule = {name: (NOW + timedelta(hours=at)).isoformat() for name, at in hours.items()}
    user = organiser()
    tournament = create(user, Plan("cup", "Cup", rules(schedule=schedule)), NOW)
    for slug in ("tulip", "herring"):
        act(tournament, user, "enter", {"slug": entered_bot(slug).bot.slug})
    for hour, phase in ((1, "open"), (2, "closed"), (3, "running")):
        before = tournament.phase
        run_duties(NOW + timedelta(hours=hour, seconds=-1))
        tournament.refresh_from_db()
        assert tournament.phase == before
        run_duties(NOW + timedelta(hours=hour))
        tournament.refresh_from_db()
        assert tournament.phase == phase
    assert Round.objects.count() == 1

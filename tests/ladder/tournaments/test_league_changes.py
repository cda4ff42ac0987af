"""Organisers change the texts of a league as they saw them, and each change is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest

from damrak_ladder.accounts.models import Role
from damrak_ladder.accounts.roles import grant
from damrak_ladder.tournaments.access import may_edit_league
from damrak_ladder.tournaments.errors import BadTournament, NotAllowed, StaleLeague
from damrak_ladder.tournaments.league_changes import change_league
from damrak_ladder.tournaments.models import League, Organiser, Tournament
from damrak_ladder.tournaments.seasons import league_at
from ladder.people import NOW, somebody
from ladder.tournaments.cups import cup, organiser, some_league

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def league(database: None) -> League:
    return some_league(cup(2, slug="canals-1")[0], cup(2, slug="canals-2")[0])


def test_each_change_is_kept_with_its_author_and_both_texts(league: League) -> None:
    later = NOW + timedelta(hours=1)
    change_league(league, league.owner, 0, {"name": " Canals ", "summary": "Two."}, NOW)
    changed = change_league(league, league.owner, 1, {"summary": ""}, later)
    assert (changed.slug, changed.name, changed.summary) == ("league", "Canals", "")
    assert [
        (one.serial, one.actor, one.changes, one.at) for one in league.changes.order_by("serial")
    ] == [
        (1, league.owner, {"name": ["The League", "Canals"], "summary": ["", "Two."]}, NOW),
        (2, league.owner, {"summary": ["Two.", ""]}, later),
    ]
    league.refresh_from_db()
    assert (league.name, league.summary, league.serial) == ("Canals", "", 2)


def test_a_change_of_what_was_not_seen_is_refused(league: League) -> None:
    change_league(league, league.owner, 0, {"name": "Canals"}, NOW)
    with pytest.raises(StaleLeague) as found:
        change_league(league, league.owner, 0, {"summary": "Two."}, NOW)
    assert found.value.serial == 1
    league.refresh_from_db()
    assert (league.name, league.summary, league.changes.count()) == ("Canals", "", 1)


def test_equal_texts_are_no_change(league: League) -> None:
    same = change_league(league, league.owner, 0, {"name": league.name, "summary": ""}, NOW)
    assert (same.serial, league.changes.count()) == (0, 0)


@pytest.mark.parametrize(
    ("field", "text"),
    [("name", " "), ("name", "x" * 61), ("name", "a\u202eb"), ("summary", "x" * 301)],
)
def test_limits_are_those_of_tournaments(league: League, field: str, text: str) -> None:
    with pytest.raises(BadTournament) as found:
        change_league(league, league.owner, 0, {field: text}, NOW)
    assert found.value.field == field
    assert not league.changes.exists()


def test_only_organisers_of_the_last_season_the_owner_and_staff_may_edit(league: League) -> None:
    first, last = Tournament.objects.order_by("season")
    early, late, other, staff = (organiser(name) for name in ("early", "late", "other", "sam"))
    grant(staff, Role.STAFF)
    Organiser.objects.create(tournament=first, user=early)
    Organiser.objects.create(tournament=last, user=late)
    author = somebody("author")
    Organiser.objects.create(tournament=last, user=author)
    for user, expected in (
        *((league.owner, True), (late, True), (staff, True)),
        *((early, False), (other, False), (author, False), (None, False)),
    ):
        assert may_edit_league(user, league) is expected, user
    with pytest.raises(NotAllowed):
        change_league(league, other, 0, {"name": "Mine"}, NOW)
    Tournament.objects.filter(pk=last.pk).update(phase="cancelled")
    assert may_edit_league(early, league)
    assert not may_edit_league(late, league)


def test_a_hidden_league_is_found_only_by_those_who_may_edit_it(league: League) -> None:
    Tournament.objects.update(visibility="private")
    staff = organiser("sam")
    grant(staff, Role.STAFF)
    assert league_at("league", staff) == league
    assert league_at("league", league.owner) == league
    assert league_at("league", organiser("other")) is None
    assert league_at("league", None) is None
    assert league_at("nothing", staff) is None

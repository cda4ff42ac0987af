"""The next season of a league begins with divisions that the results of the last one determine."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import timedelta

import pytest

from damrak_ladder.command_line import main
from damrak_ladder.matches.models import Seat
from damrak_ladder.notices.models import Notice
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.divisions import fitted, league_stages, shape_of
from damrak_ladder.tournaments.duties import advance, run_duties
from damrak_ladder.tournaments.errors import BadTournament, Refused
from damrak_ladder.tournaments.formats import LeagueRules
from damrak_ladder.tournaments.log.rules import parse_rules, rules_json
from damrak_ladder.tournaments.models import League, Tournament
from damrak_ladder.tournaments.next_season import begin_next_season, outlook
from damrak_ladder.tournaments.seasons import seasons_of
from damrak_ladder.tournaments.trophies import podium
from ladder.people import NOW
from ladder.tournaments.cups import act, entered_bot, organiser, play
from ladder.visitors import page, visitor

RULES = LeagueRules(target=5, swaps=1, play_off=True)


def season_rules(sizes: list[int], rules: LeagueRules = RULES, **more: object) -> dict[str, object]:
    """Return the rules of a season."""
    stages = league_stages({"format": "round-robin"}, sizes, rules)
    return {"stages": stages, "boards": ["practice"], "seeding": "season", **more}


def upside_down(seat: Seat) -> float:
    """Return a strength with which the first of division 2 beats the fourth of division 1."""
    number = int(seat.version.bot.slug.rpartition("-")[2])
    return -100.0 * {4: 12, 7: 3.5, 6: 0.5}.get(number, number)


@pytest.fixture
def season(database: None) -> Tournament:
    """Return a played season with two divisions of five."""
    user = organiser()
    league = League.objects.create(slug="canals", name="Canals", owner=user, created=NOW)
    plan = Plan("canals-1", "Canals 1", season_rules([5, 5]), "", league, 1)
    made = create(user, plan, NOW)
    act(made, user, "open")
    for number in range(1, 11):
        act(made, user, "enter", {"slug": entered_bot(f"bot-{number}").bot.slug})
    act(made, user, "close")
    act(made, user, "start")
    advance(made, NOW)
    play(made, strength=upside_down)
    assert made.phase == "over"
    return made


def members(tournament: Tournament, stage: int) -> set[str]:
    """Return the bots of a division."""
    bots = {one.number: one.bot.slug for one in tournament.entrants.select_related("bot")}
    found = journal.state_of(tournament).stages[stage]
    return {bots[number].removeprefix("bot-") for number in found.entrants}


def test_season_follows_from_tables_play_offs_withdrawals_and_newcomers(season: Tournament) -> None:
    user = season.owner
    assert members(season, 0) == {"1", "2", "3", "4", "5"}
    # Bot 4 is the last of division 1. Bot 5 lost the play-off against bot 7 of division 2.
    assert members(season, 2) == {"5", "7"}
    with pytest.raises(Refused, match="not final and public"):
        outlook(season)
    act(season, user, "finalise")
    found = outlook(season)
    assert [{bot.slug for bot in one} for one in found.divisions] == [
        {f"bot-{number}" for number in (1, 2, 3, 6, 7)},
        {f"bot-{number}" for number in (4, 5, 8, 9, 10)},
    ]
    up = [one for one in found.moves if (one.now or 9) < (one.was or 0)]
    assert {one.bot.slug for one in up} == {"bot-6", "bot-7"}
    assert all(one.chance is not None and one.chance > 0.5 for one in up)
    second = begin_next_season(season, user, "canals-2", "Canals 2", NOW)
    assert (second.season, second.phase, second.entrants.count()) == (2, "open", 10)
    with pytest.raises(Refused, match="later season"):
        outlook(season)
    numbers = {one.bot.slug: one.number for one in second.entrants.select_related("bot")}
    act(second, user, "withdraw", {"entrant": numbers["bot-10"]})
    for number in (11, 12):
        act(second, user, "enter", {"slug": entered_bot(f"bot-{number}").bot.slug})
    act(second, user, "close")
    assert not Notice.objects.filter(kind="tournament_promoted", key__contains=":season:").exists()
    start = page(visitor(user), "/organise/tournaments/canals-2/acts/start/?preview=1")
    assert "promoted from division 2 to 1" in start
    act(second, user, "start")
    advance(second, NOW)
    second.refresh_from_db()
    assert members(second, 0) == {"1", "2", "3", "6", "7"}
    assert members(second, 1) == {"4", "5", "8", "9", "11", "12"}
    told = Notice.objects.filter(kind="tournament_promoted", key__contains=":season:")
    assert sorted(told.values_list("user__username", flat=True)) == sorted(
        second.entrants.filter(bot__slug__in=["bot-4", "bot-5", "bot-6", "bot-7"]).values_list(
            "owner__username", flat=True
        )
    )
    assert second.league is not None
    newest = seasons_of(second.league, None, 9)[0]
    assert {one.bot for one in newest.moves if one.why == "promoted"} == {"bot-6", "bot-7"}


def test_guest_has_no_place_and_takes_part_in_the_next_season(database: None) -> None:
    user = organiser()
    rules = LeagueRules(target=3, swaps=1, play_off=False)
    league = League.objects.create(
        slug="canals", name="Canals", owner=user, created=NOW, rules=asdict(rules)
    )
    first = create(user, Plan("one", "One", season_rules([3, 3], rules), "", league, 1), NOW)
    act(first, user, "open")
    for number in range(1, 7):
        act(first, user, "enter", {"slug": entered_bot(f"bot-{number}").bot.slug})
    guest = {"slug": entered_bot("anchor-0").bot.slug, "guest": True}  # the strongest of all
    act(first, user, "enter", guest)
    for kind in ("close", "start"):
        act(first, user, kind)
    advance(first, NOW)
    assert members(first, 1) == {"4", "5", "6", "anchor-0"}
    play(first)
    act(first, user, "finalise")
    seen = disclosed(first, None)
    places = {row.number: row.place for row in seen.table(seen.state.stages[1])}
    assert places == {4: 1, 5: 2, 6: 3, 7: None}
    anchor = first.entrants.get(number=7).bot_id
    assert anchor not in podium(first)
    second = begin_next_season(first, user, "two", "Two", NOW)
    assert second.entrants.get(bot=anchor).is_guest
    for kind in ("close", "start"):
        act(second, user, kind)
    advance(second, NOW)
    assert members(second, 0) == {"1", "2", "4"}
    assert members(second, 1) == {"3", "5", "6", "anchor-0"}


def test_desk_begins_the_season(season: Tournament) -> None:
    client = visitor(season.owner)
    path = "/organise/tournaments/canals-1/next-season/"
    assert "not final and public" in page(client, path)
    act(season, season.owner, "finalise")
    assert path in page(client, "/organise/tournaments/canals-1/")
    html = page(client, path)
    assert "promoted from division 2 to 1" in html
    assert 'value="Canals 2"' in html
    said = {"name": "Canals 2", "slug": "canals-2"}
    assert "open for entries" in client.post(f"/en{path}", said, follow=True).content.decode()
    assert Tournament.objects.filter(slug="canals-2", season=2).exists()
    assert path not in page(client, "/organise/tournaments/canals-1/")
    assert podium(season)


def test_first_season_fits_its_divisions_to_the_entrants(database: None) -> None:
    rules = parse_rules(season_rules([8, 8, 8], LeagueRules()))
    assert shape_of(rules) is not None
    assert fitted(rules, 24) is None
    stages = fitted(rules, 22)
    assert stages is not None
    assert [one["sources"][0] for one in stages[:3]] == [
        {"first": 1, "last": 8},
        {"first": 9, "last": 15},
        {"first": 16, "last": 22},
    ]
    assert stages[4]["sources"][0] == {"stage": 1, "first": 6, "last": 6}


def test_impossible_divisions_are_refused() -> None:
    with pytest.raises(BadTournament, match="1 to 16 divisions"):
        league_stages({"format": "swiss"}, [8] * 17, LeagueRules())
    with pytest.raises(BadTournament, match="choose fewer, or larger divisions"):
        league_stages({"format": "swiss"}, [4, 4], LeagueRules(target=4))


def test_cancelled_season_gives_its_number_to_the_next_one(season: Tournament) -> None:
    user = season.owner
    act(season, user, "finalise")
    second = begin_next_season(season, user, "canals-2", "Canals 2", NOW)
    act(second, user, "cancel")
    again = begin_next_season(season, user, "canals-2b", "Canals 2", NOW)
    assert (again.season, again.phase) == (2, "open")
    assert season.league is not None
    assert [one.slug for one in seasons_of(season.league, None, 9)] == ["canals-2b", "canals-1"]
    with pytest.raises(Refused, match="has the number 2 now"):
        act(second, user, "undo", undoes=second.serial)
    act(again, user, "cancel")
    act(second, user, "undo", undoes=second.serial)
    assert second.phase == "open"


def test_next_season_begins_by_itself(season: Tournament) -> None:
    user = season.owner
    played = journal.state_of(season).finished
    assert played is not None
    client = visitor(user)
    assert "Only these times can still change" in page(
        client, "/organise/tournaments/canals-1/rules/"
    )
    answer = client.post("/en/organise/tournaments/canals-1/rules/", {"next_season_h": "2"})
    assert "Begin the next season" in answer.content.decode()
    assert journal.state_of(season).rules.schedule.next_season_h is None  # it was a preview
    rules = rules_json(journal.state_of(season).rules)
    changed = {"rules": rules | {"schedule": rules["schedule"] | {"next_season_h": 2}}}
    act(season, user, "rules", changed)
    with pytest.raises(Refused, match="rules are fixed"):
        act(season, user, "rules", {"rules": rules | {"rotations": 2}})
    due = played + timedelta(hours=2)
    assert season.due == due
    assert run_duties(due - timedelta(minutes=1)) == 0
    assert run_duties(due) == 2
    season.refresh_from_db()
    assert season.phase == "final"
    assert season.acts.latest("serial").actor is None
    second = Tournament.objects.get(league=season.league, season=2)
    assert (second.slug, second.name, second.phase) == ("canals-2", "Canals 2", "open")
    assert second.entrants.count() == 10
    schedule = journal.state_of(second).rules.schedule
    assert schedule.closes == schedule.starts == due + timedelta(hours=2)
    assert schedule.next_season_h == 2
    assert run_duties(due + timedelta(minutes=1)) == 0
    assert run_duties(due + timedelta(hours=2)) > 1
    second.refresh_from_db()
    assert second.phase == "running"


def test_next_season_waits_for_public_results(season: Tournament) -> None:
    user = season.owner
    key = {"stage": 0, "round": 1}
    act(season, user, "release", {**key, "level": "hidden"})
    rules = rules_json(journal.state_of(season).rules)
    changed = {"rules": rules | {"schedule": rules["schedule"] | {"next_season_h": 0}}}
    act(season, user, "rules", changed)
    now = NOW + timedelta(days=9)
    run_duties(now)
    run_duties(now)
    assert not Tournament.objects.filter(season=2).exists()
    act(season, user, "release", {**key, "level": "public"})
    run_duties(now)
    assert Tournament.objects.filter(season=2, slug="canals-2").exists()


def test_command_previews_and_begins_the_season(
    season: Tournament, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tournaments", "next-season", "canals-1"]) == 2
    assert "First release the results and make them final." in capsys.readouterr().err
    act(season, season.owner, "finalise")
    assert main(["tournaments", "next-season", "canals-1", "--dry-run", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [len(one) for one in said["divisions"]] == [5, 5]
    assert {one["bot"] for one in said["moves"] if one["why"] == "promoted"} >= {"bot-6"}
    assert not Tournament.objects.filter(season=2).exists()
    assert main(["tournaments", "next-season", "canals-1"]) == 0
    assert "canals-2 is open for entries" in capsys.readouterr().out
    assert Tournament.objects.filter(slug="canals-2", season=2).exists()

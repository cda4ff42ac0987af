"""Whole tournaments, played to the end: a stranger's program finds the same tables.

Every test plays what an organiser would announce, with the interventions of a real evening, and
recomputes all tables from the exported JSON with `independent.tournament_tables`.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from damrak_ladder.matches.models import Seat
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.divisions import league_stages
from damrak_ladder.tournaments.duties import run_duties
from damrak_ladder.tournaments.export import export_json
from damrak_ladder.tournaments.formats import LeagueRules
from damrak_ladder.tournaments.models import League, Tournament
from damrak_ladder.tournaments.next_season import begin_next_season
from independent.tournament_tables import tables_of
from ladder.flow import some_host
from ladder.people import NOW
from ladder.tournaments.cups import act, entered_bot, organiser, play, started

pytestmark = [
    pytest.mark.soak,
    pytest.mark.usefixtures("database"),
    pytest.mark.parametrize("database", ["sqlite"], indirect=True),
]


@pytest.fixture(autouse=True)
def large_host(database: None) -> None:
    """A host that plays many blocks at once."""
    some_host(workers=64, now=NOW)


def near(seat: Seat) -> float:
    """Return strengths that are so close that some pairings are ties and some are upsets."""
    return -0.15 * int(seat.version.bot.slug.rpartition("-")[2])


def check(tournament: Tournament) -> dict[str, Any]:
    """Compare the tables with those of the independent program; return the export."""
    tournament.refresh_from_db()
    export = json.loads(json.dumps(export_json(tournament, disclosed(tournament, None))))
    shown = [
        [(row["place"], row["bot"], row["points"]) for row in table["rows"]]
        for table in export["standings"]
    ]
    assert tables_of(export) == shown
    assert [len(rows) for rows in shown] == [len(one["entrants"]) for one in export["stages"]]
    return export


def rounds(export: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rounds of the first stage."""
    found: list[dict[str, Any]] = export["stages"][0]["rounds"]
    return found


def members(tournament: Tournament) -> list[set[str]]:
    """Return the bots of each division."""
    state = journal.state_of(tournament)
    bots = {one.number: one.bot.slug for one in tournament.entrants.select_related("bot")}
    return [{bots[one] for one in state.stages[at].entrants} for at in range(3)]


def test_league_of_three_divisions_of_eight_over_two_seasons() -> None:
    user = organiser()
    league = League.objects.create(slug="canals", name="Canals", owner=user, created=NOW)
    stages = league_stages({"format": "round-robin"}, [8, 8, 8], LeagueRules())
    rules = {"stages": stages, "boards": ["practice"], "seeding": "season"}
    first = create(user, Plan("canals-1", "Canals 1", rules, "", league, 1), NOW)
    act(first, user, "open")
    for number in range(1, 25):
        act(first, user, "enter", {"slug": entered_bot(f"bot-{number}").bot.slug})
    act(first, user, "close")
    act(first, user, "start")
    now = play(first, strength=near)
    assert first.phase == "over"
    export = check(first)
    act(first, user, "finalise")
    second = begin_next_season(first, user, "canals-2", "Canals 2", now)
    act(second, user, "close")
    act(second, user, "start")
    now = play(second, now=now, strength=near)
    assert second.phase == "over"
    check(second)
    was, is_now = members(first), members(second)
    assert [len(one) for one in is_now] == [8, 8, 8]
    for at in range(2):
        rows = [row["bot"] for row in export["standings"][at]["rows"]]
        below = [row["bot"] for row in export["standings"][at + 1]["rows"]]
        winner = export["standings"][3 + at]["rows"][0]["bot"]
        assert below[0] in is_now[at]
        assert rows[-1] in is_now[at + 1]
        assert {rows[-2], below[1]} & is_now[at] == {winner}
        assert len(was[at] - is_now[at]) >= 1


def test_double_elimination_of_64() -> None:
    tournament, _ = started(64, "double-elimination")
    play(tournament, strength=near)
    assert tournament.phase == "over"
    export = check(tournament)
    assert sum(len(one["pairings"]) for one in rounds(export)) in (126, 127)


def test_tables_of_four_with_a_staged_reveal() -> None:
    tournament, user = started(33, "swiss-tables", players=4, rounds=4, reveal="hidden")
    play(tournament, strength=near)
    assert tournament.phase == "over"
    seen = disclosed(tournament, None)
    assert (str(seen.state.phase), seen.played(seen.state.stages[0])) == ("running", 0)
    for number in range(1, 5):
        act(tournament, user, "release", {"round": number, "level": "public"})
        export = check(tournament)
        assert len(rounds(export)) == min(4, number + 1)
    assert export["phase"] == "over"
    tables = [len(one["entrants"]) for one in rounds(export)[0]["pairings"]]
    assert (tables.count(4), tables.count(3)) == (6, 3)


def test_swiss_of_64_with_a_replayed_round() -> None:
    tournament, user = started(64, "swiss", rounds=5)

    def third_is_paired() -> bool:
        tournament.refresh_from_db()
        return len(journal.state_of(tournament).stages[0].rounds) > 2

    now = play(tournament, strength=near, until=third_is_paired)
    before = check(tournament)
    act(tournament, user, "replay_round", {"round": 2}, now=now)
    now = play(tournament, now=now, strength=near)
    assert tournament.phase == "over"
    export = check(tournament)
    assert rounds(export)[0] == rounds(before)[0]
    assert rounds(export)[1]["generation"] > 0
    met = [
        frozenset(one["bot"] for one in pairing["entrants"])
        for made in rounds(export)
        for pairing in made["pairings"]
    ]
    assert len(set(met)) == len(met) == 5 * 32


def test_round_robin_of_twelve_with_a_disqualification_and_an_absent_remote_bot() -> None:
    tournament, user = started(12, remote=[12])
    now: datetime = play(tournament, strength=near)
    assert tournament.phase == "running"
    run_duties(now, lobby=())
    act(tournament, user, "disqualify", {"entrant": 5, "ruling": "void"}, now=now)
    for _ in range(12):
        now += timedelta(seconds=700)
        run_duties(now, lobby=())
        now = play(tournament, now=now, strength=near)
        if tournament.phase == "over":
            break
    assert tournament.phase == "over"
    export = check(tournament)
    rows = {row["bot"]: row for row in export["standings"][0]["rows"]}
    assert rows["cup-12"]["points"] in ("0", "1")  # one if the disqualified bot lost to it
    assert sum(one["how"] == "forfeit" for made in rounds(export) for one in made["pairings"]) > 9

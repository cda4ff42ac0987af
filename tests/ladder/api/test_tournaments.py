"""The API of tournaments."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import pytest

from damrak_ladder.accounts.models import Scope, User
from damrak_ladder.bots.models import Bot
from damrak_ladder.matches.models import Block, Match
from damrak_ladder.tournaments.forecasts import forecast_of
from damrak_ladder.tournaments.log.values import Release
from damrak_ladder.tournaments.models import Act, Tournament
from damrak_ladder.tournaments.rule_checks import checked_rules
from damrak_ladder.tournaments.trf import parse
from independent.tournament_tables import tables_of
from ladder.calls import MEMORY, Program, problem_of
from ladder.people import somebody
from ladder.tournaments.cups import (
    act,
    cup,
    entered_bot,
    organiser,
    play,
    rules,
    some_league,
    started,
)
from ladder.tournaments.test_faults import kill_a_block
from ladder.tournaments.test_verification import Referee

pytestmark = pytest.mark.usefixtures("database")
SCOPES = (Scope.READ, Scope.SUBMIT, Scope.ORGANISE)


@pytest.fixture(autouse=True)
def _memory(settings: Any) -> None:
    settings.CACHES = MEMORY
    settings.DAMRAK_NEEDS_SECOND_FACTOR = False


def asked(program: Program, path: str, status: int = 200) -> Any:
    answer = program.get(path)
    assert answer.status_code == status, answer.content
    return json.loads(answer.content)


def acted(program: Program, slug: str, kind: str, **more: Any) -> Any:
    """Act at the current serial."""
    serial = Tournament.objects.get(slug=slug).serial
    body = {"kind": kind, "reason": "for a test", **more}
    answer = program.post(f"tournaments/{slug}/acts", body, If_Match=f'"{serial}"')
    assert answer.status_code == 200, answer.content
    return json.loads(answer.content)


def test_tournament_is_created_run_and_read() -> None:
    program = Program(organiser(), SCOPES)
    body = {"slug": "spring-cup", "name": "Spring Cup", "rules": rules("swiss", rounds=2)}
    answer = program.post("tournaments", body)
    assert answer.status_code == 201, answer.content
    assert answer["Location"] == "/api/v1/tournaments/spring-cup"
    visitor = Program()
    problem_of(visitor.get("tournaments/spring-cup"), 404, "not-found")
    acted(program, "spring-cup", "open")
    assert asked(visitor, "tournaments")[0]["slug"] == "spring-cup"
    for number in range(1, 5):
        owner = User.objects.get(pk=entered_bot(f"bot-{number}").bot.owner_id)
        entry = Program(owner).post("tournaments/spring-cup/entrants", {"bot": f"bot-{number}"})
        assert entry.status_code == 201, entry.content
    assert [one["bot"] for one in asked(visitor, "tournaments/spring-cup/entrants")] == [
        "bot-1", "bot-2", "bot-3", "bot-4",
    ]  # fmt: skip
    acted(program, "spring-cup", "close")
    acted(program, "spring-cup", "start")
    tournament = Tournament.objects.get()
    play(tournament)
    said = asked(visitor, "tournaments/spring-cup")
    assert said["phase"] == "over"
    assert "serial" not in said
    made = asked(visitor, "tournaments/spring-cup/rounds/1")
    assert len(made["pairings"]) == 2
    assert all(len(one["blocks"][0]["matches"]) == 2 for one in made["pairings"])
    problem_of(visitor.get("tournaments/spring-cup/rounds/3"), 404, "not-found")
    table = asked(visitor, "tournaments/spring-cup/standings")["stages"][0]["rows"]
    assert [row["place"] for row in table] == [1, 2, 3, 4]
    assert table[0]["bot"] == "bot-1"
    assert {one["name"] for one in table[0]["tie_breaks"]} >= {"buchholz", "seed"}


def test_own_bot_is_withdrawn() -> None:
    tournament, _ = cup(2)
    bot = Bot.objects.get(slug="cup-1")
    problem_of(Program(somebody("eve")).delete("tournaments/cup/entrants/cup-1"), 403, "not-yours")
    answer = Program(bot.owner).delete("tournaments/cup/entrants/cup-1")
    assert answer.status_code == 200
    assert [one["state"] for one in json.loads(answer.content)] == ["withdrawn", "in"]
    again = Program(bot.owner).delete("tournaments/cup/entrants/cup-1")
    problem_of(again, 409, "not-entered")
    assert tournament.entrants.count() == 2


def test_organisers_enter_more_bots_than_there_are_places_only_on_purpose() -> None:
    tournament, user = cup(2, entry={"most": 2})
    entered_bot("late")
    program, path = Program(user, SCOPES), "tournaments/cup/acts"
    tournament.refresh_from_db()
    match = f'"{tournament.serial}"'
    body: dict[str, Any] = {"kind": "enter", "payload": {"slug": "late"}}
    problem = problem_of(program.post(path, body, If_Match=match), 409, "not-possible")
    assert "All places are taken. Maximum: 2." in problem["detail"]
    for odd in (None, 1, "yes"):
        said = body | {"payload": {"slug": "late", "beyond_places": odd}}
        assert program.post(path, said, If_Match=match).status_code >= 400
    said = body | {"payload": {"slug": "late", "beyond_places": True}}
    assert program.post(path, said, If_Match=match).status_code == 200
    entry = tournament.acts.filter(kind="enter").latest("serial")
    assert "beyond_places" not in entry.payload


def test_many_bots_are_entered_in_one_request_or_none() -> None:
    _, user = cup(1)
    entered_bot("canal-rat")
    entered_bot("tulip")
    program, path = Program(user, SCOPES), "tournaments/cup/entries"
    body: dict[str, Any] = {"bots": ["canal-rat", "cup-1", "nothing", "greedy", "canal-rat"]}
    seen = json.loads(program.post(path, body | {"dry_run": True}).content)
    assert (seen["entered"], seen["dry_run"], seen["warning"]) == (2, True, "")
    assert [(one["name"], one["bot"], one["problem"]) for one in seen["lines"]] == [
        ("canal-rat", "canal-rat", ""),
        ("cup-1", "cup-1", "is entered already"),
        ("nothing", None, "no bot has this name"),
        ("greedy", None, ""),
    ]
    assert [one["entered"] for one in seen["lines"]] == [True, False, False, True]
    assert len(asked(program, "tournaments/cup/entrants")) == 1
    problem_of(program.post(path, body), 428, "serial-needed")
    stale = problem_of(program.post(path, body, If_Match='"1"'), 412, "stale")
    assert stale["serial"] == seen["serial"]
    match = {"If_Match": f'"{seen["serial"]}"', "Idempotency_Key": "k"}
    done = program.post(path, body, **match)
    assert done.status_code == 200, done.content
    assert json.loads(done.content)["serial"] == seen["serial"] + 2
    assert done["ETag"] == f'"{seen["serial"] + 2}"'
    assert json.loads(program.post(path, body, **match).content) == json.loads(done.content)
    entered = [one["bot"] for one in asked(program, "tournaments/cup/entrants")]
    assert entered == ["cup-1", "canal-rat", "house-greedy"]
    problem_of(Program(somebody("eve"), SCOPES).post(path, body), 403, "not-allowed")
    problem_of(program.post(path, {"bots": []}), 422, "invalid")
    problem_of(program.post(path, {"bots": ["x" * 101]}), 422, "invalid")


def test_too_few_places_refuse_the_whole_list_unless_it_is_on_purpose() -> None:
    tournament, user = cup(1, entry={"most": 2})
    for name in ("canal-rat", "tulip"):
        entered_bot(name)
    program, path = Program(user, SCOPES), "tournaments/cup/entries"
    body: dict[str, Any] = {"bots": ["canal-rat", "tulip"]}
    seen = json.loads(program.post(path, body | {"dry_run": True}).content)
    assert seen["warning"] == "Afterwards 3 bots are entered, more than the 2 places."
    match = f'"{seen["serial"]}"'
    problem_of(program.post(path, body, If_Match=match), 409, "not-possible")
    assert tournament.entrants.count() == 1
    on_purpose = program.post(path, body | {"beyond_places": True}, If_Match=match)
    assert on_purpose.status_code == 200, on_purpose.content
    assert tournament.entrants.count() == 3


def test_forecast_of_a_format_is_that_of_the_form() -> None:
    program = Program(organiser(), SCOPES)
    given = rules("round-robin", blocks=1)
    said = json.loads(program.post("forecast", {"rules": given, "entrants": 8}).content)
    found = forecast_of(checked_rules(given), 8)
    assert found.chosen is not None
    assert said["chosen"] == asdict(found.chosen)
    assert said["entrants"] == 8
    assert 0 < said["chosen"]["percent"] <= 100
    assert (said["problem"], said["season"], said["days"]) == ("", None, None)
    assert said["margin"] == found.margin
    wrong = {"rules": {"stages": [{"format": "swiss", "round": 1}]}, "entrants": 8}
    problem_of(program.post("forecast", wrong), 422, "bad-tournament")
    problem_of(program.post("forecast", {"rules": given, "entrants": 1}), 422, "invalid")
    groups = {"stages": [{"format": "round-robin", "groups": 4}]}
    few = json.loads(program.post("forecast", {"rules": groups, "entrants": 3}).content)
    assert (few["chosen"], bool(few["problem"])) == (None, True)
    eve = Program(somebody("eve"), SCOPES)
    problem_of(eve.post("forecast", {"rules": given, "entrants": 8}), 403, "role-missing")


def test_acts_take_a_serial_and_a_key() -> None:
    tournament, user = started(4, "swiss", rounds=2)
    program, path = Program(user, SCOPES), "tournaments/cup/acts"
    tag = program.get("tournaments/cup")["ETag"]
    assert tag == f'"{tournament.serial}"'
    body = {"kind": "replay_round", "payload": {"round": 1}, "reason": "noise"}
    problem_of(program.post(path, body), 428, "serial-needed")
    bad = problem_of(program.post(path, body, If_Match="soon"), 400, "bad-serial")
    assert "with your token" in bad["cure"]
    stale = problem_of(program.post(path, body, If_Match='"3"'), 412, "stale")
    assert stale["serial"] == tournament.serial
    seen = json.loads(program.post(path, body | {"dry_run": True}, If_Match=tag).content)
    assert seen["dry_run"]
    assert Act.objects.count() == tournament.serial
    done = program.post(path, body, If_Match=tag, Idempotency_Key="k1")
    assert done.status_code == 200, done.content
    said = json.loads(done.content)
    assert (said["changes"], said["serial"]) == (seen["changes"], tournament.serial + 1)
    again = json.loads(program.post(path, body, If_Match=tag, Idempotency_Key="k1").content)
    assert (again["serial"], again["repeated"]) == (said["serial"], True)
    other = body | {"reason": "another"}
    problem_of(program.post(path, other, If_Match=tag, Idempotency_Key="k1"), 422, "key-reused")
    assert Act.objects.count() == said["serial"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"kind": "explode"}, 422, "invalid"),
        ({"kind": "pair", "payload": {}}, 422, "invalid"),
        ({"kind": "release", "payload": {"round": 9, "level": "public"}}, 409, "not-possible"),
        ({"kind": "release", "payload": {"round": 1, "level": "loud"}}, 409, "not-possible"),
        ({"kind": "override", "payload": {"round": "1"}}, 409, "not-possible"),
        ({"kind": "disqualify", "payload": {"entrant": 77}}, 409, "not-possible"),
        ({"kind": "undo"}, 409, "not-possible"),
        ({"kind": "undo", "undoes": 1}, 409, "not-possible"),
        ({"kind": "enter", "payload": {"slug": ["x"]}}, 409, "not-possible"),
    ],
)
def test_acts_that_are_not_possible(body: dict[str, Any], status: int, code: str) -> None:
    _, user = started(4)
    answer = Program(user, SCOPES).post(
        "tournaments/cup/acts", {"reason": "r", "dry_run": True} | body
    )
    problem_of(answer, status, code)


def test_acts_need_the_organiser_and_the_scope() -> None:
    _, user = started(4)
    body = {"kind": "pause", "dry_run": True}
    problem_of(Program(user).post("tournaments/cup/acts", body), 403, "scope-missing")
    other = Program(organiser("oscar"), SCOPES)
    problem_of(other.post("tournaments/cup/acts", body), 403, "not-allowed")
    problem_of(Program().post("tournaments/cup/acts", body), 401, "token-needed")


def test_organisers_verify_and_look_for_collusion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.tournaments.cups.Player", Referee)
    tournament, user = started(3)
    play(tournament)
    program = Program(user, SCOPES)
    first = asked(program, "tournaments/cup/verification?limit=2")
    assert (first["checked"], first["confirmed"]) == (2, 2)
    rest = asked(program, f"tournaments/cup/verification?limit=2&after={first['next']}")
    assert (rest["checked"], rest["confirmed"], rest["next"]) == (1, 1, None)
    assert {one["table"] for one in [*first["blocks"], *rest["blocks"]]} == {1}
    report = asked(program, "tournaments/cup/collusion")
    assert (report["tournaments"], report["pairs"], report["rows"]) == (1, 0, [])
    other = Program(organiser("oscar"), SCOPES)
    for name in ("verification", "collusion"):
        problem_of(other.get(f"tournaments/cup/{name}"), 403, "not-allowed")
        assert Program(user).get(f"tournaments/cup/{name}").status_code == 403
        assert Program().get(f"tournaments/cup/{name}").status_code == 401


def test_bad_rules_are_refused_with_the_field() -> None:
    program = Program(organiser(), SCOPES)
    body = {"slug": "x", "name": "X", "rules": {"stages": [{"format": "ludo"}]}}
    said = problem_of(program.post("tournaments", body), 422, "bad-tournament")
    assert "ludo" in said["detail"]
    unknown = body | {"rules": rules() | {"boards": ["atlantis"]}}
    problem_of(program.post("tournaments", unknown), 422, "bad-tournament")


def test_private_tournament_does_not_exist_for_others() -> None:
    tournament, user = started(4, visibility="private")
    entrant = Bot.objects.get(slug="cup-1").owner
    for program in (Program(), Program(somebody("eve"))):
        missing = problem_of(program.get("tournaments/atlantis"), 404, "not-found")
        for path in ("", "/entrants", "/rounds/1", "/standings", "/export", "/trf"):
            said = problem_of(program.get(f"tournaments/cup{path}"), 404, "not-found")
            assert said == missing | {"detail": missing["detail"].replace("atlantis", "cup")}
        assert asked(program, "tournaments") == []
    assert asked(Program(entrant), "tournaments/cup")["slug"] == tournament.slug
    assert asked(Program(user, SCOPES), "tournaments/cup")["serial"] == tournament.serial


@pytest.mark.parametrize(
    ("entrants", "format_", "more"),
    [
        (6, "swiss", {"rounds": 3, "blocks": 2}),
        (7, "round-robin", {}),
        (9, "swiss-tables", {"rounds": 3, "players": 4}),
    ],
)
def test_a_strangers_program_computes_the_same_tables_from_the_export(
    entrants: int, format_: str, more: dict[str, int]
) -> None:
    tournament, user = started(entrants, format_, **more)
    play(tournament, strength=lambda seat: -0.3 * int(seat.version.bot.slug[4:]))
    places = list(range(len(first_table(tournament)), 0, -1))
    ruled = {"round": 1, "table": 1, "rollback": False, "places": places}
    act(tournament, user, "override", ruled)
    act(tournament, user, "disqualify", {"entrant": 2, "ruling": "award"})
    said = asked(Program(), "tournaments/cup/export")
    computed = tables_of(said)
    published = [
        [(row["place"], row["bot"], row["points"]) for row in stage["rows"]]
        for stage in said["standings"]
    ]
    assert computed == published


def first_table(tournament: Tournament) -> list[int]:
    from damrak_ladder.tournaments import journal

    state = journal.state_of(tournament)
    return list(state.stages[0].rounds[0].pairings[1].entrants)


def test_csv_has_no_formulas_and_trf_can_be_parsed() -> None:
    tournament, _ = started(4, "swiss", rounds=2)
    Bot.objects.filter(slug="cup-1").update(name='=HYPERLINK("http://x")')
    play(tournament)
    text = Program().get("tournaments/cup/standings?format=csv").content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0]["name"].startswith("'=")
    assert [row["place"] for row in rows] == ["1", "2", "3", "4"]
    trf = parse(Program().get("tournaments/cup/trf").content)
    assert (len(trf.players), trf.played) == (4, 2)


def test_a_hidden_block_is_shown_to_organisers_with_the_scope() -> None:
    tournament, owner = started(2, reveal="hidden")
    play(tournament)
    block = Block.objects.latest("pk").pk
    shown = Program(owner, (Scope.READ, Scope.TOURNAMENTS_READ_HIDDEN)).get(f"blocks/{block}")
    assert json.loads(shown.content)["id"] == block
    assert "private" in shown["Cache-Control"] or "no-store" in shown["Cache-Control"]
    every = (Scope.READ, Scope.TOURNAMENTS_READ_HIDDEN, Scope.ORGANISE)
    stranger = Program(somebody("stranger"), every)
    for refused in (Program(owner, (Scope.READ,)), stranger, Program()):
        problem_of(refused.get(f"blocks/{block}"), 404, "not-found")


def listed(program: Program, path: str, **headers: str) -> set[int]:
    answer = program.get(path, **headers)
    assert answer.status_code == 200, answer.content
    if "Accept" in headers:
        return {json.loads(line)["id"] for line in answer.getvalue().splitlines()}  # type: ignore[attr-defined]
    found = {one["id"] for one in json.loads(answer.content)["items"]}
    assert "Authorization" in answer["Vary"]
    assert not (found and "private" not in answer["Cache-Control"])  # all of them are hidden
    return found


def test_lists_have_the_hidden_matches_that_the_caller_may_see() -> None:
    tournament, owner = started(2, reveal="hidden")
    play(tournament)
    hidden = set(Match.objects.values_list("pk", flat=True))
    scoped = Program(owner, (Scope.TOURNAMENTS_READ_HIDDEN,))
    entrant_bot = tournament.entrants.exclude(owner=None).earliest("pk").bot
    entrant = Program(entrant_bot.owner, (Scope.READ,))
    narrow = (Program(entrant_bot.owner, (Scope.SUBMIT,)), Program(owner, (Scope.READ,)))
    every = (Scope.READ, Scope.TOURNAMENTS_READ_HIDDEN, Scope.ORGANISE)
    others = (*narrow, Program(somebody("stranger"), every), Program())
    lists = ("matches", f"matches?bot={entrant_bot.slug}", "matches?purpose=tournament")
    for path in lists:
        own = {one.pk for one in Match.objects.filter(seats__version__bot=entrant_bot)}
        assert listed(scoped, path) == (own if "bot=" in path else hidden)
        assert listed(scoped, path, Accept="application/x-ndjson") == listed(scoped, path)
        for other in (entrant, *others):
            assert listed(other, path) == set()
    blocks = set(Block.objects.values_list("pk", flat=True))
    assert listed(scoped, "blocks") == blocks
    assert listed(entrant, "blocks") == listed(Program(), "blocks") == set()
    match = min(hidden)
    assert "private" in scoped.get(f"matches/{match}")["Cache-Control"]
    assert asked(scoped, f"matches/{match}")["id"] == match
    problem_of(scoped.get(f"matches/{match}/analysis"), 404, "not-analysed")
    problem_of(scoped.get(f"matches/{match}/replay"), 500, "replay-damaged")  # cups store none
    for path in (f"matches/{match}", f"matches/{match}/replay", f"matches/{match}/analysis"):
        for other in (entrant, *others):
            problem_of(other.get(path), 404, "not-found")
    act(tournament, owner, "release", {"round": 1, "level": "entrants"})
    seen = {
        one.pk
        for one in Match.objects.filter(
            block__pairing_block__pairing__sides__entrant__owner=entrant_bot.owner,
            block__pairing_block__pairing__release=Release.ENTRANTS,
        )
    }
    assert seen
    assert listed(entrant, "matches") == seen
    for other in others:
        assert listed(other, "matches") == set()


def test_organisers_and_invitation() -> None:
    tournament, owner = cup(2)
    program = Program(owner, (Scope.TOURNAMENTS_RUN,))
    assert [one["is_owner"] for one in asked(program, "tournaments/cup/organisers")] == [True]
    organiser("olga")
    somebody("bo")
    for _ in range(2):
        added = json.loads(program.put("tournaments/cup/organisers/olga").content)
        assert [one["username"] for one in added] == [owner.username, "olga"]
    problem_of(program.put("tournaments/cup/organisers/bo"), 404, "not-found")
    olga = Program(User.objects.get(username="olga"), (Scope.TOURNAMENTS_RUN,))
    first = json.loads(olga.post("tournaments/cup/invitation").content)["invitation"]
    second = json.loads(olga.post("tournaments/cup/invitation").content)["invitation"]
    assert first != second
    tournament.refresh_from_db()
    assert tournament.invitation == sha256(second.encode()).hexdigest()
    left = json.loads(program.delete("tournaments/cup/organisers/olga").content)
    assert [one["username"] for one in left] == [owner.username]
    for verb in ("get", "post"):
        path = "organisers" if verb == "get" else "invitation"
        problem_of(getattr(olga, verb)(f"tournaments/cup/{path}"), 403, "not-allowed")
    tournament.refresh_from_db()
    assert tournament.invitation == sha256(second.encode()).hexdigest()


def test_chances_and_leagues() -> None:
    tournament, owner = started(4)
    before = asked(Program(), "tournaments/cup/chances")
    assert before["rounds"] == 0
    assert sum(one["chance"] for one in before["entrants"]) == pytest.approx(1)
    assert before["scores"] == []
    play(tournament)
    act(tournament, owner, "finalise")
    after = asked(Program(), "tournaments/cup/chances")
    assert after["entrants"][0]["bot"] == "cup-1"
    assert len(after["entrants"][0]["course"]) == after["rounds"] + 1
    assert len(after["scores"]) == after["rounds"]
    problem_of(Program().get("tournaments/cup/chances?stage=3"), 404, "not-found")
    assert asked(Program(), "leagues") == []
    league = some_league(tournament)
    assert [one["slug"] for one in asked(Program(), "leagues")] == [league.slug]
    shown = asked(Program(), f"leagues/{league.slug}")
    assert [one["tournament"] for one in shown["seasons"]] == ["cup"]
    rows = shown["seasons"][0]["divisions"][0]["rows"]
    assert rows[0]["bot"] == "cup-1"
    assert asked(Program(), f"leagues/{league.slug}?before=1")["seasons"] == []
    problem_of(Program().get("leagues/nothing"), 404, "not-found")


def test_seasons_have_a_champion_and_guests_no_place() -> None:
    tournament, user = cup(3)
    entered_bot("guest-9")
    act(tournament, user, "enter", {"slug": "guest-9", "guest": True})
    league = some_league(tournament)
    season = asked(Program(), f"leagues/{league.slug}")["seasons"][0]
    assert season["champion"] is None
    for kind in ("close", "start"):
        act(tournament, user, kind)
    play(tournament)
    season = asked(Program(), f"leagues/{league.slug}")["seasons"][0]
    assert season["champion"] == "cup-1"
    [division] = season["divisions"]
    assert [row["bot"] for row in division["rows"]] == ["cup-1", "cup-2", "cup-3"]
    assert [row["bot"] for row in division["guests"]] == ["guest-9"]


def test_cross_table_has_the_shares_of_those_who_met() -> None:
    tournament, _ = started(3)
    empty = asked(Program(), "tournaments/cup/cross-table")
    assert (empty["entrants"], len(empty["lines"])) == (3, 3)
    play(tournament)
    table = asked(Program(), "tournaments/cup/cross-table")
    assert [one["place"] for one in table["lines"]] == [1, 2, 3]
    for row, line in enumerate(table["lines"]):
        for column, cell in enumerate(line["cells"]):
            if row == column:
                assert cell is None
                continue
            other = table["lines"][column]["cells"][row]
            assert cell["share"] + other["share"] == pytest.approx(1)
            assert cell["games"] == other["games"] > 0
            assert 0 <= cell["low"] <= cell["share"] <= cell["high"] <= 1
    problem_of(Program().get("tournaments/cup/cross-table?stage=2"), 404, "not-found")


def test_leagues_are_edited_as_they_were_seen() -> None:
    tournament, user = started(3)
    league = some_league(tournament)
    program, path = Program(user, SCOPES), f"leagues/{league.slug}"
    seen = program.get(path)["ETag"]
    assert seen == '"0"'
    body = {"name": "Canals", "summary": "Eight bots a division."}
    problem_of(program.patch(path, body), 428, "serial-needed")
    problem_of(program.patch(path, body, if_match='"x"'), 400, "bad-serial")
    answer = program.patch(path, body, if_match=seen)
    assert (answer.status_code, answer["ETag"]) == (200, '"1"')
    assert json.loads(answer.content) == {"slug": league.slug, "serial": 1, **body}
    refused = problem_of(program.patch(path, {"name": "Mine"}, if_match=seen), 412, "stale")
    assert refused["serial"] == 1
    problem_of(program.patch(path, {"name": " "}, if_match='"1"'), 422, "bad-tournament")
    problem_of(program.patch(path, {"name": "x" * 61}, if_match='"1"'), 422, "invalid")
    problem_of(program.patch(path, {"slug": "other"}, if_match='"1"'), 422, "invalid")
    same = json.loads(program.patch(path, {"summary": None}, if_match='"1"').content)
    assert same["serial"] == 1
    assert [one.changes["name"] for one in league.changes.all()] == [["The League", "Canals"]]


def test_leagues_of_others_are_not_edited_and_hidden_ones_not_found() -> None:
    tournament, _ = started(3)
    league = some_league(tournament)
    path, body = f"leagues/{league.slug}", {"name": "Mine"}
    other = Program(organiser("other"), SCOPES)
    problem_of(other.patch(path, body, if_match='"0"'), 403, "not-allowed")
    Tournament.objects.update(visibility="private")
    problem_of(other.patch(path, body, if_match='"0"'), 404, "not-found")
    problem_of(other.patch("leagues/nothing", body, if_match='"0"'), 404, "not-found")
    league.refresh_from_db()
    assert (league.name, league.changes.count()) == ("The League", 0)


def test_next_season_is_previewed_and_begun() -> None:
    tournament, user = started(3)
    play(tournament)
    act(tournament, user, "finalise")
    some_league(tournament)
    program, path = Program(user, SCOPES), "tournaments/cup/next-season"
    answer = program.post(path, {"dry_run": True})
    assert answer.status_code == 200, answer.content
    said = json.loads(answer.content)
    assert (said["slug"], said["name"], said["number"]) == ("cup-2", "Cup 2", 2)
    assert said["divisions"] == [["cup-1", "cup-2", "cup-3"]]
    assert said["dry_run"]
    assert not Tournament.objects.filter(season=2).exists()
    problem_of(Program(organiser("other"), SCOPES).post(path, {}), 403, "not-allowed")
    begun = json.loads(program.post(path, {"name": "Cup, autumn"}).content)
    assert (begun["slug"], begun["name"], begun["dry_run"]) == ("cup-2", "Cup, autumn", False)
    made = Tournament.objects.get(slug="cup-2")
    assert (made.season, made.phase, made.entrants.count()) == (2, "open", 3)
    problem_of(program.post(path, {}), 409, "not-possible")


def test_rule_changes_alerts_and_trophies() -> None:
    owner = organiser()
    program, visitor = Program(owner, SCOPES), Program()
    body = {"slug": "spring-cup", "name": "Spring Cup", "rules": rules("swiss", rounds=2)}
    assert program.post("tournaments", body).status_code == 201
    acted(program, "spring-cup", "rules", payload={"rules": rules("swiss", rounds=3)})
    acted(program, "spring-cup", "open")
    assert asked(visitor, "tournaments/spring-cup/rule-changes") == []  # drafts are private
    acted(program, "spring-cup", "rules", payload={"rules": rules("swiss", rounds=1)})
    (change,) = asked(visitor, "tournaments/spring-cup/rule-changes")
    assert change["reason"] == "for a test"
    assert change["before"]["stages"][0]["rounds"] == 3
    assert change["after"]["stages"][0]["rounds"] == 1
    problem_of(Program(somebody(), SCOPES).get("tournaments/spring-cup/alerts"), 403, "not-allowed")
    assert asked(program, "tournaments/spring-cup/alerts") == []
    for number in range(1, 5):
        acted(
            program, "spring-cup", "enter", payload={"slug": entered_bot(f"bot-{number}").bot.slug}
        )
    acted(program, "spring-cup", "close")
    acted(program, "spring-cup", "start")
    play(Tournament.objects.get())
    acted(program, "spring-cup", "finalise")
    best = asked(visitor, "tournaments/spring-cup/standings")["stages"][0]["rows"][0]
    (trophy,) = asked(visitor, f"bots/{best['bot']}/trophies")
    assert (trophy["tournament"], trophy["place"], trophy["entrants"]) == ("spring-cup", 1, 4)


def test_alerts_propose_acts_that_can_be_previewed() -> None:
    tournament, owner = started(4)
    program = Program(owner, SCOPES)
    block = kill_a_block(tournament)
    found = asked(program, f"tournaments/{tournament.slug}/alerts")
    assert {one["kind"] for one in found} == {"dead"}
    assert [one["block"] for one in found] == [block.pk]
    for one in found:
        assert one["text"]
        for proposal in one["proposals"]:
            acted(program, tournament.slug, **proposal, dry_run=True)

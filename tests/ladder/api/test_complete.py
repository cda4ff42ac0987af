"""What pages show and forms do, through the API."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.test import override_settings
from django.utils import timezone

from damrak_engine.events import Claim
from damrak_ladder.accounts.models import ApiToken, Role, Scope, User
from damrak_ladder.accounts.roles import grant
from damrak_ladder.analyses.analysis import told
from damrak_ladder.analyses.course import course_of
from damrak_ladder.bots.lifecycle import advance
from damrak_ladder.bots.models import State, Version
from damrak_ladder.follows.interest import running_by_interest
from damrak_ladder.highlights.games import monday_of
from damrak_ladder.highlights.models import Record, Story, WeekForm
from damrak_ladder.matches.models import (
    Attempt,
    Blame,
    Block,
    BlockState,
    Fault,
    Host,
    HostState,
    Ladder,
    Match,
    MatchTimings,
    Seat,
)
from damrak_ladder.matches.timings import Timings, pack
from damrak_ladder.message_codes.story_codes import OnePoint
from damrak_ladder.message_codes.wording import english
from damrak_ladder.predictions.models import Forecaster
from damrak_ladder.puzzles.answers import count_answer
from damrak_ladder.puzzles.models import Puzzle, PuzzleDay
from damrak_ladder.standings.models import Fit, Meeting, Notable
from ladder.calls import MEMORY, Program, problem_of
from ladder.people import NOW
from ladder.puzzles.puzzle_games import a_game, a_puzzle, recorded_game
from ladder.sites import fill, fill_recently
from ladder.visitors import page, visitor

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def ada(database: None) -> Iterator[Program]:
    fill(NOW, blocks=12)
    with override_settings(CACHES=MEMORY, DAMRAK_LOCAL_WEBHOOKS=True):
        yield Program(User.objects.get(username="ada"), tuple(Scope))


def read(program: Program, path: str) -> Any:
    answer = program.get(path)
    assert answer.status_code == 200, answer.content
    return json.loads(answer.content)


def test_ratings_histories_and_opponents_of_a_version(ada: Program) -> None:
    version = Version.objects.get(bot__slug="gable", live_in__isnull=False).pk
    ratings = read(ada, f"versions/{version}/ratings")
    assert {one["ladder"] for one in ratings} <= {"amsterdam", "new-boards"}
    table = read(ada, "ladders/amsterdam/ratings")
    listed = next(one for one in table if one["version_id"] == version)
    own = next(one for one in ratings if one["ladder"] == "amsterdam" and one["seats"] is None)
    assert (own["elo"], own["rank"]) == (listed["elo"], listed["rank"])
    history = read(ada, f"versions/{version}/history?ladder=amsterdam")
    assert history[-1]["elo"] == own["elo"]
    assert [one["at"] for one in history] == sorted(one["at"] for one in history)
    opponents = read(ada, f"versions/{version}/opponents?ladder=amsterdam")
    other = opponents[0]["opponent"]["id"]
    met = read(ada, f"versions/{version}/opponents/{other}?ladder=amsterdam")
    assert met["wins"] + met["ties"] + met["losses"] == met["games"]
    back = read(ada, f"versions/{other}/opponents/{version}?ladder=amsterdam")
    assert (back["wins"], back["losses"]) == (met["losses"], met["wins"])
    problem_of(
        ada.get(f"versions/{version}/opponents/{version}?ladder=amsterdam"), 404, "not-found"
    )
    problem_of(ada.get(f"versions/{version}/history?ladder=nowhere"), 404, "not-found")
    problem_of(ada.get(f"versions/{version}/history"), 422, "invalid")


def test_tables_matrix_and_knockout_of_a_ladder(ada: Program) -> None:
    today = read(ada, "ladders/amsterdam/ratings")
    then = read(ada, f"ladders/amsterdam/ratings?on={NOW.date()}")
    assert {one["bot"] for one in then} <= {one["bot"] for one in today}
    assert read(ada, f"ladders/amsterdam/ratings?on={NOW.date()}&offset=1&limit=1") == then[1:2]
    assert read(ada, "ladders/amsterdam/ratings?on=2001-01-01") == []
    matrix = read(ada, "ladders/amsterdam/matrix?top=4")
    assert [one["bot"] for one in matrix["versions"]] == [one["bot"] for one in today[:4]]
    assert all(one["games"] for one in matrix["encounters"])
    seeds = read(ada, "ladders/amsterdam/knockout?size=4")["seeds"]
    assert [one["seed"] for one in seeds] == [1, 2, 3, 4]
    assert sum(one["chances"][-1] for one in seeds) == pytest.approx(1)


def test_bots_authors_and_search(ada: Program) -> None:
    assert read(ada, "authors/ada")["bots"][0]["owner"] == "ada"
    problem_of(ada.get("authors/sam"), 404, "not-found")  # has no bots
    found = read(ada, "search?q=canal")
    assert [one["slug"] for one in found["bots"]] == ["canal-rat"]
    assert read(ada, "search?q=ad")["authors"] == ["ada"]
    block = Block.objects.earliest("pk").pk
    assert read(ada, f"search?q=%23{block}")["blocks"] == [block]
    assert read(ada, "bots/canal-rat/promotions")[0]["after"] == 1
    assert {one["ladder"] for one in read(ada, "bots/canal-rat/ladders")} == {
        "amsterdam",
        "new-boards",
    }
    assert isinstance(read(ada, "bots/canal-rat/faults"), list)
    left = json.loads(ada.delete("bots/canal-rat/ladders/amsterdam").content)
    assert next(one for one in left if one["ladder"] == "amsterdam")["left"] is not None
    problem_of(ada.put("bots/gable/ladders/amsterdam"), 403, "not-yours")
    problem_of(ada.post("versions/999999/qualify"), 404, "not-found")
    uploaded = Version.objects.filter(bot__slug="canal-rat").earliest("pk").pk
    problem_of(ada.post(f"versions/{uploaded}/qualify"), 409, "same-content")


def test_a_failed_remote_version_qualifies_again(ada: Program) -> None:
    ada.post("bots", {"slug": "ferry"})
    made = json.loads(ada.post("bots/ferry/remote", {"software": "ferry 1"}).content)
    version = made["version"]["id"]
    advance(version, State.QUALIFYING, State.FAILED, NOW)
    again = ada.post(f"versions/{version}/qualify")
    assert json.loads(again.content)["state"] == "qualifying"


def test_notices_their_rules_and_the_webhook(ada: Program) -> None:
    page = read(ada, "me/notices?limit=1")
    assert page["unread"] >= 1
    assert page["items"][0]["read"] is None
    count = json.loads(ada.post("me/notices/read", {"ids": [page["items"][0]["id"]]}).content)
    assert count == {"count": 1}
    assert read(ada, "me/notices")["unread"] == page["unread"] - 1
    problem_of(ada.post("me/notices/read", {"ids": [0]}), 422, "invalid")
    problem_of(ada.get("me/notices?cursor=x"), 422, "bad-cursor")
    assert read(ada, "me/notices/undelivered") == []
    rules = json.loads(
        ada.put("me/notice-rules", [{"kind": "failed", "channels": ["site"]}]).content
    )
    assert next(one for one in rules if one["kind"] == "failed")["channels"] == ["site"]
    assert read(ada, "me/notice-rules") == rules
    unknown = [{"kind": "weather", "channels": []}]
    assert "kind" in problem_of(ada.put("me/notice-rules", unknown), 422, "invalid")["detail"]
    staff_only = [{"kind": "dead_block", "channels": []}]
    problem_of(ada.put("me/notice-rules", staff_only), 403, "role-missing")
    problem_of(ada.get("me/webhook"), 404, "not-found")
    problem_of(ada.post("me/webhook/secret"), 409, "no-webhook")
    problem_of(ada.post("me/webhook/test"), 409, "no-webhook")
    problem_of(ada.put("me/webhook", {"url": "ftp://example.org"}), 409, "bad-webhook")
    made = json.loads(ada.put("me/webhook", {"url": "http://127.0.0.1:9/"}).content)
    renewed = json.loads(ada.post("me/webhook/secret").content)
    assert made["secret"] != renewed["secret"]
    assert "secret" not in read(ada, "me/webhook")
    assert json.loads(ada.post("me/webhook/test").content)["is_good"] is False
    assert ada.delete("me/webhook").status_code == 204
    assert ada.put("me/language", {"language": "fi"}).status_code == 204
    assert User.objects.get(username="ada").language == "fi"
    problem_of(ada.put("me/language", {"language": "xx"}), 422, "invalid")


def test_tokens_are_listed_and_revoked(ada: Program) -> None:
    other = ApiToken.objects.create(
        owner=User.objects.get(username="bo"), name="x", scopes=[], digest="x", created=NOW
    )
    listed = read(ada, "me/tokens")
    assert len(listed) == 1
    assert not {"token", "digest", "secret"} & set(listed[0])
    problem_of(ada.delete(f"me/tokens/{other.pk}"), 404, "not-found")
    assert ada.delete(f"me/tokens/{listed[0]['id']}").status_code == 204
    problem_of(ada.get("me"), 401, "token-needed")


def test_organisers_and_staff_act_within_their_role(ada: Program) -> None:
    dead = Block.objects.get(state=BlockState.DEAD)
    for path in ("users", "security-log", "hosts/quay-2"):
        assert "role" in problem_of(ada.get(path), 403, "role-missing")["detail"]
    problem_of(ada.post(f"blocks/{dead.pk}/requeue"), 403, "role-missing")
    problem_of(ada.post("hosts/quay-2/trust"), 403, "role-missing")
    assert Block.objects.get(pk=dead.pk).state == BlockState.DEAD
    grant(User.objects.get(username="ada"), Role.ORGANISER)
    assert json.loads(ada.post(f"blocks/{dead.pk}/requeue").content) == {"block": dead.pk}
    problem_of(ada.post(f"blocks/{dead.pk}/requeue"), 409, "not-dead")
    problem_of(ada.post("blocks/999999/requeue"), 404, "not-found")
    assert "to decide" in read(ada, "hosts/quay-2")["reason"]
    assert json.loads(ada.post("hosts/quay-2/trust").content)["state"] == "trusted"
    assert Host.objects.get(name="quay-2").state == HostState.TRUSTED
    problem_of(ada.post("hosts/quay-2/trust"), 409, "not-quarantined")
    problem_of(ada.get("hosts/nowhere"), 404, "not-found")
    problem_of(ada.get("users"), 403, "role-missing")  # is for staff
    staff = Program(User.objects.get(username="sam"), tuple(Scope))
    assert {"ada", "sam"} <= {one["username"] for one in read(staff, "users")}
    assert [one["username"] for one in read(staff, "users?q=bo")] == ["bo"]
    page = read(staff, "security-log?limit=1&kind=role_changed")
    assert page["items"][0]["kind"] == "role_changed"
    more = read(staff, f"security-log?limit=1&kind=role_changed&cursor={page['next_cursor']}")
    assert more["items"][0]["id"] < page["items"][0]["id"]
    problem_of(staff.get("security-log?kind=weather"), 422, "invalid")
    problem_of(staff.get(f"security-log?cursor={page['next_cursor']}"), 422, "bad-cursor")


def test_staff_change_roles_with_a_new_token(ada: Program) -> None:
    body = {"role": "organiser"}
    problem_of(ada.put("users/bo/role", body), 403, "role-missing")
    staff = Program(User.objects.get(username="sam"), (Scope.ROLES,))
    made = json.loads(staff.put("users/bo/role", body).content)
    assert (made["username"], made["role"]) == ("bo", "organiser")
    assert User.objects.get(username="bo").role is Role.ORGANISER
    assert json.loads(staff.put("users/bo/role", {"role": "author"}).content)["role"] == "author"
    problem_of(staff.put("users/nobody-here/role", body), 404, "not-found")
    problem_of(staff.put("users/bo/role", {"role": "king"}), 422, "invalid")
    problem_of(staff.put("users/sam/role", {"role": "author"}), 409, "last-administrator")
    ApiToken.objects.update(created=timezone.now() - timedelta(minutes=6))
    said = problem_of(staff.put("users/bo/role", body), 403, "confirmation-needed")
    assert "desk/tokens" in said["cure"]
    assert User.objects.get(username="bo").role is Role.AUTHOR
    assert User.objects.get(username="sam").role is Role.STAFF
    problem_of(
        Program(User.objects.get(username="sam"), (Scope.ORGANISE,)).put("users/bo/role", body),
        403,
        "scope-missing",
    )


def test_highlights_and_records(ada: Program) -> None:
    match = Match.objects.filter(block__state=BlockState.RECORDED).select_related("block")[0]
    seat = match.seats.select_related("version").earliest("pk")
    at = timezone.now()
    ladder = Ladder.objects.get(slug="amsterdam")
    told = OnePoint("one", "other")
    what = {"ladder": ladder, "match": match, "version": seat.version, "at": at}
    Story.objects.all().delete()
    Story.objects.create(kind="one-point", told=told, worth=2.0, day=at.date(), **what)
    WeekForm.objects.all().delete()
    WeekForm.objects.create(
        ladder=ladder,
        version=seat.version,
        monday=monday_of(at.date()),
        games=20,
        wins=15,
        ahead=4.5,
    )
    Record.objects.all().delete()
    Record.objects.create(kind="points", value=99, **what)
    day = read(ada, "highlights")
    assert [(one["match"], one["kind"]) for one in day["stories"]] == [(match.pk, "one-point")]
    assert day["stories"][0]["text"] == english(told)
    assert day["bot_of_week"] is None
    assert read(ada, f"highlights?day={at.date() - timedelta(days=1)}")["stories"] == []
    week = read(ada, f"highlights?week={at.date()}")
    assert (week["bot_of_week"]["wins"], len(week["stories"])) == (15, 1)
    assert [(one["kind"], one["value"]) for one in read(ada, "records")] == [("points", 99)]
    problem_of(ada.get("highlights?day=tomorrow"), 422, "invalid")


def test_predictions_of_matches_that_wait(ada: Program) -> None:
    waiting = Match.objects.filter(
        block__state=BlockState.WAITING, block__attempt=0, block__purpose="ladder"
    )[0]
    path = f"matches/{waiting.pk}/prediction"
    made = json.loads(ada.put(path, {"seat": 1}).content)
    assert (made["match"], made["seat"], made["is_right"]) == (waiting.pk, 1, None)
    assert json.loads(ada.put(path, {"seat": 0}).content) == made  # the first one counts
    assert read(ada, "me/predictions") == [made]
    over = Match.objects.filter(block__state=BlockState.RECORDED, block__purpose="ladder")[0]
    problem_of(ada.put(f"matches/{over.pk}/prediction", {"seat": 0}), 409, "not-open")
    problem_of(ada.put("matches/999999/prediction", {"seat": 0}), 404, "not-found")
    problem_of(ada.put(path, {"seat": 4}), 422, "invalid")
    bo = User.objects.get(username="bo")
    Forecaster.objects.create(user=bo, predictions=12, right=8, skill=0.25)
    listed = read(ada, "predictions")
    assert [(one["username"], one["skill"]) for one in listed] == [("bo", 0.25)]


def test_coming_matches_and_the_own_skill(ada: Program) -> None:
    coming = read(ada, "predictions/coming")
    assert coming
    for one in coming:
        match = read(ada, f"matches/{one['match']}")
        assert match["state"] == "waiting"
        assert [seat["bot"] for seat in match["seats"]] == [seat["bot"] for seat in one["seats"]]
        assert one["starts_in"] >= 0
    made = json.loads(ada.put(f"matches/{coming[0]['match']}/prediction", {"seat": 0}).content)
    assert made["counts"]
    problem_of(ada.get("me/forecaster"), 404, "not-found")
    Forecaster.objects.create(
        user=User.objects.get(username="ada"), predictions=3, right=2, skill=0.1
    )
    assert read(ada, "me/forecaster") == {
        "username": "ada", "skill": 0.1, "predictions": 3, "right": 2,
    }  # fmt: skip
    assert read(ada, "predictions") == []  # too few for the table


def test_notable_games(ada: Program) -> None:
    matches = Match.objects.filter(block__state=BlockState.RECORDED)[:4]
    ladder = Ladder.objects.get(slug="amsterdam")
    Notable.objects.all().delete()
    for number, match in enumerate(matches):
        version = match.seats.earliest("pk").version
        kind = "record" if number < 3 else "upset"
        at = NOW + timedelta(minutes=number)
        Notable.objects.create(
            ladder=ladder, kind=kind, match=match, version=version, value=number, at=at
        )
    found = read(ada, "notable-games")
    assert [(one["kind"], one["value"]) for one in found] == [
        ("upset", 3.0), ("record", 2.0), ("record", 1.0),
    ]  # fmt: skip
    assert found[0]["match"] == matches[3].pk


def test_games_in_progress_are_listed_by_interest(ada: Program) -> None:
    block = Block.objects.get(state=BlockState.RUNNING)
    [found] = read(ada, "featured-games")
    assert (found["block"], found["ladder"]) == (block.pk, block.ladder.slug)
    assert found["matches"] == sorted(one.pk for one in block.matches.all())
    [shown] = running_by_interest()
    code = None if shown.reason is None else shown.reason.code
    assert (found["reason"], found["text"]) == (code, english(shown.reason))
    bot = block.matches.earliest("pk").seats.earliest("pk").version.bot
    assert ada.put(f"me/follows/bot/{bot.slug}", {}).status_code == 204
    [found] = read(ada, "featured-games")
    assert (found["reason"], found["text"]) == ("featured-followed", "a bot you follow")
    Block.objects.filter(pk=block.pk).update(state=BlockState.WAITING, lease_until=None)
    assert read(ada, "featured-games") == []


def test_follows(ada: Program) -> None:
    for _ in range(2):
        assert ada.put("me/follows/bot/gable", {}).status_code == 204
    assert ada.put("me/follows/ladder/amsterdam", {}).status_code == 204
    listed = [(one["subject"], one["name"]) for one in read(ada, "me/follows")]
    assert listed == [("ladder", "amsterdam"), ("bot", "gable")]
    problem_of(ada.put("me/follows/bot/nothing", {}), 404, "not-found")
    problem_of(ada.put("me/follows/match/1", {}), 422, "invalid")
    for _ in range(2):
        assert ada.delete("me/follows/bot/gable").status_code == 204
    assert len(read(ada, "me/follows")) == 1


def test_sessions(ada: Program) -> None:
    users = User.objects.filter(username__in=["ada", "bo"]).order_by("username")
    mine, other = (
        UserSession.objects.create(user=user, session_key=f"of-{user}", ip="192.0.2.1")
        for user in users
    )
    assert [one["id"] for one in read(ada, "me/sessions")] == [mine.pk]
    problem_of(ada.delete(f"me/sessions/{other.pk}"), 404, "not-found")
    assert ada.delete(f"me/sessions/{mine.pk}").status_code == 204
    assert list(UserSession.objects.values_list("pk", flat=True)) == [other.pk]


def test_puzzles_and_their_solutions(ada: Program) -> None:
    problem_of(ada.get("puzzles/day"), 404, "not-found")
    puzzle = a_puzzle(Match.objects.filter(block__state=BlockState.RECORDED).exclude(replay="")[0])
    listed = read(ada, "puzzles?sort=hard")
    assert [one["id"] for one in listed] == [puzzle.pk]
    assert listed[0].keys().isdisjoint({"best", "gains", "played", "reasons"})
    assert (listed[0]["difficulty"], listed[0]["answers"]) == (1500, 0)
    assert read(ada, f"puzzles/{puzzle.pk}") == listed[0]
    day = timezone.now().date() - timedelta(days=1)
    PuzzleDay.objects.create(day=day, puzzle=puzzle)
    assert read(ada, "puzzles/day") == read(ada, f"puzzles/day?day={day}") == listed[0]
    problem_of(ada.get(f"puzzles/day?day={day - timedelta(days=1)}"), 404, "not-found")
    for choice in (0, 1):
        answer = ada.post(f"puzzles/{puzzle.pk}/answers", {"choice": choice})
        said = json.loads(answer.content)
        assert (said["is_right"], said["best"]) == (choice == 0, 0)
        assert said["gains"][1] == {"points": 3.0, "low": 2.0, "high": 4.0}
        assert said["reasons"] == []  # the best move is to draw
    problem_of(ada.post(f"puzzles/{puzzle.pk}/answers", {"choice": 3}), 422, "invalid")
    puzzle.refresh_from_db()
    assert puzzle.answers == 0
    count_answer(puzzle.pk, is_right=True)
    found = read(ada, f"puzzles/{puzzle.pk}")
    assert (found["answers"], found["right"]) == (1, 1)


def test_reasons_of_the_best_move_of_a_puzzle_are_those_of_its_page(ada: Program) -> None:
    puzzle = a_puzzle(recorded_game())
    game = a_game()
    step = next(one for one in course_of(game) if isinstance(one.decision, Claim))
    claim = told(step.state, step.action)
    rows = Puzzle.objects.filter(pk=puzzle.pk)
    rows.update(moment=step.moment, seat=step.state.actor, choices=[claim, *puzzle.choices[1:]])
    said = json.loads(ada.post(f"puzzles/{puzzle.pk}/answers", {"choice": 0}).content)
    codes = [one["code"] for one in said["reasons"]]
    assert codes[0] == "puzzle-points"
    client = visitor()
    client.post(f"/en/puzzles/{puzzle.pk}/", {"choice": 0})
    shown = page(client, f"/puzzles/{puzzle.pk}/")
    for one in said["reasons"]:
        assert one["text"] in shown
    lost = "0" * 64
    Match.objects.filter(pk=puzzle.match_id).update(replay=lost)
    rows.update(replay=lost)
    answer = ada.post(f"puzzles/{puzzle.pk}/answers", {"choice": 0})
    assert json.loads(answer.content) == {**said, "reasons": []}


def test_a_bot_is_opened_to_people(ada: Program) -> None:
    assert not read(ada, "bots/canal-rat/people")["is_open"]
    assert json.loads(ada.put("bots/canal-rat/people", {"is_open": True}).content)["is_open"]
    assert read(ada, "bots/canal-rat/people")["is_open"]
    problem_of(ada.put("bots/gable/people", {"is_open": True}), 403, "not-yours")
    ada.put("bots/canal-rat/people", {"is_open": False})
    assert not read(ada, "bots/canal-rat/people")["is_open"]


def test_figures_of_the_pages_of_versions_blocks_and_hosts(ada: Program) -> None:
    rating = read(ada, "ladders/amsterdam/ratings?trend=true")[0]
    key = rating["version_id"]
    profile = read(ada, f"versions/{key}/profile?ladder=amsterdam")
    assert profile["results"]["games"] == sum(one["games"] for one in profile["sizes"])
    assert profile["results"]["games"] == sum(one["games"] for one in profile["turns"])
    assert rating["faults"] == profile["results"]["faults"]
    assert {one["board"] for one in profile["boards"]} <= {"amsterdam", "practice"}
    assert profile["results"]["seats"] is None
    problem_of(ada.get(f"versions/{key}/profile?ladder=nowhere"), 404, "not-found")
    rivals = read(ada, f"versions/{key}/opponents?ladder=amsterdam")
    assert all(0 <= one["chance"] <= 1 for one in rivals)
    met: dict[int, set[int]] = {}
    for one, opponent in Meeting.objects.filter(ladder__slug="amsterdam").values_list(
        "version", "opponent"
    ):
        met.setdefault(one, set()).add(opponent)
    pair, both = next(
        ((one, other), met[one] & met[other])
        for one, other in combinations(met, 2)
        if met[one] & met[other]
    )
    shared = read(ada, f"versions/{pair[0]}/opponents/{pair[1]}/common?ladder=amsterdam")
    assert {one["first"]["opponent"]["id"] for one in shared} == both
    for one in shared:
        assert one["first"]["opponent"] == one["second"]["opponent"]
        assert (one["first"]["version"]["id"], one["second"]["version"]["id"]) == pair
    blocks = [read(ada, f"blocks/{one['id']}") for one in read(ada, "blocks")["items"]]
    lucks = [one["luck"] for one in blocks if one["luck"]]
    assert lucks
    for luck in lucks:
        assert sum(one["beyond"] * one["games"] for one in luck["own"]) == pytest.approx(0)
    status = read(ada, "status")
    counts = Counter(Block.objects.values_list("state", flat=True))
    assert (status["waiting"], status["dead"]) == (counts["waiting"], counts["dead"])
    assert all(one["detail"] is None for one in status["failures"])
    grant(User.objects.get(username="ada"), Role.ORGANISER)
    assert all(one["detail"] is not None for one in read(ada, "status")["failures"])
    hosts = read(ada, "hosts")
    assert sum(one["games_last_hour"] for one in hosts) == status["games_last_hour"]
    assert {len(one["blocks_by_hour"]) for one in hosts} == {24}


def test_details_of_faults_are_for_the_owner_and_staff(ada: Program) -> None:
    version = Version.objects.get(bot__slug="canal-rat", number=2)
    match = Match.objects.filter(block__state=BlockState.RECORDED).earliest("pk")
    attempt = Attempt.objects.filter(block=match.block_id).latest("number")
    Fault.objects.create(
        attempt=attempt,
        match=match,
        seat=match.seats.get(number=1),
        version=version,
        owner=Blame.BOT,
        reason="crash",
        detail="KeyError: my secret",
    )
    path = "bots/canal-rat/faults"
    for reader, is_shown in (
        (ada, True),
        (Program(User.objects.get(username="sam"), (Scope.READ,)), True),
        (Program(User.objects.get(username="bo"), (Scope.READ,)), False),
        (Program(), False),
    ):
        found = read(reader, path)[0]
        assert (found["match"], found["reason"]) == (match.pk, "crash")
        assert found["detail"] == ("KeyError: my secret" if is_shown else "")
    assert read(Program(), f"matches/{match.pk}/faults")[-1] == {
        "attempt": attempt.number, "seat": 1, "reason": "crash", "blame": "bot",
    }  # fmt: skip


def test_response_times_of_a_seat_are_for_its_owner(ada: Program) -> None:
    seat = Seat.objects.filter(
        version__bot__owner__username="ada", match__block__state=BlockState.RECORDED
    ).earliest("pk")
    path = f"matches/{seat.match_id}/seats/{seat.number}/times"
    other = 1 - seat.number if seat.number < 2 else 0
    data = pack(Timings((seat.number, other, seat.number), (100, 7, 300), (60, 7, 80), (30, 0, 20)))
    MatchTimings.objects.update_or_create(match_id=seat.match_id, defaults={"data": data})
    said = read(ada, path)
    assert said["decisions"] == [
        {"number": 1, "thinking": 60, "transport": 10, "queue": 30},
        {"number": 2, "thinking": 80, "transport": 200, "queue": 20},
    ]
    assert (said["pace"]["decisions"], said["pace"]["whole"]["total"]) == (2, 400)
    bo = Program(User.objects.get(username="bo"), (Scope.READ,))
    problem_of(bo.get(path), 403, "not-yours")
    MatchTimings.objects.all().delete()
    assert read(ada, path) | {"match": 0} == {
        "match": 0, "seat": seat.number, "pace": None, "decisions": [],
    }  # fmt: skip


def test_games_of_a_mirrored_block_diverge_at_an_event_of_their_replays(database: None) -> None:
    fill_recently(blocks=6, replays=2)
    recorded = Block.objects.filter(state=BlockState.RECORDED, is_mirrored=True)
    block = recorded.latest("finished")
    visitor = Program()
    games = [one["id"] for one in read(visitor, f"blocks/{block.pk}")["matches"]]
    found = read(visitor, f"blocks/{block.pk}/divergences")
    assert [one["first"]["match"] for one in found] == [games[0]] * (len(games) - 1)
    assert [one["second"]["match"] for one in found] == games[1:]
    for one in found:
        both = [
            read(visitor, f"matches/{one[name]['match']}/replay") for name in ("first", "second")
        ]
        events = [replay["events"] for replay in both]
        assert [one[name]["event"] for name in ("first", "second")] == [
            each[one["at"]] for each in events
        ]
        assert one["first"]["event"] != one["second"]["event"]
        times = {"ms": 0, "note": ""}
        before = [[event | times for event in each[: one["at"]]] for each in events]
        assert before[0] == before[1]
    waiting = Block.objects.filter(state=BlockState.WAITING)[0]
    assert read(visitor, f"blocks/{waiting.pk}/divergences") == []
    problem_of(visitor.get("blocks/999999/divergences"), 404, "not-found")


def test_tables_are_filtered_and_show_trends_and_the_publication(ada: Program) -> None:
    rows = read(ada, "ladders/amsterdam/ratings")
    assert all(one["week"] is None and one["faults"] is None for one in rows)
    mine = read(ada, "ladders/amsterdam/ratings?owner=ada&trend=true")
    assert [one["version_id"] for one in mine] == [
        one["version_id"] for one in rows if one["owner"] == "ada"
    ]
    assert mine
    language = rows[0]["language"]
    chosen = read(ada, f"ladders/amsterdam/ratings?language={language}")
    assert {one["language"] for one in chosen} == {language}
    fit = read(ada, "ladders/amsterdam/fit")
    assert fit["games"] >= fit["blocks"] > 0
    assert {one["spec"] for one in fit["anchors"]} <= set(read(ada, "ladders/amsterdam")["anchors"])
    problem_of(ada.get("ladders/nowhere/fit"), 404, "not-found")
    Fit.objects.all().delete()
    problem_of(ada.get("ladders/amsterdam/fit"), 404, "not-found")


def test_results_are_hidden_on_pages(ada: Program) -> None:
    assert (read(ada, "me")["hides_results"], read(ada, "me")["language"]) == (False, "en")
    assert ada.put("me/results", {"hidden": True}).status_code == 204
    assert read(ada, "me")["hides_results"]
    assert User.objects.get(username="ada").hides_results
    problem_of(ada.put("me/results", {"hidden": "perhaps"}), 422, "invalid")


def test_stories_and_trophies_of_a_bot(ada: Program) -> None:
    match = Match.objects.filter(block__state=BlockState.RECORDED).select_related("block")[0]
    version = match.seats.select_related("version__bot").earliest("pk").version
    ladder = Ladder.objects.get(slug="amsterdam")
    Story.objects.all().delete()
    Story.objects.create(
        kind="one-point",
        told=OnePoint("one", "other"),
        worth=2.0,
        day=NOW.date(),
        ladder=ladder,
        match=match,
        version=version,
        at=NOW,
    )
    slug = version.bot.slug
    assert [one["match"] for one in read(ada, f"bots/{slug}/stories")] == [match.pk]
    assert read(ada, f"bots/{slug}/trophies") == []
    problem_of(ada.get("bots/nothing/stories"), 404, "not-found")
    problem_of(ada.get("bots/nothing/trophies"), 404, "not-found")

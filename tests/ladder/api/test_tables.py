"""Tables of programs: creation, what a seat knows, answers, advice, take-backs and leaving."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings
from django.utils import timezone

from damrak_ladder.accounts.models import Scope, User
from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.models import Block, BlockState, Host
from damrak_ladder.message_codes.block_codes import BotNotConnected, ReportedVoid
from damrak_ladder.play.models import Chair, Game
from damrak_ladder.play.opponents import set_open
from damrak_ladder.play.tables import key_of, key_of_user
from ladder.bot_versions import some_bot, some_version
from ladder.calls import MEMORY, Program, problem_of
from ladder.films import film
from ladder.flow import some_host
from ladder.people import somebody
from ladder.people_games import seated_at

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
SCOPES = (Scope.READ, Scope.PLAY)


@pytest.fixture
def ada(database: None) -> Iterator[Program]:
    with override_settings(CACHES=MEMORY):
        yield Program(somebody("ada"), SCOPES)


def read(program: Program, path: str) -> Any:
    answer = program.get(path)
    assert answer.status_code == 200, answer.content
    return json.loads(answer.content)


def test_a_table_is_created_once_listed_and_joined(ada: Program) -> None:
    choices = read(ada, "play")
    assert [one["name"] for one in choices["paces"]] == ["calm", "brisk", "blitz"]
    opponent = choices["opponents"][0]["value"]
    new = {"opponents": [opponent], "people": 2, "board": choices["boards"][0], "pace": "blitz"}
    answer = ada.post("play/tables", new, Idempotency_Key="k1")
    assert answer.status_code == 201, answer.content
    made = json.loads(answer.content)
    assert answer["Location"] == f"/api/v1/play/tables/{made['code']}"
    assert json.loads(ada.post("play/tables", new, Idempotency_Key="k1").content) == made
    assert Game.objects.count() == 1
    assert (made["state"], made["match"], made["question"]) == (None, None, None)
    assert [one["is_own"] for one in made["seats"]].count(True) == 1
    assert [one["is_free"] for one in made["seats"]].count(True) == 1
    assert [one["code"] for one in read(ada, "play/tables")] == [made["code"]]
    bo = Program(somebody("bo"), SCOPES)
    assert read(bo, "play/tables") == []
    assert read(bo, f"play/tables/{made['code']}")["seat"] is None
    joined = json.loads(bo.post(f"play/tables/{made['code']}/join").content)
    assert (joined["state"], joined["seat"] is None) == (BlockState.WAITING, False)
    assert joined["seat"] != made["seat"]
    assert joined["match"] is not None
    again = json.loads(bo.post(f"play/tables/{made['code']}/join").content)
    assert again["seat"] == joined["seat"]
    cy = Program(somebody("cy"), SCOPES)
    problem_of(cy.post(f"play/tables/{made['code']}/join"), 409, "table-full")
    path = f"play/tables/{made['code']}/leave"
    problem_of(cy.post(path), 404, "not-found")
    assert ada.post(path).status_code == 204
    assert Chair.objects.get(key=key_of_user(User.objects.get(username="ada").pk)).has_left


def test_a_remote_bot_must_be_connected(ada: Program) -> None:
    now, bot = timezone.now(), some_bot("rita")
    some_host(settings.DAMRAK_HOST, now=now)
    promote(bot.pk, None, some_version(bot, "remote", Kind.REMOTE).pk, now)
    set_open(bot, is_to_be_open=True, now=now)
    body = {"opponents": ["bot-rita"], "board": read(ada, "play")["boards"][0]}
    said = problem_of(ada.post("play/tables", body), 409, "bot-away")
    assert "rita" in said["detail"]
    assert not Game.objects.exists()
    Host.objects.update(waiting=["rita"])
    made = json.loads(ada.post("play/tables", body).content)
    assert (made["awaited"], made["trouble"]) == ([], "")
    Host.objects.update(waiting=[])
    path = f"play/tables/{made['code']}"
    assert read(ada, path)["awaited"] == ["rita"]
    block = Block.objects.get()
    for trouble, text in ((BotNotConnected("rita"), "rita"), (ReportedVoid("alpha"), "")):
        Block.objects.filter(pk=block.pk).update(state=BlockState.DEAD, trouble=trouble)
        shown = read(ada, path)
        assert (shown["awaited"], text in shown["trouble"]) == ([], True)
        assert bool(shown["trouble"]) == bool(text)


def test_impossible_tables_change_nothing(ada: Program) -> None:
    board = read(ada, "play")["boards"][0]
    for wrong in (
        {"opponents": ["bot-nothing"], "board": board},
        {"opponents": ["greedy"], "board": "atlantis"},
        {"opponents": [], "board": board},
        {"opponents": ["greedy"] * 3, "people": 2, "board": board},
    ):
        said = problem_of(ada.post("play/tables", wrong), 422, "bad-choice")
        assert said["cure"]
    problem_of(
        ada.post("play/tables", {"opponents": ["greedy"], "board": board, "pace": "x"}),
        422,
        "invalid",
    )
    with override_settings(DAMRAK_PEOPLE_GAMES_PER_ADDRESS=0):
        good = {"opponents": ["greedy"], "board": board}
        problem_of(ada.post("play/tables", good), 409, "limit-reached")
    assert not Game.objects.exists()
    problem_of(ada.get("play/tables/nothing"), 404, "not-found")
    problem_of(ada.post("play/tables/nothing/join"), 404, "not-found")


def test_a_seat_sees_what_it_was_told_and_answers_once(ada: Program) -> None:
    user = User.objects.get(username="ada")
    game = seated_at(film(2, 1, board="practice"), 0, 9, key_of_user(user.pk))
    path = f"play/tables/{game.code}"
    table = read(ada, path)
    question = table["question"]
    assert (table["state"], table["seat"], table["match"] is None) == ("running", 0, False)
    assert len(question["legal"]) > 1
    assert {"action", "move"} == set(question["legal"][0])
    assert question["observation"]["seat"] == 0
    assert table["events"]
    deal = table["events"][0]
    assert (deal["event"], deal["hands"][1]) == ("deal", [None, None])
    assert None not in deal["hands"][0]
    stranger = read(Program(somebody("bo"), SCOPES), path)
    assert (stranger["events"], stranger["question"], stranger["seat"]) == ([], None, None)
    decision, legal = question["decision"], [one["action"] for one in question["legal"]]
    illegal = next(number for number in range(1000) if number not in legal)
    for wrong in (
        {"decision": decision, "action": illegal},
        {"decision": decision + 1, "action": legal[0]},
    ):
        problem_of(ada.post(f"{path}/answers", wrong), 409, "not-open")
    asked = json.loads(ada.post(f"{path}/advice", {"kind": "hint"}).content)
    assert asked["advice"] == {"kind": "hint", "action": None}
    problem_of(ada.post(f"{path}/advice", {"kind": "prayer"}), 422, "invalid")
    good = {"decision": decision, "action": legal[0]}
    answered = json.loads(ada.post(f"{path}/answers", good).content)
    assert answered["question"]["chosen"] == legal[0]
    problem_of(ada.post(f"{path}/answers", good), 409, "not-open")
    problem_of(ada.post(f"{path}/advice", {"kind": "hint"}), 409, "not-open")
    assert table["may_take_back"]
    assert ada.post(f"{path}/back").status_code == 200
    assert Chair.objects.get(game=game, number=0).takes_back


def test_nothing_can_be_taken_back_before_an_answer(ada: Program) -> None:
    user = User.objects.get(username="ada")
    game = seated_at(film(2, 1, board="practice"), 0, 1, key_of_user(user.pk))
    problem_of(ada.post(f"play/tables/{game.code}/back"), 409, "not-open")


def test_a_browser_cannot_take_the_seat_of_a_program(ada: Program) -> None:
    user = User.objects.get(username="ada")
    for guess in (f"play user {user.pk}", f"user {user.pk}", str(user.pk), user.username):
        assert key_of(guess) != key_of_user(user.pk)

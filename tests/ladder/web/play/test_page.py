"""What reaches a person's page: everything that the seat may see, and nothing else."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import aclosing
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, connections
from django.test import Client, RequestFactory

from damrak_engine.replay import Replay
from damrak_ladder.accounts.models import User
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.play import mailbox
from damrak_ladder.play.models import Chair, Game
from damrak_ladder.play.paces import PACES
from damrak_ladder.play.tables import key_of
from damrak_ladder.web.play.chairs import COOKIE, sitting_of
from damrak_ladder.web.play.stream import MAILBOXES, stream
from damrak_ladder.web.replays.moments import moments_of
from ladder.films import film
from ladder.people import NOW
from ladder.people_games import seated_at

SECRET = "s" * 32
QUESTION = {"decision", "phase", "chosen", "left", "refused", "actions"}
ACTION = {"id", "says", "event", "slot", "card", "contracts", "route", "colour", "wilds"}


def played(replay: Replay, seat: int, asks: int) -> Game:
    """Return a running game of this browser."""
    return seated_at(replay, seat, asks, key_of(SECRET))


def plain(moments: Any) -> Any:
    """Return moments without times, and without the seats to move, which replays add."""
    return [
        [
            {name: value for name, value in event.items() if name not in ("ms", "note")},
            {name: value for name, value in changes.items() if name != "actor" and name[0] != "m"},
        ]
        for event, changes in moments
    ]


def test_everything_that_is_sent_is_what_the_seat_may_see(committed: dict[str, str]) -> None:
    for number, seat in ((1, 0), (2, 1)):
        replay = film(2, number, board="practice")
        game = played(replay, seat, asks=9)
        client = Client()
        client.cookies[COOKIE] = SECRET
        page = client.get(f"/en/play/{game.code}/").content.decode()
        frames = asyncio.run(first_frames(game))
        allowed = json.loads(json.dumps(plain(moments_of(replay, str(seat))["moments"])))
        told = plain(frames["moments"]["moments"])
        assert told == allowed[: len(told)]
        assert set(frames["ask"]) == QUESTION
        assert all(set(action) <= ACTION for action in frames["ask"]["actions"])
        hidden = re.findall(r'class="contract contract--back"', page)
        assert hidden, "the other seat has hidden contracts"
        secret = secrets_of(replay, 1 - seat) - secrets_of(replay, seat)
        shown = set(re.findall(r'class="contract[^"]*"><b[^>]*>.</b> ([^<]+?) <span', page))
        assert shown
        assert not shown & secret


def secrets_of(replay: Replay, seat: int) -> set[str]:
    """Return the contracts that this seat was dealt or drew, in words."""
    places = [place.name for place in replay.board.locations]
    found = set()
    for event in replay.events:
        mine: Any = ()
        if hasattr(event, "hands"):
            mine = event.contracts[seat]  # type: ignore[attr-defined]
        elif type(event).__name__ == "Offer" and event.seat == seat:  # type: ignore[attr-defined]
            mine = event.contracts  # type: ignore[attr-defined]
        for one in mine:
            contract = replay.board.contracts[one]
            found.add(f"{places[contract.a]} \u2013 {places[contract.b]} ({contract.points})")
    return found


@sync_to_async
def leave_database() -> None:
    """Close the database connection of the event loop's thread: the next test has another."""
    connections["default"].close()
    del connections["default"]


async def first_frames(game: Game, place: str = "") -> dict[str, Any]:
    """Return the first frames of each kind that the stream sends."""
    try:
        return await _first_frames(game, place)
    finally:
        await MAILBOXES.rest()
        await leave_database()


async def _first_frames(game: Game, place: str) -> dict[str, Any]:
    request = RequestFactory().get("/")
    request.COOKIES[COOKIE] = SECRET
    sitting = await sync_to_async(sitting_of)(request, game.code)
    assert sitting.own is not None
    found: dict[str, Any] = {}
    async with aclosing(stream(sitting, sitting.own, place, "en")) as frames:  # type: ignore[type-var]
        async for frame in frames:
            if frame.startswith(b":"):
                continue
            parts = dict(line.split(": ", 1) for line in frame.decode().strip().split("\n"))
            found[parts["event"]] = json.loads(parts["data"])
            if parts["event"] in ("ask", "waiting"):
                return found
    return found


def test_a_page_that_reconnects_gets_the_rest(committed: dict[str, str]) -> None:
    game = played(film(2, 1, board="practice"), 0, asks=5)
    whole = asyncio.run(first_frames(game))["moments"]["moments"]
    rest = asyncio.run(first_frames(game, f"1-{len(whole) - 2}"))["moments"]
    assert rest == {"first": len(whole) - 2, "moments": whole[-2:]}
    other = asyncio.run(first_frames(game, "7-3"))["moments"]  # of another attempt
    assert other == {"first": 0, "moments": whole}


@pytest.mark.usefixtures("database")
def test_answers_are_checked_before_they_count() -> None:
    game = played(film(2, 1, board="practice"), 0, asks=3)
    own, stranger = Client(), Client()
    own.cookies[COOKIE] = SECRET
    stranger.cookies[COOKIE] = "x" * 32
    path, fetch = f"/en/play/{game.code}/answer/", {"X-Requested-With": "fetch"}
    page = own.get(f"/en/play/{game.code}/").content.decode()
    legal = re.findall(r'name="action" value="(\d+)"', page)
    good = {"decision": Chair.objects.get(game=game, is_person=True).asked, "action": legal[0]}
    assert stranger.post(path, good, headers=fetch).status_code == 404
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    assert own.post(path, good, headers=fetch | elsewhere).status_code == 403
    for bad in ({"decision": 0}, {"action": 9999}, {"action": "-1"}, {"decision": "x"}):
        assert own.post(path, good | bad, headers=fetch).status_code == 409
    assert own.post(path, good, headers=fetch).status_code == 204
    assert own.post(path, good, headers=fetch).status_code == 409
    assert f'value="{legal[0]}"' not in own.get(f"/en/play/{game.code}/").content.decode()


@pytest.mark.usefixtures("database")
def test_a_visitor_plays_without_account_or_session() -> None:
    client = Client()
    form = {"second": "planner", "board": "practice", "pace": "brisk"}
    answer = client.post("/en/play/", form)
    assert answer.status_code == 302
    assert set(client.cookies) == {COOKIE}
    cookie = client.cookies[COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", "")
    page = client.get(answer.headers["Location"])
    assert page.status_code == 200
    assert cookie.value not in page.content.decode()
    assert not Chair.objects.filter(key=cookie.value).exists()
    assert client.post("/en/play/", form | {"second": "bot-secret"}).status_code == 400
    code = answer.headers["Location"]
    assert Client().get(code).status_code == 302  # strangers watch what is public


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("third", "fourth", "seats", "people"),
    [("", "", 2, 1), ("planner", "", 3, 1), ("person", "random", 4, 2), ("person", "person", 4, 3)],
)
def test_two_to_four_bots_and_people_sit_down(
    third: str, fourth: str, seats: int, people: int
) -> None:
    form = {"second": "greedy", "third": third, "fourth": fourth, "board": "practice"}
    host = Client()
    path = host.post("/en/play/", {**form, "pace": "blitz"}).headers["Location"]
    for missing in range(people - 1, 0, -1):
        assert f"when {missing} more" in host.get(path).content.decode()
        assert not Block.objects.exists()
        guest = Client()
        assert "Sit down" in guest.get(path).content.decode()
        assert guest.post(f"{path}join/").status_code == 302
    block = Block.objects.get()
    assert block.control == PACES["blitz"]
    assert block.matches.get().seats.count() == seats
    assert Chair.objects.filter(is_person=True).exclude(key="").count() == people


@pytest.mark.usefixtures("database")
def test_the_first_game_begins_at_the_end_of_the_course_and_has_tips() -> None:
    client = Client()
    learn = client.get("/en/learn/").content.decode()
    form = learn.partition('<form class="actions" method="post" action="/en/play/">')[2]
    values = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form.partition("</form>")[0]))
    tips = "Three tips for your first game</summary>"
    first = client.post("/en/play/", values).headers["Location"]
    assert tips in client.get(first).content.decode()
    block = Block.objects.get()
    assert block.board == "practice"
    assert "house-greedy" in block.matches.get().seats.values_list("version__bot__slug", flat=True)
    second = client.post("/en/play/", values).headers["Location"]
    assert tips not in client.get(second).content.decode()


@pytest.mark.usefixtures("database")
def test_a_person_without_an_account_leaves_nothing_that_identifies_them() -> None:
    address, agent, secret = "203.0.113.77", "Unusual-Browser/9.9", "k" * 32
    client = Client(REMOTE_ADDR=address, HTTP_USER_AGENT=agent, HTTP_REFERER="https://x.example/me")
    client.cookies[COOKIE] = secret
    form = {"second": "planner", "board": "practice", "pace": "calm"}
    code = client.post("/en/play/", form).headers["Location"]
    game = Game.objects.get()
    client.get(code)
    client.post(f"{code}advice/", {"kind": "hint"})
    client.post(f"{code}leave/")
    for traced in (address, agent, secret, "x.example"):
        assert traced not in everything_stored()
    assert game.source in everything_stored()  # a keyed hash, while the game runs
    assert key_of(secret) in everything_stored()
    Block.objects.filter(pk=game.block_id).update(state=BlockState.DEAD)
    mailbox.tidy(NOW)
    assert game.source not in everything_stored()
    mailbox.tidy(NOW + mailbox.GAMES_KEPT * 2)
    left = everything_stored()
    assert key_of(secret) not in left
    assert game.code not in left
    assert not User.objects.filter(last_login__isnull=False).exists()


def everything_stored() -> str:
    """Return all rows of all tables as text."""
    rows = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            rows.append(repr(cursor.fetchall()))
    return "".join(rows)


@pytest.mark.usefixtures("database")
def test_the_block_of_a_game_is_not_said_to_be_mirrored() -> None:
    game = played(film(2, 1, board="practice"), 0, asks=3)
    block = Client().get(f"/en/blocks/{game.block_id}/")
    assert block.status_code == 200
    assert "same cards" not in block.content.decode()

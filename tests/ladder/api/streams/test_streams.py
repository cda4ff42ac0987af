"""Streams of events: their content, their filters, and what they hide."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings

from damrak_ladder.accounts.models import ApiToken, Role, Scope, User
from damrak_ladder.accounts.roles import grant
from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Bot, State, Version
from damrak_ladder.changes.models import ChangeClock
from damrak_ladder.changes.positions import forget_changes, reach
from damrak_ladder.changes.tokens import token_at
from damrak_ladder.matches.attempts import give_up, requeue, start
from damrak_ladder.matches.models import Block
from damrak_ladder.matches.record import record
from damrak_ladder.matches.withdrawal import withdraw
from damrak_ladder.message_codes.block_codes import WorkerSilent
from ladder.bot_versions import some_bot, some_version
from ladder.calls import MEMORY, Program, problem_of
from ladder.people import NOW, somebody
from ladder.tables import PATIENCE, report_of, some_block, some_versions
from ladder.tournaments.cups import act, play, started

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _site() -> Iterator[None]:
    with override_settings(CACHES=MEMORY, DAMRAK_NEEDS_SECOND_FACTOR=False):
        yield


def messages(program: Program, path: str = "stream", token: str = "") -> list[dict[str, Any]]:
    """Return the messages of a stream that ends when it has caught up."""
    mark = "&" if "?" in path else "?"
    answer = program.get(f"{path}{mark}follow=false&since_token={token or token_at(0)}")
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in b"".join(answer).splitlines()]  # type: ignore[arg-type]


def types(found: list[dict[str, Any]]) -> list[str]:
    assert (found[0]["type"], found[-1]["type"]) == ("open", "end")
    return [one["type"] for one in found[1:-1]]


def test_the_life_of_a_block_and_of_a_version() -> None:
    block = some_block()
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    assert give_up(block.pk, 1, WorkerSilent(), (), NOW, PATIENCE)
    later = NOW + timedelta(minutes=5)
    for attempt in (1, 2):
        assert start(block.pk, attempt, "worker", later, PATIENCE)
        if attempt == 1:
            assert give_up(block.pk, 2, WorkerSilent(), (), later, PATIENCE)
            later += timedelta(minutes=5)
    assert give_up(block.pk, 3, WorkerSilent(), (), later, PATIENCE)
    assert requeue(block.pk, later)
    assert start(block.pk, 3, "worker", later, PATIENCE)
    assert record(report_of(block, 4), later)
    assert not record(report_of(block, 4), later)  # counts once
    assert withdraw(block.pk, 4, WorkerSilent(), later, lambda *_: None)
    version = some_version(some_bot("hare"))
    Version.objects.filter(pk=version.pk).update(state=State.QUALIFIED)
    promote(version.bot_id, None, version.pk, NOW)
    found = messages(Program())
    assert types(found).count("version.changed") >= 2
    found = [one for one in found if one["type"] != "version.changed"]
    life = ["queued", "started", "queued", "started", "queued", "started", "failed", "queued"]
    life += ["started", "finished", "withdrawn"]
    assert types(found) == [*(f"block.{one}" for one in life), "bot.changed"]
    finished = next(one for one in found if one["type"] == "block.finished")
    keys = list(block.matches.order_by("number").values_list("pk", flat=True))
    assert {key: finished[key] for key in finished if key != "token"} == {
        "type": "block.finished",
        "at": later.isoformat(),
        "block": block.pk,
        "matches": keys,
        "bots": ["bot-0", "bot-1"],
    }
    assert found[-1]["reason"] == "caught-up"
    # Each token continues after its message, whatever the filter.
    for place, one in enumerate(found[:-2]):
        rest = messages(Program(), "stream?topic=queue", token=one["token"])
        assert types(rest) == types(found)[place:-1]


def test_filters_by_topic_and_name() -> None:
    block = some_block(some_versions())
    other = some_block((some_version(some_bot("hare")), some_version(some_bot("tortoise"))))
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    program = Program()

    def blocks(query: str) -> list[int]:
        found = messages(program, f"stream?{query}")[1:-1]
        return [one["block"] for one in found if "block" in one]

    assert blocks("topic=queue") == [block.pk, other.pk, block.pk]
    assert blocks("topic=matches") == [block.pk]
    assert blocks("topic=matches&topic=queue&bot=hare") == [other.pk]
    owner = Bot.objects.get(slug="hare").owner.username
    assert other.pk in blocks(f"owner={owner.upper()}")
    assert blocks("topic=standings") == []
    for query in ("ladder=x", "bot=x", "owner=x", "tournament=x"):
        problem_of(program.get(f"stream?{query}"), 404, "not-found")
    problem_of(program.get("stream?topic=x"), 422, "invalid")
    problem_of(program.get("tournaments/x/feed"), 404, "not-found")


def test_server_sent_events() -> None:
    some_block()
    path = "stream?follow=false&topic=queue"
    answer = Program().get(path, accept="text/event-stream", last_event_id=token_at(0))
    assert answer["Content-Type"] == "text/event-stream"
    frames = b"".join(answer).decode().split("\n\n")  # type: ignore[arg-type]
    assert frames.pop() == ""
    for frame in frames:
        fields = dict(line.split(": ", 1) for line in frame.splitlines())
        data = json.loads(fields["data"])
        assert (fields["id"], fields["event"]) == (data["token"], data["type"])
    assert [json.loads(one.rpartition("data: ")[2])["type"] for one in frames] == [
        "open",
        "block.queued",
        "end",
    ]


def test_bad_tokens_are_problems_with_culprit_and_cure() -> None:
    block = some_block()
    program = Program()
    with override_settings(SECRET_KEY="another site"):
        foreign = token_at(1)
    for token in ("x", "ä" * 48, "A" * 48, foreign, token_at(99)):
        said = problem_of(program.get(f"stream?since_token={token}"), 422, "bad-token")
        assert said["detail"].startswith("since_token: ")
        assert "leave it out" in said["cure"]
    said = problem_of(program.get("stream", last_event_id="x"), 422, "bad-token")
    assert said["detail"].startswith("Last-Event-ID: ")
    old = token_at(0)
    assert start(block.pk, 0, "worker", NOW + timedelta(days=2), PATIENCE)
    assert forget_changes(NOW) == 0
    assert forget_changes(NOW + timedelta(days=1)) == reach()[0] - 1
    said = problem_of(program.get(f"stream?since_token={old}"), 410, "token-too-old")
    assert "7 days" in said["detail"]
    oldest = token_at(ChangeClock.objects.get().forgotten)
    assert types(messages(program, token=oldest)) == ["block.started"]


def test_hidden_events_appear_after_their_release_only() -> None:
    tournament, user = started(4, "swiss", rounds=2, reveal="hidden")
    last, _ = reach()
    before = token_at(last)
    with_scope = Program(user, (Scope.READ, Scope.TOURNAMENTS_READ_HIDDEN))
    programs = {
        "visitor": Program(),
        "entrant": Program(User.objects.get(bots__slug="cup-1"), (Scope.READ,)),
        "without scope": Program(user, (Scope.READ,)),
    }
    play(tournament)
    tournament.refresh_from_db()
    assert Block.objects.count() == 4
    for name, program in programs.items():
        for path in ("stream", "tournaments/cup/feed"):
            assert types(messages(program, path, before)) == [], name
    seen = types(messages(with_scope, "tournaments/cup/feed", before))
    assert seen.count("block.finished") == 4
    assert "tournament.changed" in seen
    act(tournament, user, "release", {"round": 1, "level": "entrants"})
    own = messages(programs["entrant"], "stream", before)
    assert {one["block"] for one in own[1:-1]} <= set(Block.objects.values_list("pk", flat=True))
    assert len({one["block"] for one in own[1:-1]}) == 1
    assert types(messages(programs["visitor"], "stream", before)) == []
    act(tournament, user, "release", {"round": 1, "level": "public"})
    found = types(messages(programs["visitor"], "tournaments/cup/feed", before))
    assert found.count("block.finished") >= 2
    assert "tournament.changed" in found
    now = token_at(reach()[0])
    act(tournament, user, "release", {"round": 2, "level": "public"})
    shown = messages(programs["visitor"], "tournaments/cup/feed", now)
    assert len({one["block"] for one in shown if one["type"] == "block.finished"}) == 2
    assert shown[-1]["reason"] in ("caught-up", "tournament-over")


def test_a_feed_ends_with_its_tournament_and_a_token_with_its_revocation() -> None:
    tournament, user = started(2)
    play(tournament)
    tournament.refresh_from_db()
    act(tournament, user, "finalise" if tournament.phase == "over" else "cancel")
    assert messages(Program(), "tournaments/cup/feed")[-1]["reason"] == "tournament-over"
    ann = somebody()
    grant(ann, Role.STAFF)
    hidden, _ = started(2, slug="secret", reveal="hidden", visibility="private")
    program = Program(ann, (Scope.READ, Scope.ORGANISE))
    assert hidden.slug in {one.get("tournament") for one in messages(program)}
    ApiToken.objects.update(revoked=NOW)
    assert program.get("stream").status_code == 401
    assert hidden.slug not in {one.get("tournament") for one in messages(Program())}

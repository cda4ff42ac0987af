"""Idempotency keys: a repeated request has one effect and one answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone

from damrak_ladder.accounts import idempotency
from damrak_ladder.accounts.errors import KeyInUse
from damrak_ladder.accounts.idempotency import Answer, once
from damrak_ladder.accounts.models import ApiToken, IdempotencyKey
from damrak_ladder.api import bots
from damrak_ladder.bots.models import Bot, ConnectToken, Version
from damrak_ladder.pipeline.upkeep.retention import forget
from ladder.calls import MEMORY, Program, archive_with, problem_of
from ladder.people import somebody


@pytest.fixture
def program(database: None) -> Iterator[Program]:
    with override_settings(CACHES=MEMORY):
        yield Program(somebody())


def test_a_repeated_request_has_one_effect_and_the_same_answer(program: Program) -> None:
    answers = [program.post("bots", {"slug": "canal-rat"}, idempotency_key="k1") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201] * 3
    assert len({answer.content for answer in answers}) == 1
    assert answers[2]["Location"] == "/api/v1/bots/canal-rat"
    assert "Idempotency-Replayed" not in answers[0]
    assert answers[1]["Idempotency-Replayed"] == "true"
    assert Bot.objects.count() == 1
    # Without the key it is another request.
    problem_of(program.post("bots", {"slug": "canal-rat"}), 409, "name-taken")


@pytest.mark.process
def test_an_archive_is_submitted_once(program: Program) -> None:
    program.post("bots", {"slug": "canal-rat"})
    headers = {"idempotency_key": "k1"}
    first, second = (
        program.send("bots/canal-rat/versions", archive_with("a"), **headers) for _ in range(2)
    )
    assert first.status_code == second.status_code == 201, first.content
    assert json.loads(first.content) == json.loads(second.content)
    assert Version.objects.filter(bot__slug="canal-rat").count() == 1
    other = program.send("bots/canal-rat/versions", archive_with("b"), **headers)
    problem_of(other, 422, "key-reused")
    assert Version.objects.filter(bot__slug="canal-rat").count() == 1


def test_a_key_belongs_to_one_request_of_one_token(program: Program) -> None:
    assert program.post("bots", {"slug": "tulip"}, idempotency_key="k1").status_code == 201
    problem = problem_of(
        program.post("bots", {"slug": "gable"}, idempotency_key="k1"), 422, "key-reused"
    )
    assert "k1" in problem["detail"]
    assert problem["cure"]
    other = Program(somebody("bob"))
    assert other.post("bots", {"slug": "gable"}, idempotency_key="k1").status_code == 201


def test_a_refusal_is_repeated_too(program: Program) -> None:
    assert program.post("bots", {"slug": "tulip"}).status_code == 201
    problem_of(program.post("bots", {"slug": "tulip"}, idempotency_key="k"), 409, "name-taken")
    Bot.objects.all().delete()
    again = program.post("bots", {"slug": "tulip"}, idempotency_key="k")
    problem_of(again, 409, "name-taken")
    assert again["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize("key", ["", "k" * 256, "with space"])
def test_a_bad_key_is_refused(program: Program, key: str) -> None:
    problem = problem_of(
        program.post("bots", {"slug": "tulip"}, idempotency_key=key), 422, "bad-key"
    )
    assert "Idempotency-Key" in problem["detail"]
    assert not Bot.objects.exists()


def test_a_running_request_refuses_another_one_until_it_is_given_up(program: Program) -> None:
    now = timezone.now()
    token = ApiToken.objects.get()

    def run(at: int) -> tuple[Answer, bool]:
        moment = now + timedelta(seconds=at)
        return once(token, "s", "k", "f", moment, lambda: Answer(201, {}, b"done"))

    def nested() -> Answer:
        with pytest.raises(KeyInUse):
            run(1)
        return Answer(201, {}, b"first")

    assert once(token, "s", "k", "f", now, nested) == (Answer(201, {}, b"first"), False)
    assert run(2) == (Answer(201, {}, b"first"), True)
    # A process that died leaves its reservation, which expires.
    IdempotencyKey.objects.update(answer=None, lease_until=now + idempotency.LEASE)
    with pytest.raises(KeyInUse):
        run(3)
    assert run(int(idempotency.LEASE.total_seconds()) + 1) == (Answer(201, {}, b"done"), False)


def test_a_process_that_lost_its_reservation_has_no_effect(program: Program) -> None:
    now, token = timezone.now(), ApiToken.objects.get()
    late = now + idempotency.LEASE * 2

    def slow() -> Answer:
        Bot.objects.create(slug="late", owner=token.owner, created=now)
        IdempotencyKey.objects.update(lease_until=late)  # another process took over
        return Answer(201, {}, b"late")

    with pytest.raises(KeyInUse):
        once(token, "s", "k", "f", now, slow)
    assert not Bot.objects.exists()


def test_an_error_of_the_site_is_not_kept(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(bots, "create_bot", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            program.post("bots", {"slug": "tulip"}, idempotency_key="k1")
    assert not IdempotencyKey.objects.exists()
    assert program.post("bots", {"slug": "tulip"}, idempotency_key="k1").status_code == 201


def test_a_stored_answer_does_not_reveal_secrets(program: Program) -> None:
    program.post("bots", {"slug": "tulip"})
    body = {"software": "tulip 1"}
    first, second = (program.post("bots/tulip/remote", body, idempotency_key="k") for _ in range(2))
    secret = json.loads(first.content)["token"]
    assert json.loads(second.content)["token"] == secret
    assert ConnectToken.objects.count() == 1
    assert secret.encode() not in bytes(IdempotencyKey.objects.get().answer or b"")


def test_keys_are_forgotten_after_a_day(program: Program) -> None:
    assert program.post("bots", {"slug": "tulip"}, idempotency_key="k").status_code == 201
    now = timezone.now()
    assert forget(now + timedelta(hours=23))["idempotency_keys"] == 0
    IdempotencyKey.objects.update(created=now - timedelta(hours=25))
    answer = program.post("bots", {"slug": "gable"}, idempotency_key="k")
    assert answer.status_code == 201
    assert forget(now + timedelta(hours=25))["idempotency_keys"] == 1


def test_a_key_without_a_valid_token_is_of_no_use(program: Program) -> None:
    problem_of(Program().post("bots", {"slug": "x"}, idempotency_key="k"), 401, "token-needed")
    assert not IdempotencyKey.objects.exists()

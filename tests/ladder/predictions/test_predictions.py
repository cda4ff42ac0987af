"""Predictions: accepted only while nothing is decided, scored once, and shrunk for few."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.attempts import is_due, start
from damrak_ladder.matches.models import Block, BlockState, Ladder, Match
from damrak_ladder.matches.record import record
from damrak_ladder.predictions.acceptance import AFTER, EARLY, Answer, is_open, predict
from damrak_ladder.predictions.announcements import ANNOUNCED, SPACING, announce, announced
from damrak_ladder.predictions.models import Forecaster, Prediction
from damrak_ladder.predictions.scores import (
    PRIOR,
    brier,
    field_forecast,
    forecast_of,
    skill_of,
)
from damrak_ladder.predictions.scoring import score_predictions
from damrak_ladder.standings.models import Running
from damrak_ladder.web.home.live_table import SOON
from damrak_ladder.web.predictions.memory import COOKIE
from ladder.bot_versions import some_bot, some_version
from ladder.flow import some_host
from ladder.ladders import some_ladder
from ladder.people import NOW, somebody
from ladder.tables import PATIENCE, report_of, some_block, some_versions
from ladder.tournaments.cups import play, started
from ladder.visitors import page, visitor


def tap(client: Client, match: Match, seat: object = 0, **more: str) -> int:
    return client.post(f"/en/matches/{match.pk}/predict/", {"seat": seat}, **more).status_code


def with_ratings(block: Block, ladder: Ladder) -> Block:
    """Move the block to this ladder, where its versions get ratings."""
    Block.objects.filter(pk=block.pk).update(ladder=ladder)
    for seat in block.matches.get(number=0).seats.all():
        Running.objects.get_or_create(
            ladder=ladder, version=seat.version, defaults={"elo": 0, "error": 100}
        )
    return block


def finished(block: Block) -> None:
    """Record the block; in its first match, the first seat wins."""
    assert start(block.pk, block.attempt, "worker", NOW, PATIENCE)
    record(report_of(block, block.attempt + 1), NOW)


def test_forecasts_are_probabilities_and_the_best_score_is_zero():
    assert forecast_of(2, 1) == (0.25, 0.75)
    for seats in (2, 3, 4):
        assert sum(forecast_of(seats, 0)) == pytest.approx(1)
        assert sum(field_forecast(seats, [0, 1, 1])) == pytest.approx(1)
    assert field_forecast(2, []) == (0.5, 0.5)
    assert brier((1.0, 0.0), {0}) == 0
    assert brier((0.0, 1.0), {0}) == 1
    assert brier((0.5, 0.5), {0, 1}) == 0
    assert skill_of(PRIOR, 1.0, 3.0) == pytest.approx(0.1)  # half of 0.2


@pytest.mark.usefixtures("database")
def test_predictions_close_after_the_first_turns_and_with_a_second_attempt():
    block = some_block()
    assert is_open(block, 2, None)  # it has not started
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    block.refresh_from_db()
    assert is_open(block, 2, 2 * EARLY)
    assert not is_open(block, 2, 2 * EARLY + 1)
    assert not is_open(block, 2, None)  # the position is not known
    block.attempt = 2  # the first attempt was public, and had the same cards
    assert not is_open(block, 2, 0)
    ann = somebody()
    match = block.matches.get(number=0)
    assert predict(ann, match, 2, 0, NOW) is Answer.LATE  # no such seat
    assert predict(ann, match, 1, 0, NOW) is Answer.COUNTS
    assert predict(ann, match, 0, 1, NOW) is Answer.COUNTS  # arrives twice: the first one counts
    assert Prediction.objects.get().seat == 1
    bo = somebody("bo")
    assert predict(bo, match, 0, 2 * EARLY + 1, NOW) is Answer.FOR_FUN
    assert predict(bo, match, 0, 0, NOW) is Answer.COUNTS
    assert not Prediction.objects.get(user=bo).counts  # the first one stays
    record(report_of(block, 1), NOW)
    cleo, dov = somebody("cleo"), somebody("dov")
    assert predict(cleo, match, 0, 0, NOW + AFTER) is Answer.LATE
    assert predict(dov, match, 0, 0, NOW + AFTER / 2) is Answer.FOR_FUN
    assert score_predictions() == 3
    assert [row.user for row in Forecaster.objects.all()] == [ann]
    row = Prediction.objects.get(user=ann)
    assert row.field_score == pytest.approx(0.25)  # of the even forecast alone
    assert set(Prediction.objects.values_list("is_right", flat=True)) == {True, False}


@pytest.mark.usefixtures("database")
def test_announced_games_wait_and_their_predictions_count():
    versions = some_versions()
    ladder = some_ladder()
    booked = [with_ratings(some_block(versions), ladder) for _number in range(ANNOUNCED + 1)]
    taken = booked[0]
    Block.objects.filter(pk=taken.pk).update(host=some_host())
    far = some_version(some_bot("far"), kind=Kind.REMOTE)
    remote = with_ratings(some_block((versions[0], far)), ladder)
    new = some_block((versions[0], some_version(some_bot("new"))))
    Block.objects.filter(pk=new.pk).update(ladder=ladder)
    assert [announce(NOW) for _again in range(ANNOUNCED + 1)] == [True] * ANNOUNCED + [False]
    coming = list(announced(NOW))
    assert {block.pk for block in coming} == {block.pk for block in booked} - {taken.pk}
    assert [block.due - NOW for block in coming] == [SPACING * n for n in (1, 2, 3)]
    assert coming == sorted(coming, key=lambda block: -block.pk)  # the least urgent
    assert not is_due(coming[0].pk, 0, NOW)
    assert start(coming[0].pk, 0, "worker", NOW, PATIENCE) is None
    match = coming[0].matches.get(number=0)
    assert predict(somebody(), match, 0, None, NOW + SPACING / 2) is Answer.COUNTS
    assert is_due(coming[0].pk, 0, NOW + SPACING)
    assert len(announced(NOW + SPACING)) == ANNOUNCED - 1
    assert not announce(NOW + SPACING)  # what is left was announced before, is remote or is new
    assert {remote.state, new.state} == {BlockState.WAITING}


@pytest.mark.usefixtures("database")
def test_the_pages_show_when_an_announced_game_starts():
    cache.clear()
    block = with_ratings(some_block(now=timezone.now()), some_ladder())
    match = block.matches.get(number=0)
    assert "is about to start" in page(visitor(), "/predictions/")
    assert "live-table__seat" not in page(visitor(), "/live-table/")
    assert announce(timezone.now())
    for url in ("/predictions/", f"/matches/{match.pk}/"):
        assert "The game starts in" in page(visitor(), url)
    assert "it was announced" in page(visitor(), "/queue/")
    assert "live-table__seat" not in page(visitor(), "/live-table/")  # not soon
    Block.objects.filter(pk=block.pk).update(due=timezone.now() + SOON)
    shown = page(visitor(), "/live-table/")
    assert "data-starts-in" in shown
    assert 'name="seat"' in shown
    # It waits although its time has come, and the page asks for another game.
    assert "live-table__seat" not in page(visitor(), f"/live-table/?after={match.pk}", status=204)
    Block.objects.filter(pk=block.pk).update(due=timezone.now())
    assert start(block.pk, 0, "worker", timezone.now(), PATIENCE)
    shown = page(visitor(), "/live-table/?after=1")
    assert "data-starts-in" not in shown
    assert "otherwise it is for fun" in shown


@pytest.mark.usefixtures("database")
def test_predictions_are_scored_once_against_those_of_the_others():
    block = some_block()
    match = block.matches.get(number=0)
    for name, seat in (("ann", 0), ("bo", 0), ("cleo", 1)):
        assert predict(somebody(name), match, seat, None, NOW) is Answer.COUNTS
    assert score_predictions() == 0
    finished(block)
    assert score_predictions() == 3
    assert score_predictions() == 0
    rows = {row.user.username: row for row in Forecaster.objects.select_related("user")}
    assert [rows[name].right for name in ("ann", "bo", "cleo")] == [1, 1, 0]
    assert rows["ann"].own_sum == pytest.approx(0.0625)
    # The others of ann: bo, cleo and the even forecast, which is even.
    assert rows["ann"].field_sum == pytest.approx(0.25)
    assert rows["ann"].skill > 0 > rows["cleo"].skill
    assert rows["ann"].predictions == 1


@pytest.mark.usefixtures("database")
def test_hidden_tournament_games_are_neither_predicted_nor_scored():
    tournament, _organiser = started(2, reveal="hidden")
    play(tournament)
    match = Match.objects.filter(number=0).latest("pk")
    ann = somebody("onlooker")
    assert tap(visitor(ann), match) == 404
    Prediction.objects.create(user=ann, match=match, seat=0, created=NOW)
    assert match.block.state == BlockState.RECORDED
    assert score_predictions() == 0


@pytest.mark.usefixtures("database")
def test_a_visitor_predicts_in_a_cookie_and_a_user_in_the_table():
    cache.clear()
    assert "No game is waiting" in page(visitor(), "/predictions/")
    block = some_block()
    match = block.matches.get(number=0)
    client = visitor()
    shown = page(client, "/predictions/")
    assert shown.count('name="seat"') == 2
    assert tap(client, match, 7) == 302  # no such seat
    assert COOKIE not in client.cookies
    assert tap(client, match, 0, HTTP_SEC_FETCH_SITE="cross-site") == 403
    assert tap(client, match, 1) == 302
    assert client.cookies[COOKIE]["max-age"] == ""  # it ends with the session
    tap(client, match, 0)
    assert "You predict that bot-1 wins." in page(client, f"/matches/{match.pk}/")
    assert not Prediction.objects.exists()
    ann = visitor(somebody())
    answer = ann.post(f"/en/matches/{match.pk}/predict/", {"seat": "0"}, HTTP_HX_REQUEST="true")
    assert "You predict that bot-0 wins." in answer.content.decode()
    assert Prediction.objects.count() == 1
    finished(block)
    for ended, said in ((timezone.now(), "You predict that"), (NOW.replace(year=2020), "Too late")):
        Block.objects.filter(pk=block.pk).update(finished=ended)
        late = visitor(somebody(said.split()[0]))
        answer = late.post(f"/en/matches/{match.pk}/predict/", {"seat": "0"}, HTTP_HX_REQUEST="1")
        text = answer.content.decode()
        assert said in text
        assert "won" not in text  # the broadcast goes on
        assert ("This one is for fun" in text) == (said == "You predict that")
    assert score_predictions() == 2
    assert "Your prediction was wrong." in page(client, f"/matches/{match.pk}/")
    assert "Your prediction was right." in page(ann, f"/matches/{match.pk}/")
    client.cookies["damrak-results"] = "hidden"
    assert 'class="cover"' in page(client, "/predictions/")
    del client.cookies["damrak-results"]
    Forecaster.objects.update(predictions=10)
    assert "1 right" in page(ann, "/predictions/")
    assert "The table is empty" not in page(visitor(), "/predictions/")
    client.cookies[COOKIE] = "forged"
    assert "Your prediction" not in page(client, f"/matches/{match.pk}/")

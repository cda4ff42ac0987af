"""The front page: notable games, and the live table."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from damrak_ladder.accounts.models import User
from damrak_ladder.follows.interest import running_by_interest
from damrak_ladder.follows.models import Subject
from damrak_ladder.follows.registry import follow
from damrak_ladder.matches.models import Block, BlockState, Match, Purpose, Seat
from damrak_ladder.message_codes.story_codes import (
    FeaturedClose,
    FeaturedFinal,
    FeaturedTitle,
    FeaturedTournament,
)
from damrak_ladder.pipeline.queue.scheduler import schedule
from damrak_ladder.ratings import Block as Played, Game
from damrak_ladder.standings.counts.notable_games import KEPT, LASTING, candidates, notice
from damrak_ladder.standings.counts.updates import withdraw
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Notable, NotableKind, Running, Standing
from damrak_ladder.standings.packed_blocks import Outcome
from ladder.flow import some_host
from ladder.people import NOW, somebody
from ladder.sites import fill_recently
from ladder.tournaments.cups import play, started
from ladder.visitors import page, queries_of, visitor


def _outcome(players: list[int], points: list[int], *, fault: bool = False) -> Outcome:
    places = tuple(sorted(points, reverse=True).index(score) + 1 for score in points)
    game = Game(tuple(range(len(players))), places)
    faults = (fault, *[False] * (len(players) - 1))
    return Outcome(Played(tuple(players), (game,)), (tuple(points),), (faults,))


@pytest.mark.usefixtures("database")
def test_notable_games_are_chosen_when_blocks_count():
    now = fill_recently(blocks=21)
    count = Counter(Notable.objects.values_list("ladder", "kind"))
    assert count
    assert max(count.values()) <= KEPT
    block = Block.objects.filter(ladder__slug="amsterdam", finished__isnull=False).latest("pk")
    assert block.ladder_id is not None

    strong, weak = Running.objects.filter(ladder=block.ladder_id).order_by("-elo")[:2]
    Running.objects.filter(pk=strong.pk).update(elo=2000, error=30)
    Running.objects.filter(pk=weak.pk).update(elo=1200, error=30)
    pair = [strong.version_id, weak.version_id]
    found = {one.kind: one for one in candidates(block.ladder_id, _outcome(pair, [80, 81]))}
    assert {one.version for one in found.values()} == {weak.version_id}
    assert found[NotableKind.UPSET].value < 0.02
    assert found[NotableKind.CLOSE].value == 1
    assert found[NotableKind.RECORD].value == 81
    expected = {one.kind for one in candidates(block.ladder_id, _outcome(pair, [81, 60]))}
    assert expected == {NotableKind.RECORD}
    assert not list(candidates(block.ladder_id, _outcome(pair, [80, 81], fault=True)))
    assert not list(candidates(block.ladder_id, _outcome(pair, [80, 80])))
    Running.objects.filter(pk=weak.pk).update(error=400)  # its strength was unknown
    kinds = {one.kind for one in candidates(block.ladder_id, _outcome(pair, [20, 81]))}
    assert kinds == {NotableKind.RECORD}

    notice(block, _outcome(pair, [700, 10]))
    assert Notable.objects.filter(match__block=block, value=700).exists()
    best = Notable.objects.filter(ladder=block.ladder_id, kind=NotableKind.RECORD)
    for _again in range(KEPT + 2):
        notice(block, _outcome(pair, [900, 10]))
    assert best.count() == KEPT
    assert set(best.values_list("value", flat=True)) == {900}
    block.finished = now + LASTING + timedelta(days=1)
    notice(block, _outcome(pair, [5, 1]))  # all others are old by now
    assert list(best.values_list("value", flat=True)) == [5]
    withdraw(block)
    assert not Notable.objects.filter(match__block=block).exists()


@pytest.mark.usefixtures("database")
def test_the_front_page_shows_them_and_follows_a_table():
    client = visitor()
    assert 'id="live-table" hidden' in page(client, "/live-table/?after=x")
    assert page(client, "/live-table/?after=7", status=204) == ""  # the current view stays
    fill_recently(blocks=21)
    home = page(client, "/")
    assert "Worth watching" in home
    assert "Live now" in home
    assert "it has already logged you in" in home
    block = Block.objects.get(state=BlockState.RUNNING)
    matches = list(Match.objects.filter(block=block).order_by("pk").values_list("pk", flat=True))
    shown = [_shown(page(client, f"/live-table/?after={after}")) for after in (0, *matches)]
    assert shown == [*matches, matches[0]]
    somebody("fan")
    bot = block.matches.get(number=0).seats.get(number=0).version.bot
    assert "a bot you follow" not in page(visitor("fan"), "/live-table/")
    assert follow(User.objects.get(username="fan"), Subject.BOT, bot.slug, timezone.now())
    assert "a bot you follow" in page(visitor("fan"), "/live-table/")
    cost = queries_of(client, "/live-table/")
    assert cost <= 8
    Notable.objects.all().delete()
    assert "Worth watching" not in page(client, "/")


@pytest.mark.usefixtures("database")
def test_door_to_a_game_never_leads_to_a_hidden_table():
    client = visitor()
    assert _door(page(client, "/")) == "/en/queue/"
    fill_recently(blocks=21)
    assert _door(page(client, "/")) == "#live-table"
    running = Block.objects.filter(state=BlockState.RUNNING)
    running.update(state=BlockState.WAITING, lease_until=None)
    best = Notable.objects.order_by("-at", "-pk")[0]
    assert _door(page(client, "/")) == f"/en/matches/{best.match_id}/?at=0"
    Notable.objects.all().delete()
    latest = Match.objects.filter(block__state=BlockState.RECORDED, number=0).latest("block")
    assert _door(page(client, "/")) == f"/en/matches/{latest.pk}/?at=0"


@pytest.mark.usefixtures("database")
def test_title_fights_come_before_close_games_and_these_before_others():
    fill_recently(blocks=21)
    games: list[tuple[Block, list[int]]] = []
    for block in Block.objects.filter(ladder__slug="amsterdam", finished__isnull=False):
        found = {seat.version_id for seat in Seat.objects.filter(match__block=block)}
        if not any(found & set(other) for _block, other in games):
            games.append((block, sorted(found)))
    assert len(games) >= 2
    running = Block.objects.filter(state=BlockState.RUNNING)
    running.update(state=BlockState.WAITING, lease_until=None)
    Standing.objects.filter(seats=ALL).update(elo=1500, rank=None)
    for at, (block, _players) in enumerate(games):
        Block.objects.filter(pk=block.pk).update(state=BlockState.RUNNING, lease_until=NOW)
        expected = [FeaturedClose()] * (at + 1)
        assert [one.reason for one in running_by_interest()] == expected
    (last, players), (far, others) = games[-1], games[0]
    _rank(last, dict(zip(players, (1, 2), strict=False)))
    Standing.objects.filter(version=others[0], seats=ALL).update(elo=2500)
    shown = [(one.block.pk, one.reason) for one in running_by_interest()]
    assert shown[0] == (last.pk, FeaturedTitle())
    assert shown[-1] == (far.pk, None)


def _rank(block: Block, ranks: dict[int, int]) -> None:
    for version, rank in ranks.items():
        Standing.objects.filter(ladder=block.ladder_id, version=version, seats=ALL).update(
            rank=rank
        )


@pytest.mark.usefixtures("database")
def test_the_final_of_a_cup_is_watched_first():
    tournament, _organiser = started(4, "single-elimination")
    some_host(workers=16, now=NOW)
    for reason in (FeaturedTournament(), FeaturedFinal()):
        schedule(NOW, secrets.token_bytes)
        booked = Block.objects.filter(purpose=Purpose.TOURNAMENT, state=BlockState.WAITING)
        assert booked.update(state=BlockState.RUNNING, lease_until=NOW)
        assert {one.reason for one in running_by_interest()} == {reason}
        running = Block.objects.filter(state=BlockState.RUNNING)
        running.update(state=BlockState.WAITING, lease_until=None)
        play(tournament, rounds=1)


def _door(home: str) -> str:
    found = re.search(r'href="([^"]*)"><strong>Watch a game', home)
    assert found is not None
    return found[1]


def _shown(fragment: str) -> int:
    found = re.search(r'data-files="/matches/(\d+)/"', fragment)
    assert found is not None
    return int(found[1])

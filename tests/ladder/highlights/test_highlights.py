"""Highlights: found once, in one pass, and shown only if their results are public."""

from __future__ import annotations

import re
from datetime import date, timedelta
from random import Random

import pytest
from django.utils import timezone

from damrak_ladder.highlights import collection
from damrak_ladder.highlights.analysed import collect_notable
from damrak_ladder.highlights.collection import collect
from damrak_ladder.highlights.games import Book, read_block
from damrak_ladder.highlights.models import Reader, Record, Run, Story, StoryKind, WeekForm
from damrak_ladder.highlights.queries import span_of
from damrak_ladder.highlights.storage import KEPT, Telling, keep
from damrak_ladder.matches.models import Block, BlockState, Ladder
from damrak_ladder.message_codes.story_codes import FirstWin, OnePoint
from damrak_ladder.message_codes.wording import english
from damrak_ladder.ratings import Block as Played, Game
from damrak_ladder.standings.counts.updates import absorb
from damrak_ladder.standings.models import Notable, NotableKind
from damrak_ladder.standings.packed_blocks import Outcome
from ladder.people import NOW
from ladder.seasons import a_ladder, some_field, some_recorded
from ladder.sites import fill
from ladder.visitors import page, visitor

pytestmark = pytest.mark.usefixtures("database")


def counted(ladder: Ladder, number: int) -> list[Block]:
    """Return recorded blocks that count."""
    chance, versions = Random(5), some_field(2)
    blocks = [some_recorded(ladder, versions, chance) for _ in range(number)]
    for block in blocks:
        assert absorb(block)
    return blocks


def test_each_block_is_read_once_however_many_runs_it_takes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(collection, "BATCH", 4)
    ladder = a_ladder()
    counted(ladder, 6)
    assert collect() == 4
    assert collect() == 2
    assert collect() == 0
    assert Reader.objects.get().serial == 6
    decided = sum(row.wins for row in Run.objects.all())
    assert 0 < decided <= 12
    forms = list(WeekForm.objects.all())
    assert sum(row.wins for row in forms) == decided
    assert sum(row.games for row in forms) == 2 * decided
    assert sum(row.ahead for row in forms) == pytest.approx(0)
    assert {row.kind for row in Record.objects.all()} == {"points", "lead", "streak"}


def test_games_become_stories():
    ladder = a_ladder()
    match = counted(ladder, 1)[0].matches.get(number=0)
    first, second = (seat.version for seat in match.seats.order_by("number"))
    runs = {one.pk: Run(ladder=ladder, version_id=one.pk) for one in (first, second)}
    runs[first.pk].current = 9
    runs[first.pk].wins = 9
    book = Book(ladder, {first.pk: first, second.pk: second}, {}, runs, {}, {})
    players = tuple(sorted(runs))
    at = players.index(first.pk)
    points = (81, 80) if at == 0 else (80, 81)
    game = Game((0, 1), tuple(1 if score == 81 else 2 for score in points))
    outcome = Outcome(Played(players, (game,)), (points,), ((False, False),))
    read_block(book, outcome, [match.pk], NOW, is_young=False)
    told = [english(one.told) for one in book.stories]
    name = first.bot.name
    assert told == [
        f"{name} has won 10 games in a row on {ladder.name}.",
        f"{name} won with 81 points, a record on {ladder.name}.",
        f"{name} won by a single point on {ladder.name}.",
    ]
    faulty = Outcome(Played(players, (game,)), (points,), ((True, False),))
    before = len(book.stories)
    read_block(book, faulty, [match.pk], NOW, is_young=False)
    read_block(book, outcome, [None], NOW, is_young=False)  # its game is hidden
    assert len(book.stories) == before


def test_few_stories_of_a_kind_are_kept_for_each_day():
    ladder = a_ladder()
    blocks = counted(ladder, KEPT + 2)
    version = blocks[0].matches.get(number=0).seats.get(number=0).version_id
    for worth, block in enumerate(blocks):
        match = block.matches.get(number=0).pk
        story = Telling(StoryKind.ONE_POINT, match, version, OnePoint("a", "b"), worth, NOW)
        keep(ladder, story)
        keep(ladder, story)
    kept = Story.objects.order_by("worth").values_list("worth", flat=True)
    assert list(kept) == [2, 3, 4]


def test_pages_feed_and_front_page_show_public_stories():
    now = timezone.now()
    client = visitor()
    assert "There are no stories from this time" in page(client, "/highlights/")
    assert "No records yet" in page(client, "/records/")
    fill(now, blocks=12)
    upset = Notable.objects.earliest("pk")
    Notable.objects.filter(pk=upset.pk).update(kind=NotableKind.UPSET, value=0.07, at=now)
    collect()
    collect_notable()
    collect_notable()
    assert Story.objects.filter(kind="upset").count() == 1
    said = "had a chance of 1 in 14 and won"
    for path in ("/highlights/", "/highlights/?week=", "/highlights/feed/", "/"):
        assert said in page(client, path), path
    check_pictures("/highlights/")
    check_pictures("/")
    careful = visitor()
    careful.cookies["damrak-results"] = "hidden"
    assert (
        page(careful, "/highlights/").count('class="cover"')
        == Story.objects.filter(day=now.date()).count()
    )
    assert "Games won in a row" in page(client, "/records/")
    Block.objects.filter(matches=upset.match_id).update(state=BlockState.DEAD)
    for path in ("/highlights/", "/"):
        assert said not in page(client, path), path
    week = page(client, f"/highlights/?week={form_week(now.date())}")
    assert "Bot of the week" in week
    assert "9 of 12 games won, 4.5 more wins than its rating predicts." in week


def check_pictures(path: str) -> None:
    """Check that pictures follow the chosen theme, or else that of the device."""
    for theme in ("", "light", "dark"):
        client = visitor()
        client.cookies["damrak-theme"] = theme
        picture = re.search(r"<picture>(.*?)<img(.*?)></picture>", page(client, path))
        assert picture, path
        by_device = 'media="screen and (prefers-color-scheme: dark)"'
        assert (by_device in picture[1]) == (theme == "")
        assert ("theme=dark" in picture[2]) == (theme == "dark")


def form_week(today: date) -> date:
    """Return the Monday of a week in which a version won more than expected."""
    monday = today - timedelta(days=today.weekday())
    row = WeekForm.objects.earliest("pk")
    WeekForm.objects.filter(pk=row.pk).update(monday=monday, games=12, wins=9, ahead=4.5)
    return monday


@pytest.mark.parametrize("asked", ["", "nonsense", "2026-02-30", "9999-12-31", "0001-01-01"])
@pytest.mark.parametrize("is_week", [False, True])
def test_any_day_can_be_asked_for(asked: str, is_week: bool):
    today = date(2026, 11, 20)
    span = span_of(asked, today, is_week=is_week)
    assert span.first <= today
    assert span.earlier < span.first <= span.last
    assert (span.last - span.first).days == (6 if is_week else 0)
    assert english(FirstWin("a", "b")) == "a has won its first game on b."

"""Generated data are consistent, as if the games had been played."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.matches.models import Block, BlockState, Match, Seat, SeatResult
from damrak_ladder.population.population import Size, is_empty, is_made_up, populate
from damrak_ladder.replays.storage import load
from damrak_ladder.standings.counts.tallies import MET, TALLIED, meetings_of, tallies_of
from damrak_ladder.standings.counts.updates import recorded_outcome
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.models import Counted, Line, Meeting, Order, Standing, Tally
from damrak_ladder.standings.packed_blocks import unpack
from damrak_ladder.standings.read.table import table


@pytest.fixture
def now(committed: dict[str, str]) -> datetime:
    """Return the time at which a database was filled."""
    assert is_empty()
    now = timezone.now()
    populate(Size(bots=20, matches=150, replays=3, seed=5), now, lambda what, share: None)
    return now


def test_tallies_and_ratings_follow_from_the_results(now: datetime) -> None:
    assert is_made_up()
    assert Bot.objects.exclude(slug__startswith="house-").count() == 20
    recorded = Block.objects.filter(state=BlockState.RECORDED)
    assert Match.objects.filter(block__in=recorded).count() >= 150
    assert SeatResult.objects.count() == Seat.objects.filter(match__block__in=recorded).count()
    for ladder in {block.ladder for block in recorded.select_related("ladder")}:
        assert ladder is not None
        outcomes = []
        for row in Counted.objects.filter(ladder=ladder).order_by("serial"):
            outcome = unpack(bytes(row.results), bytes(row.points))
            assert outcome == recorded_outcome(row.block_id)
            outcomes.append(outcome)
        tallies = Tally.objects.filter(ladder=ladder).values_list(
            "version", "seats", "turn", *TALLIED
        )
        assert {row[:3]: dict(zip(TALLIED, row[3:], strict=True)) for row in tallies} == tallies_of(
            outcomes
        )
        meetings = Meeting.objects.filter(ladder=ladder).values_list("version", "opponent", *MET)
        assert {row[:2]: dict(zip(MET, row[2:], strict=True)) for row in meetings} == meetings_of(
            outcomes
        )
        lines = Line.objects.filter(ladder=ladder).count()
        assert publish(ladder, now, force=True) is not None
        assert Line.objects.filter(ladder=ladder).count() == lines
        rows = table(ladder)
        assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
        past = [(now - timedelta(days=back)).date() for back in (1, 30, 150)]
        written = [table(ladder, on=day, everyone=True) for day in past]
        assert Order.objects.filter(fit__ladder=ladder).delete()[0] > 300
        assert [table(ladder, on=day, everyone=True) for day in past] == written
        assert written[0]
    assert Standing.objects.exists()
    assert load(Match.objects.filter(block__in=recorded)[0].replay)
    _check_keys()


def _check_keys() -> None:
    """Check that new rows get new keys."""
    bot = Bot.objects.order_by("pk")[0]
    now = timezone.now()
    version = Version.objects.create(
        bot=bot, number=2000, kind="uploaded", content="0" * 64, created=now, changed=now
    )
    assert version.pk == max(Version.objects.values_list("pk", flat=True))
    block = Block.objects.order_by("-pk")[0]
    match = Match.objects.create(block=block, number=9)
    assert match.pk == max(Match.objects.values_list("pk", flat=True))

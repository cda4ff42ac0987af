"""The status page about the last day."""

from __future__ import annotations

from datetime import timedelta

import pytest

from damrak_ladder.matches.models import (
    Attempt,
    Block,
    BlockState,
    Host,
    HostState,
    Match,
    MatchTimings,
    Outcome,
)
from damrak_ladder.matches.timings import Timings, pack
from damrak_ladder.message_codes.block_codes import OperatorReason, ReportedVoid
from damrak_ladder.profiles.activity import (
    HOURS,
    blocks_by_hour,
    failures,
    games_since,
    shares_of_hosts,
)
from damrak_ladder.tournaments.visibility import visible
from ladder.sites import fill_recently
from ladder.tournaments.cups import play, started
from ladder.visitors import page, visitor


@pytest.mark.usefixtures("database")
def test_status_shows_the_pace_of_hosts_and_failures():
    now = fill_recently(blocks=6)
    host = Host.objects.get(name="quay-1")
    blocks = list(Block.objects.filter(state=BlockState.RECORDED).order_by("pk"))
    Block.objects.filter(pk=blocks[0].pk).update(finished=now - timedelta(minutes=5))
    Block.objects.filter(pk=blocks[1].pk).update(finished=now - timedelta(hours=23, minutes=30))
    Block.objects.filter(pk__in=[one.pk for one in blocks[2:]]).update(
        finished=now - timedelta(days=3)
    )
    hours = blocks_by_hour([host], now)[host.pk]
    assert hours == [1, *[0] * (HOURS - 2), 1]
    assert sum(hours) == 2
    games = Match.objects.filter(block=blocks[0]).count()
    assert games_since(now - timedelta(hours=1)) == {host.pk: games}

    MatchTimings.objects.all().delete()
    assert shares_of_hosts() == {}
    match = Match.objects.filter(block=blocks[0]).earliest("pk")
    data = pack(Timings((0, 1), (100, 100), (50, 70), (10, 10)))
    MatchTimings.objects.create(match=match, data=data)
    shares = shares_of_hosts()
    assert shares.keys() == {0, host.pk}
    assert (shares[0].thinking, shares[0].transport, shares[0].queue) == pytest.approx(
        (0.6, 0.3, 0.1)
    )
    Attempt.objects.filter(detail__isnull=True).update(detail=ReportedVoid("of no interest"))
    text = page(visitor(), "/hosts/")
    assert "60\N{NO-BREAK SPACE}%" in text
    assert "Recent failed attempts" in text
    assert "void, played again" in text
    assert "the referee went away" not in text  # it may name machines
    assert "the referee went away" in page(visitor("sam"), "/hosts/")


@pytest.mark.usefixtures("database")
def test_only_organisers_see_why_a_host_is_in_quarantine():
    fill_recently(blocks=2)
    Host.objects.filter(name="quay-2").update(
        state=HostState.QUARANTINED, reason=OperatorReason("bad memory in rack 7")
    )
    text = page(visitor(), "/hosts/")
    assert "quarantined" in text
    assert "rack 7" not in text  # the note of an operator may be about machines of ours
    assert "rack 7" in page(visitor("sam"), "/hosts/")


@pytest.mark.usefixtures("database")
def test_hidden_attempts_do_not_shorten_the_list_of_failures():
    for slug, reveal in (("open", "public"), ("cup", "hidden")):
        play(started(2, slug=slug, blocks=2, reveal=reveal)[0])
    first = Attempt.objects.earliest("pk")
    Attempt.objects.exclude(pk__in=visible(Attempt, None)).update(outcome=Outcome.VOID)
    assert Attempt.objects.filter(outcome=Outcome.VOID).exists()
    assert failures() == []
    Attempt.objects.filter(pk=first.pk).update(outcome=Outcome.EXPIRED)
    # Thousands of attempts lie between this one and the latest that a visitor sees.
    last = visible(Attempt, None).latest("pk")
    Attempt.objects.filter(pk=last.pk).update(id=last.pk + 100_000)
    assert failures() == [first]

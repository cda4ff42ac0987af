"""Tests between two versions end automatically, with few wrong verdicts."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Kind, State, Version
from damrak_ladder.matches.entries import seat_house
from damrak_ladder.matches.models import Block, BlockState, Ladder, Purpose, Seat
from damrak_ladder.notices.models import Notice
from damrak_ladder.pipeline.outcome.settlement import unsettle
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.queue.scheduler import schedule
from damrak_ladder.trials import burst
from damrak_ladder.trials.anytime_estimate import anytime_estimate
from damrak_ladder.trials.canaries import begin as begin_canary
from damrak_ladder.trials.errors import BadBounds, NotPlayable, NotYours, TooManyTrials
from damrak_ladder.trials.models import Trial, TrialBlock, TrialState
from damrak_ladder.trials.trials import Bounds, cancel, progress, start
from damrak_statistics.block_scores import Sprt, elo_of, score_of
from ladder.bot_versions import some_bot, some_version
from ladder.flow import Player, rounds, some_host, tokens_of
from ladder.ladders import some_ladder
from ladder.people import NOW, somebody

alone = pytest.mark.usefixtures("database")
QUICK = Bounds(elo0=0, elo1=200, most=200)


def two_versions() -> tuple[Version, Version]:
    bot = some_bot()
    return some_version(bot, "one", Kind.UPLOADED), some_version(bot, "two", Kind.UPLOADED)


def begun(bounds: Bounds = QUICK) -> Trial:
    old, new = two_versions()
    ladder = some_ladder(rotations=2)
    return start(new.bot.owner, new, old, ladder, bounds, NOW)


def ahead_by(lead: float) -> Player:
    return Player(strength=lambda seat: lead if seat.version.spec == "two" else 0.0)


@alone
@pytest.mark.parametrize(
    ("lead", "state"), [(1.0, TrialState.BETTER), (-1.0, TrialState.NOT_BETTER)]
)
def test_clear_lead_ends_the_test_and_notifies_its_owner(lead: float, state: TrialState) -> None:
    trial = begun()
    some_host(workers=3)
    rounds(ahead_by(lead), 12)
    trial.refresh_from_db()
    assert trial.state == state
    assert Notice.objects.get().kind == "test_finished"
    assert not Block.objects.filter(state=BlockState.WAITING, host=None).exists()
    found = progress(trial)
    assert found.estimate is not None
    assert (found.llr >= found.upper) == (state is TrialState.BETTER)
    assert (found.estimate.value > 0) == (lead > 0)
    blocks = Block.objects.filter(purpose=Purpose.TEST)
    assert {(block.is_mirrored, block.matches.count()) for block in blocks} == {(True, 4)}


@alone
def test_test_ends_when_all_blocks_are_played() -> None:
    trial = begun(Bounds(elo0=0, elo1=5, most=7))
    some_host(workers=3)
    rounds(ahead_by(0.0), 5)
    trial.refresh_from_db()
    assert trial.state == TrialState.UNDECIDED
    assert trial.blocks.count() == Block.objects.count() == 7
    assert progress(trial).blocks == 7


@alone
def test_cancelled_test_plays_no_more() -> None:
    trial = begun()
    some_host(workers=1)
    player = ahead_by(0.0)
    rounds(player, 1)
    assert cancel(trial.pk, NOW)
    assert not cancel(trial.pk, NOW)
    before = Block.objects.count()
    rounds(player, 2)
    assert Block.objects.count() == before
    assert not Notice.objects.exists()


@alone
def test_withdrawn_block_stops_counting() -> None:
    trial = begun()
    some_host(workers=1)
    rounds(ahead_by(0.0), 1)
    before = progress(trial).blocks
    unsettle(Block.objects.filter(state=BlockState.RECORDED)[0], NOW)
    assert progress(trial).blocks == before - 1


@alone
def test_blocks_recorded_after_the_end_do_not_count() -> None:
    trial = begun()
    some_host(workers=2)
    player = ahead_by(0.0)
    schedule(NOW, tokens_of(1))
    dispatch(NOW, player.send)
    cancel(trial.pk, NOW)
    assert len(player.play_all(NOW)) == TrialBlock.objects.filter(is_late=True).count() == 3
    assert progress(trial).blocks == 0


@alone
def test_tests_of_one_owner_are_limited_and_need_own_versions() -> None:
    old, new = two_versions()
    owner, ladder = new.bot.owner, some_ladder()
    rival = some_version(some_bot("rita"), "three", Kind.UPLOADED)
    with pytest.raises(NotYours, match="neither your version nor live"):
        start(owner, new, rival, ladder, QUICK, NOW)
    promote(rival.bot_id, None, rival.pk, NOW)
    rival.refresh_from_db()
    rival.bot.refresh_from_db()
    start(owner, new, rival, ladder, QUICK, NOW)
    start(owner, new, old, ladder, QUICK, NOW)
    with pytest.raises(TooManyTrials, match="no more than 2"):
        start(owner, old, new, ladder, QUICK, NOW)
    with pytest.raises(NotYours, match="not your version"):
        start(somebody("eve"), new, old, ladder, QUICK, NOW)
    with pytest.raises(NotPlayable, match="two different versions"):
        start(owner, new, new, ladder, QUICK, NOW)
    Version.objects.filter(pk=new.pk).update(state=State.FAILED)
    new.refresh_from_db()
    with pytest.raises(NotPlayable, match="failed"):
        start(owner, new, old, ladder, QUICK, NOW)


@alone
def test_test_is_for_two() -> None:
    old, new = two_versions()
    ladder = some_ladder(shares={"3": 1}, options={"first_player": "seat 2"})
    with pytest.raises(NotPlayable, match="cannot be played by two"):
        start(new.bot.owner, new, old, ladder, QUICK, NOW)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"elo1": 0.0}, "elo1"),
        ({"elo0": float("nan")}, "elo0"),
        ({"alpha": 0.7}, "alpha"),
        ({"most": 0}, "most"),
        ({"most": 10**9}, "most"),
    ],
)
def test_bounds_without_a_valid_test_are_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(BadBounds, match=named):
        replace(Bounds(), **changes).sprt()


def series(elo: float, chance: random.Random) -> float:
    """Return the score of a mirrored block of two games that are partly dependent."""
    mean = score_of(elo)
    first = chance.random() < mean
    second = first if chance.random() < 0.3 else chance.random() < mean
    return (first + second) / 2


def test_verdicts_have_the_stated_error_rates() -> None:
    chance = random.Random(7)
    test = Sprt(0, 120)
    for elo, wrong in ((0.0, "H1"), (120.0, "H0")):
        found: Counter[str | None] = Counter()
        for _ in range(150):
            scores: Counter[float] = Counter()
            verdict = None
            while verdict is None and sum(scores.values()) < 400:
                scores[series(elo, chance)] += 1
                verdict = test.verdict(test.llr(scores))
            found[verdict] += 1
        assert found[wrong] <= 15  # of 150, where 7.5 are expected
        assert found[None] <= 3


@pytest.mark.parametrize("elo", [0.0, 150.0, -60.0])
def test_interval_holds_at_all_moments_together(elo: float) -> None:
    chance = random.Random(11)
    missed = 0
    for _ in range(150):
        scores: Counter[float] = Counter()
        is_missed = False
        for _ in range(150):
            scores[series(elo, chance)] += 1
            found = anytime_estimate(scores)
            is_missed |= not found.low <= elo <= found.high
        missed += is_missed
    assert missed <= 13  # the allowed number is 7.5


def test_interval_narrows_and_contains_its_value() -> None:
    widths = []
    for count in (5, 20, 80, 320):
        found = anytime_estimate({0.0: count, 0.5: count, 1.0: 2 * count})
        assert found.low < found.value < found.high
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)
    assert found.value == pytest.approx(elo_of(0.625), abs=2)


@alone
def test_owners_share_what_tests_get() -> None:
    old, new = two_versions()
    ladder = some_ladder()
    start(new.bot.owner, new, old, ladder, Bounds(elo1=5, most=500), NOW)
    other = some_bot("rita")
    one, two = (some_version(other, spec, Kind.UPLOADED) for spec in ("three", "four"))
    for pair in ((one, two), (two, one)):
        start(other.owner, *pair, ladder, Bounds(elo1=5, most=500), NOW)
    some_host(workers=4)
    rounds(ahead_by(0.0), 8)
    played = Counter(
        Seat.objects.filter(
            match__block__state=BlockState.RECORDED, match__number=0, number=0
        ).values_list("match__block__trial_block__trial__owner", flat=True)
    )
    counts = sorted(played.values())
    assert len(counts) == 2
    assert counts[1] - counts[0] <= 3


@alone
def test_tests_and_canaries_of_one_owner_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(burst, "BLOCKS", 0)  # only tests have bursts, and it is not their turn
    old, new = two_versions()
    ladder = some_ladder(house=["random", "greedy"])
    seat_house(ladder, NOW)
    for pair in ((new, old), (old, new)):
        start(new.bot.owner, *pair, ladder, Bounds(elo1=5, most=500), NOW)
    begin_canary(new, ladder, NOW, 500)
    some_host(workers=1)
    rounds(ahead_by(0.0), 16)
    counts = [trial.blocks.count() for trial in Trial.objects.all()]
    counts.append(Block.objects.filter(purpose=Purpose.CANARY).count())
    assert min(counts) > 1
    assert max(counts) - min(counts) <= 1


@alone
@pytest.mark.parametrize("purpose", [Purpose.TEST, Purpose.CANARY])
def test_unplayable_blocks_are_not_booked_endlessly(purpose: Purpose) -> None:
    old, new = two_versions()
    ladder = some_ladder(house=["random", "greedy"])
    seat_house(ladder, NOW)
    if purpose == Purpose.TEST:
        start(new.bot.owner, new, old, ladder, Bounds(), NOW)
    else:
        begin_canary(new, ladder, NOW, 500)
    some_host(workers=1)
    counts = []
    for number in range(6):
        schedule(NOW, tokens_of(number))
        Block.objects.exclude(purpose=purpose).delete()
        mine = Block.objects.filter(purpose=purpose)
        mine.update(state=BlockState.DEAD)
        counts.append(mine.count())
    assert 3 <= counts[-1] == counts[-2] <= 6
    mine.update(state=BlockState.RECORDED)
    schedule(NOW, tokens_of(7))
    assert mine.count() > counts[-1]


@alone
def test_nothing_is_tried_on_a_ladder_that_is_closed() -> None:
    old, new = two_versions()
    ladder = some_ladder(house=["random", "greedy"])
    seat_house(ladder, NOW)
    begin_canary(new, ladder, NOW, 500)
    Ladder.objects.update(is_open=False)
    some_host(workers=1)
    rounds(ahead_by(0.0), 2)
    assert not Block.objects.exists()
    with pytest.raises(NotPlayable, match="closed"):
        begin_canary(new, Ladder.objects.get(), NOW)
    with pytest.raises(NotPlayable, match="closed"):
        start(new.bot.owner, new, old, Ladder.objects.get(), Bounds(), NOW)
    Ladder.objects.update(is_open=True)
    rounds(ahead_by(0.0), 1)
    assert Block.objects.filter(purpose=Purpose.CANARY).exists()


@given(st.dictionaries(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.integers(1, 300)))
def test_interval_is_mirrored_with_the_scores(scores: dict[float, int]) -> None:
    if not scores:
        return
    one = anytime_estimate(scores)
    other = anytime_estimate({1 - score: times for score, times in scores.items()})
    assert one.low <= one.value <= one.high
    assert other.value == pytest.approx(-one.value, abs=1e-6)
    assert other.low == pytest.approx(-one.high, abs=1e-6)

"""A bot has at most one live version; of two concurrent changes, one is rejected."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from django.db import connection

from damrak_ladder.bots.errors import BotError, NotQualified, Overtaken
from damrak_ladder.bots.lifecycle import advance, bench, promote
from damrak_ladder.bots.models import NEXT, Kind, Promotion, State, Version
from damrak_ladder.bots.submission import Submission, register
from damrak_ladder.message_codes.journey_codes import FaultCount, TooManyFaults
from ladder.bot_versions import some_bot, some_version
from ladder.concurrent_writes import meddling
from ladder.people import NOW

FAULTY = TooManyFaults(3, 10, (FaultCount("crash", 3),))


def ledger() -> list[tuple[int | None, int | None]]:
    rows = Promotion.objects.order_by("pk").values_list("before__number", "after__number")
    return list(rows)


@pytest.mark.usefixtures("database")
class TestAlone:
    def test_new_version_is_promoted_and_the_old_one_made_live_again(self) -> None:
        bot = some_bot()
        one, two = some_version(bot, "greedy"), some_version(bot, "planner")
        promote(bot.pk, None, one.pk, NOW)
        promote(bot.pk, one.pk, two.pk, NOW)
        promote(bot.pk, two.pk, one.pk, NOW, by=bot.owner)
        bot.refresh_from_db()
        assert bot.live == one
        assert ledger() == [(None, 1), (1, 2), (2, 1)]

    def test_old_version_stays_live_until_the_new_one_has_qualified(self) -> None:
        bot = some_bot()
        one = some_version(bot, "greedy")
        promote(bot.pk, None, one.pk, NOW)
        two = register(bot, Submission(Kind.HOUSE, spec="planner"), NOW)
        with pytest.raises(NotQualified, match="checking"):
            promote(bot.pk, one.pk, two.pk, NOW)
        bot.refresh_from_db()
        assert bot.live == one

    def test_unexpected_live_version_is_reported(self) -> None:
        bot = some_bot()
        one, two = some_version(bot, "greedy"), some_version(bot, "planner")
        promote(bot.pk, None, one.pk, NOW)
        with pytest.raises(Overtaken):
            promote(bot.pk, None, two.pk, NOW)
        assert ledger() == [(None, 1)]

    def test_version_of_another_bot_is_never_live(self) -> None:
        stan, olga = some_bot("stan"), some_bot("olga")
        with pytest.raises(Version.DoesNotExist):
            promote(olga.pk, None, some_version(stan).pk, NOW)

    def test_benched_version_leaves_and_keeps_the_evidence(self) -> None:
        bot = some_bot()
        version = some_version(bot)
        promote(bot.pk, None, version.pk, NOW)
        assert bench(version.pk, FAULTY, {"matches": [4, 5, 9]}, NOW)
        bot.refresh_from_db()
        version.refresh_from_db()
        assert bot.live is None
        assert (version.state, version.evidence) == (State.BENCHED, {"matches": [4, 5, 9]})
        with pytest.raises(NotQualified, match="benched"):
            promote(bot.pk, None, version.pk, NOW)

    def test_benching_an_old_version_leaves_the_live_one(self) -> None:
        bot = some_bot()
        one, two = some_version(bot, "greedy"), some_version(bot, "planner")
        promote(bot.pk, None, two.pk, NOW)
        assert not bench(one.pk, FAULTY, {}, NOW)
        bot.refresh_from_db()
        assert bot.live == two

    @pytest.mark.parametrize(("before", "after"), list(product(State, State)))
    def test_only_known_steps_are_taken(self, before: State, after: State) -> None:
        version = some_version(some_bot())
        Version.objects.filter(pk=version.pk).update(state=before)
        if after in NEXT[before]:
            advance(version.pk, before, after, NOW)
            with pytest.raises(Overtaken):
                advance(version.pk, before, after, NOW)
        else:
            with pytest.raises(ValueError, match="no step"):
                advance(version.pk, before, after, NOW)


@pytest.mark.usefixtures("committed")
def test_one_of_several_concurrent_promotions_succeeds() -> None:
    bot = some_bot()
    versions = [some_version(bot, f"mcts:ms={ms}").pk for ms in range(1, 7)]

    def try_promoting(version: int) -> bool:
        try:
            promote(bot.pk, None, version, NOW)
        except BotError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(try_promoting, versions)) == 1
    bot.refresh_from_db()
    assert bot.live_id in versions
    assert len(ledger()) == 1


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize("after", range(1, 4))
def test_version_that_is_benched_meanwhile_does_not_go_live(after: int) -> None:
    bot = some_bot()
    version = some_version(bot)
    with meddling(after, lambda: bench(version.pk, FAULTY, {}, NOW)):
        promote(bot.pk, None, version.pk, NOW)
    bot.refresh_from_db()
    version.refresh_from_db()
    assert (bot.live, version.state) in [(version, State.QUALIFIED), (None, State.BENCHED)]

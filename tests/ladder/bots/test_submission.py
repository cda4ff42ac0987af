"""Bots and versions are created within the limits of their owner, and versions are immutable."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from damrak_ladder.bots.errors import BotError, Frozen, LimitReached, NameTaken, SameContent
from damrak_ladder.bots.models import Bot, Kind, State, Version
from damrak_ladder.bots.submission import (
    Submission,
    archive_store,
    create_bot,
    register,
    storage_of,
    upload,
)
from ladder.bot_versions import some_bot
from ladder.people import NOW, somebody

UPLOADED = Submission(Kind.UPLOADED, language="python", note="first try")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DAMRAK_HOME", tmp_path)


def limit(monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    monkeypatch.setattr(settings, "DAMRAK_LIMITS", replace(settings.DAMRAK_LIMITS, **limits))


@pytest.mark.usefixtures("database")
class TestAlone:
    def test_upload_makes_a_version_to_be_checked(self) -> None:
        version = upload(some_bot(), b"a bot", UPLOADED, NOW)
        stored = Version.objects.get(pk=version.pk)
        assert (stored.number, stored.state, stored.size) == (1, State.CHECKING, 5)
        assert archive_store().get(stored.content) == b"a bot"

    def test_versions_are_counted_within_their_bot(self) -> None:
        stan, olga = some_bot("stan"), some_bot("olga")
        made = [
            upload(stan, b"1", UPLOADED, NOW),
            upload(olga, b"1", UPLOADED, NOW),
            upload(stan, b"2", UPLOADED, NOW),
        ]
        assert [str(version) for version in made] == ["stan-1", "olga-1", "stan-2"]

    def test_same_content_is_not_a_new_version(self) -> None:
        bot = some_bot()
        upload(bot, b"a bot", UPLOADED, NOW)
        with pytest.raises(SameContent, match="version 1"):
            upload(bot, b"a bot", UPLOADED, NOW)

    def test_house_and_remote_bots_need_no_archive(self) -> None:
        bot = some_bot()
        register(bot, Submission(Kind.HOUSE, spec="mcts:ms=100"), NOW)
        register(bot, Submission(Kind.REMOTE, spec="my machine, May"), NOW)
        assert storage_of(bot.owner) == 0

    @pytest.mark.parametrize("slug", ["", "Stan", "-a", "a-", "a b", "a/b", "a" * 41, "stan\n"])
    def test_slugs_are_plain(self, slug: str) -> None:
        with pytest.raises(ValueError, match="lower-case"):
            create_bot(somebody(), slug, "Stan", NOW)

    def test_slugs_are_unique_on_the_whole_site(self) -> None:
        some_bot("stan")
        with pytest.raises(NameTaken):
            create_bot(somebody("bob"), "stan", "Stan", NOW)

    def test_bots_are_limited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        limit(monkeypatch, bots=1)
        bot = some_bot()
        with pytest.raises(LimitReached, match="no more than 1 bot"):
            create_bot(bot.owner, "second", "Second", NOW)
        some_bot("olga")

    def test_submissions_are_limited_by_the_hour(self, monkeypatch: pytest.MonkeyPatch) -> None:
        limit(monkeypatch, submissions_per_hour=2)
        bot = some_bot()
        for data in [b"1", b"2"]:
            upload(bot, data, UPLOADED, NOW)
        with pytest.raises(LimitReached):
            upload(bot, b"3", UPLOADED, NOW + timedelta(minutes=59))
        assert not archive_store().has(
            "4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce"
        )
        upload(bot, b"3", UPLOADED, NOW + timedelta(hours=1))

    def test_storage_is_limited_and_shared_archives_count_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        limit(monkeypatch, storage_mb=1)
        bot = some_bot()
        other = create_bot(bot.owner, "other", "Other", NOW)
        upload(bot, b"1" * 600_000, UPLOADED, NOW)
        upload(other, b"2" * 100_000, UPLOADED, NOW)
        upload(bot, b"2" * 100_000, UPLOADED, NOW)
        assert storage_of(bot.owner) == 700_000
        with pytest.raises(LimitReached, match="1 MB"):
            upload(bot, b"3" * 300_001, UPLOADED, NOW)
        upload(bot, b"3" * 300_000, UPLOADED, NOW)

    def test_versions_never_change(self) -> None:
        version = upload(some_bot(), b"a bot", UPLOADED, NOW)
        version.note = "better"
        with pytest.raises(Frozen):
            version.save()
        with pytest.raises(Frozen, match="content and note"):
            Version.objects.filter(pk=version.pk).update(note="better", content="0" * 64)
        with pytest.raises(Frozen):
            Version.objects.bulk_update([version], ["note"])


@pytest.mark.usefixtures("committed")
def test_limits_hold_for_concurrent_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, submissions_per_hour=3)
    bot_id = some_bot().pk

    def submit(number: int) -> bool:
        try:
            bot = Bot.objects.select_related("owner").get(pk=bot_id)
            upload(bot, b"%d" % number, UPLOADED, NOW)
        except BotError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(submit, range(12))) == 3
    assert sorted(Version.objects.values_list("number", flat=True)) == [1, 2, 3]

"""Dumps: complete, incremental, resumable, and without anything that is not public."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from damrak_ladder.account_data.deletion import delete_account
from damrak_ladder.accounts.models import FORMER_AUTHOR, User
from damrak_ladder.bots.models import Bot
from damrak_ladder.command_line import main
from damrak_ladder.installation.environment import Dumping
from damrak_ladder.matches.models import Block, Ladder, Match
from damrak_ladder.open_data.errors import DumpError
from ladder.flow import some_host
from ladder.open_data.comparison import by_id, compare, expected_matches, public_now
from ladder.open_data.dumps import content, dumped, everything, index_of, rows_of
from ladder.sites import fill, play
from ladder.tournaments import cups

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)


class Died(BaseException):
    """The process has been killed."""


@contextmanager
def killed(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[None]:
    """Kill the process before an operation on a file; nothing is tidied up after that."""
    left = after
    dead = False

    def counted(original: Any) -> Any:
        def operation(*arguments: Any, **options: Any) -> Any:
            nonlocal left, dead
            if not dead and left == 0:
                dead = True
            if dead:
                raise Died
            left -= 1
            return original(*arguments, **options)

        return operation

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", counted(os.fsync))
        patch.setattr(Path, "replace", counted(Path.replace))
        patch.setattr(Path, "unlink", counted(Path.unlink))
        yield


@pytest.mark.usefixtures("committed")
def test_a_dump_has_every_public_row_of_the_database_and_no_other(tmp_path: Path) -> None:
    fill(NOW, blocks=12, replays=2)
    Ladder.objects.update(is_open=False)
    tournament, user = cups.started(4, reveal="hidden")
    some_host(workers=16)
    cups.play(tournament)
    hidden = set(Block.objects.filter(purpose="tournament").values_list("pk", flat=True))
    assert len(hidden) == 6
    dumped(tmp_path)
    assert compare(tmp_path, hidden) >= 4
    assert {"practice", "amsterdam"} <= {row["name"] for row in rows_of(tmp_path, "boards")}
    assert everything(tmp_path) == content(tmp_path).keys()

    cups.act(tournament, user, "release", {"round": 1, "level": "public"})
    released = set(public_now())
    assert released & hidden
    done = dumped(tmp_path)
    assert {it.date().isoformat() for it in _ends(released & hidden)} <= set(done.written)
    assert by_id(rows_of(tmp_path, "matches")) == expected_matches(hidden - released)
    cups.act(tournament, user, "release", {"round": 1, "level": "hidden"})
    dumped(tmp_path)
    assert by_id(rows_of(tmp_path, "matches")) == expected_matches(hidden)


def _ends(blocks: set[int]) -> list[datetime]:
    ends = Block.objects.filter(pk__in=blocks).values_list("finished", flat=True)
    return [end for end in ends if end is not None]


@pytest.mark.usefixtures("committed")
def test_a_killed_dump_lists_only_complete_files_and_the_next_run_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(NOW, blocks=2, replays=2)
    whole = tmp_path / "whole"
    dumped(whole, NOW)
    after = deaths = 0
    while True:
        folder = tmp_path / str(after)
        try:
            with killed(monkeypatch, after):
                dumped(folder, NOW)
        except Died:
            deaths += 1
        else:
            break
        if (folder / "index.json").exists():
            index_of(folder)  # checks every listed file
        dumped(folder, NOW)
        assert content(folder) == content(whole)
        assert everything(folder) == everything(whole)
        after += 11
    assert deaths > 3


@pytest.mark.usefixtures("committed")
def test_only_changed_days_are_written_and_a_deleted_account_is_in_no_file(tmp_path: Path) -> None:
    fill(NOW, blocks=9, replays=9)
    dumped(tmp_path, NOW)
    before = content(tmp_path)
    again = dumped(tmp_path, NOW)
    assert again.written == ()
    assert content(tmp_path) == before

    ada = User.objects.get(username="ada")
    matches = Match.objects.filter(seats__version__bot__owner=ada)
    days = {end.date() for end in _ends(set(matches.values_list("block", flat=True)))}
    delete_account(ada, NOW)
    done = dumped(tmp_path, NOW)
    assert done.written == tuple(sorted(day.isoformat() for day in days))
    assert 0 < len(done.written) < len(done.index.days)
    for path in everything(tmp_path):
        if path.endswith(".gz"):
            assert '"ada"' not in gzip.decompress((tmp_path / path).read_bytes()).decode()
    former = {bot.slug for bot in Bot.objects.filter(owner__username=FORMER_AUTHOR)}
    replays = {row["match"]: json.loads(row["replay"]) for row in rows_of(tmp_path, "replays")}
    for row in rows_of(tmp_path, "matches"):
        for seat, player in zip(row["seats"], replays[row["id"]]["seats"], strict=True):
            is_former = seat["bot"] in former
            assert (seat["owner"] == FORMER_AUTHOR) == is_former
            assert (player["owner"] == FORMER_AUTHOR) == is_former


@pytest.mark.usefixtures("committed")
def test_retention_single_days_and_lost_replays(tmp_path: Path) -> None:
    fill(NOW, blocks=4, replays=1)
    days = [it.day for it in dumped(tmp_path / "all", NOW).index.days]
    only = datetime.fromisoformat(days[1]).date()
    done = dumped(tmp_path / "one", NOW, only=only)
    assert [it.day for it in done.index.days] == [days[1]] == [*done.written]
    assert done.index.days[0].lost > 0  # made-up results have no replay
    assert dumped(tmp_path / "one", NOW, only=only).written == (days[1],)
    kept = Dumping(tmp_path, 5, "CC-BY-4.0")
    with override_settings(DAMRAK_DUMP=kept):
        done = dumped(tmp_path / "all", NOW)
    oldest = (NOW - timedelta(days=5)).date().isoformat()
    assert [it.day for it in done.index.days] == [day for day in days if day >= oldest]
    assert done.removed == tuple(day for day in days if day < oldest) != ()
    assert everything(tmp_path / "all") == content(tmp_path / "all").keys()
    assert index_of(tmp_path / "all")["licence"]["spdx"] == "CC-BY-4.0"


@pytest.mark.usefixtures("committed")
def test_a_day_is_written_again_if_a_file_is_missing_or_more_is_played(tmp_path: Path) -> None:
    fill(NOW, blocks=2, replays=2)
    first = dumped(tmp_path, NOW)
    (tmp_path / first.index.files[-1].path).unlink()
    (tmp_path / first.index.of_day(NOW.date() - timedelta(days=4))[0].path).write_bytes(b"")
    done = dumped(tmp_path, NOW)
    assert done.written == ("2026-11-14",)
    assert content(tmp_path) == {it.path: it.sha256 for it in first.index.files}
    play(NOW, 2)
    assert len(dumped(tmp_path, NOW).written) == 2


@pytest.mark.usefixtures("database")
def test_another_folder_or_day_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in ("{}", '{"format": "damrak-dump/1"}', "[", '{"format": "x", "files": [3]}'):
        (tmp_path / "index.json").write_text(text)
        with pytest.raises(DumpError, match=r"is not the index of a dump .*another folder"):
            dumped(tmp_path)
        assert (tmp_path / "index.json").read_text() == text
    assert main(["dump", "--day", "tomorrow"]) == 2
    assert "'tomorrow' is not a day such as 2026-11-18" in capsys.readouterr().err
    assert main(["dump", "--day", "2999-01-01"]) == 2
    assert "has not begun" in capsys.readouterr().err

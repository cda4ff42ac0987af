"""An installation as one file: complete, verified, and portable between both databases."""

from __future__ import annotations

import io
import shutil
import tarfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard
from django.conf import settings
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from damrak_ladder.accounts.models import User
from damrak_ladder.backup import restore as restore_module
from damrak_ladder.backup.container import CHECKSUMS, members, verified, written
from damrak_ladder.backup.errors import BackupDamaged, BackupForeign, NotEmpty
from damrak_ladder.backup.restore import restore
from damrak_ladder.backup.save import save
from damrak_ladder.backup.tables import all_models
from damrak_ladder.bots.archives import archive_store
from damrak_ladder.bots.models import Bot
from damrak_ladder.commands.backup import warn_of_another_key
from damrak_ladder.installation.restore_marker import unfinished_restore
from damrak_ladder.management import prepare
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.models import Block, Host, SeatResult
from damrak_ladder.matches.record import record
from damrak_ladder.replays.models import StoredReplay
from damrak_ladder.replays.signatures import PlatformKey
from damrak_ladder.replays.stores import replay_store
from ladder.buckets import ObjectServer
from ladder.databases import empty
from ladder.people import NOW, somebody
from ladder.tables import PATIENCE, report_of, some_block

Open = Callable[[str], dict[str, str]]


def quiet(_: str) -> None:
    """Ignore progress."""


def fill() -> str:
    """Create rows of many kinds and an archive; return its name."""
    block = some_block()
    running = start(block.pk, 0, "worker", NOW, PATIENCE)
    assert running is not None
    record(report_of(running, 1), NOW)
    user = somebody("zoë")
    user.last_login = NOW.replace(microsecond=123457)
    user.save()
    StoredReplay.objects.create(hash="ab" * 32, data=bytes(range(256)))
    return archive_store().put(b"an archive")


def tables_in(path: Path) -> dict[str, bytes]:
    """Return rows and files of a backup, by member."""
    return {
        name: data for name, data in members(path) if name.startswith(("tables/", "arch", "rep"))
    }


def test_restored_rows_and_files_are_the_same(committed: dict[str, str], tmp_path: Path) -> None:
    archive = fill()
    first, second = tmp_path / "first", tmp_path / "second"
    saved = save(first, NOW, quiet)
    assert saved.rows_of["matches.block"] == 1
    before = {model: model._base_manager.count() for model in all_models().values()}
    empty()
    shutil.rmtree(Path(settings.DAMRAK_HOME) / "archives")
    restore(first, quiet)
    assert {model: model._base_manager.count() for model in all_models().values()} == before
    assert archive_store().get(archive) == b"an archive"
    save(second, NOW, quiet)
    assert tables_in(second) == tables_in(first)
    assert SeatResult.objects.count() == 4


def test_restore_with_another_key_warns(
    committed: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(tmp_path / "file", NOW, quiet)
    key = (Path(settings.DAMRAK_HOME) / "replay-key").read_bytes()
    empty()
    restore(tmp_path / "file", quiet)
    for chosen in (None, key):
        with override_settings(DAMRAK_REPLAY_KEY=chosen):
            warn_of_another_key()
    public = PlatformKey.of_bytes(key).public
    with override_settings(DAMRAK_REPLAY_KEY=bytes(32), DAMRAK_EARLIER_REPLAY_KEYS=(public,)):
        warn_of_another_key()
    assert capsys.readouterr().err == ""
    with override_settings(DAMRAK_REPLAY_KEY=bytes(32)):
        warn_of_another_key()
    assert capsys.readouterr().err.startswith("DAMRAK_LADDER_REPLAY_KEY is not the key")


def test_new_rows_come_after_restored_ones(committed: dict[str, str], tmp_path: Path) -> None:
    fill()
    save(tmp_path / "file", NOW, quiet)
    latest = User.objects.order_by("pk").last()
    empty()
    restore(tmp_path / "file", quiet)
    assert latest is not None
    assert somebody("yves").pk > latest.pk


@pytest.mark.parametrize(("source", "target"), [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_backup_moves_to_the_other_database(
    source: str,
    target: str,
    request: pytest.FixtureRequest,
    django_db_blocker: Any,
    tmp_path: Path,
) -> None:
    open_database: Open = request.getfixturevalue("_open_database")
    with django_db_blocker.unblock():
        open_database(source)
        try:
            fill()
            save(tmp_path / "one", NOW, quiet)
        finally:
            empty()
        open_database(target)
        try:
            assert connection.vendor == target
            restore(tmp_path / "one", quiet)
            save(tmp_path / "other", NOW, quiet)
        finally:
            empty()
    assert tables_in(tmp_path / "one") == tables_in(tmp_path / "other")


def test_existing_files_are_not_overwritten(committed: dict[str, str], tmp_path: Path) -> None:
    fill()
    save(tmp_path / "file", NOW, quiet)
    with pytest.raises(NotEmpty, match="--force"):
        save(tmp_path / "file", NOW, quiet)
    with pytest.raises(NotEmpty, match="--force"):
        restore(tmp_path / "file", quiet)
    Bot.objects.filter(slug="bot-0").update(name="changed since")
    restore(tmp_path / "file", quiet, replace=True)
    assert Bot.objects.get(slug="bot-0").name == "Bot-0"


def test_damage_anywhere_is_found_before_anything_changes(
    committed: dict[str, str], tmp_path: Path
) -> None:
    fill()
    file = tmp_path / "file"
    save(file, NOW, quiet)
    data = file.read_bytes()
    damaged = [data[:-40], data[: len(data) // 2], b"", b"nonsense", data[:2000] + data[2100:]]
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    for content in [*damaged, bytes(flipped)]:
        file.write_bytes(content)
        with pytest.raises((BackupDamaged, BackupForeign)):
            restore(file, quiet, replace=True)
    assert Block.objects.count() == 1
    assert unfinished_restore(Path(settings.DAMRAK_HOME)) is None


def repacked(path: Path, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> Path:
    """Return a copy of a backup with changed members."""
    changed = path.with_name("changed")
    with (
        changed.open("wb") as file,
        zstandard.ZstdCompressor().stream_writer(file) as stream,
        tarfile.open(fileobj=stream, mode="w|") as tar,
    ):
        for name, data in members(path):
            if (made := change(name, data)) is not None:
                member = tarfile.TarInfo(made[0])
                member.size = len(made[1])
                tar.addfile(member, io.BytesIO(made[1]))
    return changed


def test_tampered_members_are_found(committed: dict[str, str], tmp_path: Path) -> None:
    fill()
    file = tmp_path / "file"
    save(file, NOW, quiet)

    def renamed(name: str, data: bytes) -> tuple[str, bytes]:
        return name, data.replace(b"zo", b"mo") if "accounts.user/" in name else data

    with pytest.raises(BackupDamaged, match=r"accounts\.user"):
        verified(repacked(file, renamed))
    with pytest.raises(BackupDamaged):
        verified(repacked(file, lambda name, data: None if "bots.bot/" in name else (name, data)))
    with pytest.raises(BackupForeign, match="in no backup"):
        verified(repacked(file, lambda name, data: (f"../{name}", data)))


HOSTILE: dict[str, Callable[[str, bytes], tuple[str, bytes]]] = {
    "sums are no JSON": lambda name, data: (name, b"{" if name == "checksums.json" else data),
    "sums are a list": lambda name, data: (name, b"[]" if name == "checksums.json" else data),
    "header is deep": lambda name, data: (name, b"[" * 99999 if name[0] == "d" else data),
    "header lacks tables": lambda name, data: (name, data.replace(b'"tables"', b'"chairs"')),
    "header lacks time": lambda name, data: (name, data.replace(b'"created"', b'"treated"')),
}


@pytest.mark.parametrize("change", HOSTILE)
def test_claims_of_a_file_about_itself_are_ignored(
    committed: dict[str, str], tmp_path: Path, change: str
) -> None:
    save(tmp_path / "file", NOW, quiet)
    with pytest.raises((BackupDamaged, BackupForeign)):
        verified(repacked(tmp_path / "file", HOSTILE[change]))


def truthful(path: Path, more: dict[str, bytes]) -> Path:
    """Return a copy of a backup with additional members and correct checksums."""
    changed = path.with_name("truthful")
    with written(changed) as writer:
        for name, data in members(path):
            if name != CHECKSUMS:
                writer.add(name, data)
        for name, data in more.items():
            writer.add(name, data)
    return changed


@pytest.mark.parametrize("member", ["keys/local-token", "tables/some.thing/000000", "replays/ab/c"])
def test_whole_file_with_what_is_in_no_backup_is_refused(
    committed: dict[str, str], tmp_path: Path, member: str
) -> None:
    fill()
    save(tmp_path / "file", NOW, quiet)
    with pytest.raises((BackupDamaged, ValueError)):
        restore(truthful(tmp_path / "file", {member: b"[]"}), quiet, replace=True)
    assert Block.objects.count() == 1
    assert not (Path(settings.DAMRAK_HOME) / "local-token").exists()
    restore(tmp_path / "file", quiet, replace=True)


def test_header_that_would_fill_the_memory_is_not_read(tmp_path: Path) -> None:
    huge = tarfile.TarInfo("damrak-backup.json")
    huge.type = tarfile.XHDTYPE
    huge.size = 1 << 40
    file = tmp_path / "file"
    file.write_bytes(zstandard.compress(huge.tobuf()))
    with pytest.raises(BackupForeign, match="in no backup"):
        verified(file)


def test_good_archive_is_not_replaced_by_a_bad_one(
    committed: dict[str, str], tmp_path: Path
) -> None:
    content = fill()
    store = archive_store().store
    store.put(content, b"bad", replace=True)
    save(tmp_path / "bad", NOW, quiet)
    store.put(content, b"an archive", replace=True)
    save(tmp_path / "good", NOW, quiet)
    restore(tmp_path / "bad", quiet, replace=True)
    assert archive_store().get(content) == b"an archive"
    store.put(content, b"bad", replace=True)
    restore(tmp_path / "good", quiet, replace=True)
    assert archive_store().get(content) == b"an archive"


def test_nothing_is_replaced_during_a_game(
    committed: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restore_module, "_ALIVE", timedelta(hours=1))
    fill()
    save(tmp_path / "file", NOW, quiet)
    now = timezone.now()
    Host.objects.create(name="attic", first_seen=now, last_seen=now)
    with pytest.raises(NotEmpty, match="attic"):
        restore(tmp_path / "file", quiet, replace=True)


@pytest.mark.process
def test_backup_moves_between_stores(
    committed: dict[str, str],
    object_server: ObjectServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = fill()
    save(tmp_path / "file", NOW, quiet)
    bucket = object_server.bucket(f"moved-{connection.vendor}")
    for name, value in {"BUCKET": bucket, "ARCHIVE_STORE": "s3", "REPLAY_STORE": "s3"}.items():
        monkeypatch.setattr(settings, f"DAMRAK_{name}", value)
    empty()
    saved = restore(tmp_path / "file", quiet)
    assert saved.files >= 2
    assert archive_store().get(content) == b"an archive"
    assert replay_store().get("ab" * 32) == bytes(range(256))
    assert not StoredReplay.objects.exists()
    save(tmp_path / "again", NOW, quiet)
    assert tables_in(tmp_path / "again") == tables_in(tmp_path / "file")


def test_backup_of_other_tables_is_refused(committed: dict[str, str], tmp_path: Path) -> None:
    fill()
    file = tmp_path / "file"
    save(file, NOW, quiet)

    def of_the_future(name: str, data: bytes) -> tuple[str, bytes]:
        return name, data.replace(b'"last_login"', b'"last_visit"') if name[0] == "d" else data

    changed = repacked(file, of_the_future)
    with pytest.raises((BackupForeign, BackupDamaged)):
        restore(changed, quiet, replace=True)


def test_interrupted_restore_lets_nothing_start(
    committed: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill()
    save(tmp_path / "file", NOW, quiet)
    home = Path(settings.DAMRAK_HOME)
    rows = Block.objects.count()

    def die(line: str) -> None:
        if line.startswith("matches.block"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore(tmp_path / "file", die, replace=True)
    assert Block.objects.count() == rows  # the rows are unchanged
    monkeypatch.setenv("DAMRAK_HOME", str(home))
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "damrak_ladder.settings")  # as `prepare` does
    with pytest.raises(SystemExit):
        prepare()
    restore(tmp_path / "file", quiet)
    prepare()


def test_file_is_for_its_owner_only(committed: dict[str, str], tmp_path: Path) -> None:
    fill()
    save(tmp_path / "file", NOW, quiet)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]

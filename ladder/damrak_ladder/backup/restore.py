"""Restoring a backup: it is verified first, then restored completely or not at all."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from damrak_ladder.accounts.models import User
from damrak_ladder.backup.container import members, verified
from damrak_ladder.backup.errors import BackupDamaged, BackupForeign, NotEmpty
from damrak_ladder.backup.save import KEYS, Saved, Tell, migrations
from damrak_ladder.backup.shelves import shelves
from damrak_ladder.backup.tables import (
    all_models,
    columns_of,
    empty_all,
    insert,
    rows_of,
    set_sequences,
)
from damrak_ladder.installation.files import write_whole
from damrak_ladder.installation.restore_marker import begin_restore, end_restore, unfinished_restore
from damrak_ladder.matches.models import Host

_ALIVE: Final = timedelta(seconds=30)


def restore(path: Path, tell: Tell, *, replace: bool = False) -> Saved:
    """Replace this installation with the content of the backup.

    Nothing is changed before the whole file has been verified. The rows are replaced in one
    transaction. An interrupted restore can be repeated, and nothing else starts before that.

    Raises:
        BackupForeign, BackupDamaged, NotEmpty
        StoreUnreachable
    """
    header = verified(path)
    tell(f"{path}: whole, made {header['created']} by version {header['software']}")
    _check_tables(path, header)
    home = Path(settings.DAMRAK_HOME)
    if not replace and unfinished_restore(home) is None:
        _check_empty()
    _check_nobody_plays()
    begin_restore(home, path)
    files = _put_contents(path)
    keys: dict[str, bytes] = {}
    with transaction.atomic():
        empty_all()
        rows = _put_rows(path, keys, tell)
        connection.check_constraints()
        set_sequences()
    for name, data in keys.items():
        write_whole(home / name, data)
    end_restore(home)
    return Saved(rows, files, path.stat().st_size)


def _check_tables(path: Path, header: dict[str, Any]) -> None:
    ours = {name: columns_of(model) for name, model in all_models().items()}
    if header["tables"] != ours or header["migrations"] != migrations():
        raise BackupForeign(
            f"{path}: made by version {header['software']}, whose tables are not those of this "
            "one: restore it with that version, then migrate"
        )


def _check_empty() -> None:
    if (users := User.objects.count()) > 0:
        raise NotEmpty(
            f"there are {users} users here already, and all that is here would be lost "
            "(--force does it)"
        )


def _check_nobody_plays() -> None:
    seen = Host.objects.filter(last_seen__gt=timezone.now() - _ALIVE).values_list("name", flat=True)
    if seen:
        names = ", ".join(seen)
        seconds = _ALIVE.seconds
        raise NotEmpty(f"stop all processes: {names} played less than {seconds} s ago")


def _put_contents(path: Path) -> int:
    """Store all contents and return their number; extra ones are harmless, being named by hash."""
    count = 0
    parts = shelves()
    for member, data in members(path):
        shelf = parts.get(member.partition("/")[0])
        if shelf is not None:
            shelf.put(member, data)
            count += 1
    return count


def _put_rows(path: Path, keys: dict[str, bytes], tell: Tell) -> dict[str, int]:
    models = all_models()
    rows = dict.fromkeys(models, 0)
    for name, data in members(path):
        kind, _, rest = name.partition("/")
        if kind == "keys" and rest in KEYS:
            keys[rest] = data
        elif kind == "keys":
            raise BackupDamaged(f"{path}: {name} is no key of an installation")
        elif kind == "tables":
            model = models.get(rest.partition("/")[0])
            if model is None:
                raise BackupDamaged(f"{path}: {name} is of no table")
            inserted = insert(rows_of(model, data))
            rows[model._meta.label_lower] += inserted
    for label, model in models.items():
        if model._base_manager.count() != rows[label]:
            raise BackupDamaged(f"{path}: {label}: not as many rows as were written")
        if rows[label]:
            tell(f"{label}: {rows[label]} rows")
    return rows

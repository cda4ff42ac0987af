"""Creation of a backup from the running installation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from damrak_ladder.backup.container import FORMAT, HEADER, written
from damrak_ladder.backup.errors import NotEmpty
from damrak_ladder.backup.shelves import shelves
from damrak_ladder.backup.tables import all_models, columns_of, pieces
from damrak_ladder.database_snapshot import snapshot
from damrak_ladder.replays.signatures import KEY_FILE as REPLAY_KEY_FILE, platform_key

KEYS: Final = ("secret-key", REPLAY_KEY_FILE)

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Saved:
    """The amount of data in a backup."""

    rows_of: dict[str, int]
    files: int
    bytes: int


def save(path: Path, now: datetime, tell: Tell, *, replace: bool = False) -> Saved:
    """Write all data of this installation to one file; it may keep running.

    Raises:
        NotEmpty: there is a file of that name.
        StoreError: a store is not available, or has content that was changed.
    """
    if path.exists() and not replace:
        raise NotEmpty(f"{path}: exists already (--force replaces it)")
    models = all_models()
    with written(path) as writer:
        rows: dict[str, int] = {}
        with snapshot():
            header = {
                "format": FORMAT,
                "software": _software(),
                "created": now.isoformat(),
                "database": connection.vendor,
                "migrations": migrations(),
                "tables": {name: columns_of(model) for name, model in models.items()},
            }
            writer.add_json(HEADER, header)
            for name, data in _keys():
                writer.add(f"keys/{name}", data)
            for name, model in models.items():
                rows[name] = 0
                for number, piece in enumerate(pieces(model)):
                    writer.add(f"tables/{name}/{number:06}", piece)
                    rows[name] += piece.count(b"\n")
                if rows[name]:
                    tell(f"{name}: {rows[name]} rows")
        # After the rows: a content is always stored before the row that refers to it.
        files = 0
        for shelf in shelves().values():
            for name in shelf.store.names():
                content = shelf.store.get(name)
                if content is not None:
                    writer.add(shelf.member(name), content)
                    files += 1
    return Saved(rows, files, path.stat().st_size)


def migrations() -> list[str]:
    """Return the applied migrations, without those that only replace several others.

    Replacements do not change the tables, so backups of before and after are compatible.
    """
    applied = MigrationRecorder(connection).applied_migrations()
    replacements = MigrationLoader(connection).replacements
    return sorted(f"{app}.{name}" for app, name in applied if (app, name) not in replacements)


def _keys() -> Iterator[tuple[str, bytes]]:
    """Yield the keys in use, from any source."""
    yield "secret-key", settings.SECRET_KEY.encode()
    yield REPLAY_KEY_FILE, platform_key().private.private_bytes_raw()


def _software() -> str:
    try:
        return version("damrak")
    except PackageNotFoundError:
        return "unknown"

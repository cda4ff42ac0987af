"""Switching Django between databases within one process, and their tables.

Migrating an empty database takes seconds of processor time, so its result is cached in `build/` for
all processes of this and later runs.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import django
import psycopg
from django.apps import apps
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from ladder.postgres import PACKAGE
from ladder.snapshots import Snapshot, all_rows, return_to

CACHE: Final = Path(__file__).resolve().parents[2] / "build" / "tables"


def use_database(configured: dict[str, Any]) -> None:
    """Point the default connection to this database."""
    connections["default"].close()
    del connections["default"]
    connections.settings["default"] = connections.configure_settings({"default": configured})[
        "default"
    ]


def migrate() -> None:
    """Run all migrations that have not been applied."""
    call_command("migrate", verbosity=0, interactive=False)


_initial: dict[str, Snapshot] = {}


def create_tables() -> None:
    """Create the tables in an empty database, or bring existing ones up to date."""
    _create_tables()
    _initial[_address()] = all_rows()


def empty() -> None:
    """Remove all rows but those of new tables."""
    return_to(_initial[_address()])


def _address() -> str:
    return str(connection.settings_dict["HOST"]) + str(connection.settings_dict["NAME"])


def _create_tables() -> None:
    if connection.introspection.table_names():
        migrate()
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    cached = CACHE / f"{_digest()}.{connection.vendor}"
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not cached.exists():
            migrate()
            new = cached.with_suffix(".new")
            _save(new)
            new.rename(cached)
            return
    _load(cached)


def _digest() -> str:
    """Return a digest of all migrations."""
    folders = [Path(app.path) / "migrations" for app in apps.get_app_configs()]
    sources = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    versions = f"{django.__version__} {PACKAGE}".encode()
    return sha256(versions + b"".join(path.read_bytes() for path in sources)).hexdigest()


def _save(path: Path) -> None:
    settings = connection.settings_dict
    connection.close()
    if connection.vendor == "sqlite":
        # The last connection to close has written everything into this file.
        shutil.copyfile(settings["NAME"], path)
        return
    server = ["-h", settings["HOST"], "-U", settings["USER"], "-d", settings["NAME"]]
    dump = [PACKAGE / "pginstall" / "bin" / "pg_dump", "--inserts", *server]
    found = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
    # Lines with a backslash are commands of psql.
    path.write_text("".join(line for line in found.splitlines(True) if line[0] != "\\"))


def _load(path: Path) -> None:
    settings = connection.settings_dict
    connection.close()
    if connection.vendor == "sqlite":
        shutil.copyfile(path, settings["NAME"])
        return
    with psycopg.connect(
        host=settings["HOST"], user=settings["USER"], dbname=settings["NAME"]
    ) as server:
        server.execute(path.read_text())  # type: ignore[arg-type]


@contextmanager
def separate_database(folder: Path) -> Iterator[None]:
    """Switch to an empty database on the same server, or in this folder."""
    usual = connection.settings_dict
    is_file = connection.vendor == "sqlite"
    name = str(folder / "earlier.sqlite3") if is_file else "earlier"
    if not is_file:
        connection.cursor().execute("CREATE DATABASE earlier")
    use_database(usual | {"NAME": name})
    yield
    use_database(usual)
    if not is_file:
        connection.cursor().execute("DROP DATABASE earlier")


class OriginalMigrations(MigrationLoader):
    """The migrations of an installation from before several were replaced by one."""

    def load_disk(self) -> None:
        """Load all migrations except replacements."""
        super().load_disk()
        loaded = self.disk_migrations.items()
        self.disk_migrations = {key: found for key, found in loaded if not found.replaces}


def original_executor() -> MigrationExecutor:
    """Turn the database into one from before the replacements, and return its executor."""
    executor = MigrationExecutor(connection)
    for app, name in executor.loader.replacements:
        executor.recorder.record_unapplied(app, name)
    executor.loader = OriginalMigrations(connection)
    return executor

"""Databases and progress messages of the benchmarks."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

import damrak_ladder
from damrak_ladder.usage_errors import Misuse

DATA: Final = Path("build") / "bench"
_told = [""]


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Turn SIGTERM into an orderly exit that first stops all started processes."""

    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # shutting down already
        raise SystemExit(128 + signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def small_database(is_postgresql: bool) -> Iterator[str | None]:
    """Yield the URL of an empty PostgreSQL database, or None for SQLite."""
    if not is_postgresql:
        yield None
        return
    from damrak_ladder.benchmark.postgres import LARGE, Postgres

    with tempfile.TemporaryDirectory(prefix="damrak-bench-") as folder:
        Path(folder).chmod(0o755)  # the server may have to run as another user
        with Postgres(Path(folder) / "postgresql", LARGE) as server:
            yield server.url


@contextmanager
def large_database(bots: int, matches: int) -> Iterator[None]:
    """Set up Django on a database of this size."""
    from damrak_ladder.management import load

    if "DATABASE_URL" in os.environ:
        load()
        from damrak_ladder.population.population import is_made_up

        if not is_made_up():
            raise Misuse("DATABASE_URL: what is there was not made by damrak-ladder populate")
        yield
        return
    from damrak_ladder.benchmark.postgres import LARGE, Postgres

    folder = (DATA / f"{bots}-{matches}").resolve()
    filled, tables = folder / "filled", _tables()
    if filled.exists() and filled.read_text("ascii") != tables:
        shutil.rmtree(folder)  # the cached database has other tables than this software
    with Postgres(folder / "postgresql", LARGE) as server:
        os.environ |= {"DATABASE_URL": server.url, "DAMRAK_HOME": str(folder / "home")}
        load()
        from django.core.management import call_command
        from django.db import connection
        from django.utils import timezone

        from damrak_ladder.population.population import Size, erase, is_empty, populate

        try:
            call_command("migrate", verbosity=0, interactive=False)
            if not filled.exists():
                if not is_empty():
                    erase()
                tell("filling a database; this is done once")
                populate(Size(bots, matches), timezone.now(), lambda what, _: tell(what))
                filled.write_text(tables, "ascii")
            yield
        finally:
            connection.close()


def _tables() -> str:
    """Return a digest of all that the tables of this software depend on."""
    sources = Path(damrak_ladder.__file__).parent.glob("*/migrations/*.py")
    return sha256(b"".join(source.read_bytes() for source in sorted(sources))).hexdigest()


def tell(what: str) -> None:
    """Show progress: one line on a terminal, a line for each step in files."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{what} …\r")
    elif what != _told[0]:
        sys.stderr.write(f"{what} …\n")
    _told[0] = what
    sys.stderr.flush()


@contextmanager
def migrated(database: str | None) -> Iterator[None]:
    """Set up Django with an empty database in a temporary data folder."""
    with tempfile.TemporaryDirectory(prefix="damrak-bench-") as folder:
        os.environ["DAMRAK_HOME"] = folder
        if database is not None:
            os.environ["DATABASE_URL"] = database
        from damrak_ladder.management import load

        load()
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", verbosity=0, interactive=False)
        try:
            yield
        finally:
            connection.close()

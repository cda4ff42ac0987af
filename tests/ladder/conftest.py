"""Django for the tests in this folder only, each of them on SQLite and on PostgreSQL.

Each test starts with empty tables. Most run in a transaction that is rolled back; tests with other
processes that read the database use `committed`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import django
import pytest
from django.conf import settings
from django.db import connection, transaction

from damrak_ladder.installation.databases import database_of
from damrak_ladder.installation.environment import read_environment
from damrak_ladder.management import prepare
from ladder.buckets import ObjectServer, running_object_server
from ladder.databases import create_tables, empty, use_database
from ladder.postgres import running_server

QUICK_HASHER = "django.contrib.auth.hashers.MD5PasswordHasher"
HOME = Path(tempfile.mkdtemp(prefix="damrak-django-"))

# Sufficient for waiting on other processes, even on a busy machine.
PATIENCE = 600
PATIENT = f"?connect_timeout={PATIENCE}&options=-c%20lock_timeout%3D{PATIENCE}s"


def pytest_configure() -> None:
    """Load Django like an operator's process, without changing the environment."""
    before = dict(os.environ)
    os.environ["DAMRAK_HOME"] = str(HOME)
    try:
        prepare()
        django.setup()
        # The secure hash functions are slow on purpose. Hashes of the site's own can be verified.
        settings.PASSWORD_HASHERS = [QUICK_HASHER, *settings.PASSWORD_HASHERS]
    finally:
        os.environ.clear()
        os.environ.update(before)


def pytest_unconfigure() -> None:
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture(autouse=True)
def _budgets_of_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of budgets, so that no test runs across the end of a period."""
    moment = time.time()
    monkeypatch.setattr("damrak_ladder.accounts.budgets.time", lambda: moment)


@pytest.fixture(autouse=True)
def _programs_take_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the time limits of programs that the site starts."""
    monkeypatch.setattr("damrak_ladder.bots.inspection._SECONDS", PATIENCE)
    monkeypatch.setattr("damrak_ladder.web.replays.films.SECONDS", PATIENCE)


Open = Callable[[str], dict[str, str]]


@pytest.fixture(scope="session")
def _open_database() -> Iterator[Open]:
    """Yield a function that opens a database, creates its tables and returns its variables."""
    opened: dict[str, tuple[dict[str, Any], dict[str, str]]] = {}
    with ExitStack() as servers:

        def open_database(kind: str) -> dict[str, str]:
            is_new = kind not in opened
            if is_new:
                variables = {"DAMRAK_HOME": str(HOME)}
                if kind == "postgresql":
                    variables["DATABASE_URL"] = servers.enter_context(running_server()) + PATIENT
                opened[kind] = database_of(read_environment(variables)), variables
                if kind == "sqlite":
                    opened[kind][0]["OPTIONS"]["timeout"] = PATIENCE
            configured, variables = opened[kind]
            use_database(configured)
            if is_new:
                create_tables()
            return variables

        yield open_database
        connection.close()


@pytest.fixture(scope="session")
def object_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectServer]:
    """Yield an object store, for tests that need a bucket."""
    with running_object_server(tmp_path_factory.mktemp("buckets")) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def committed(
    request: pytest.FixtureRequest, django_db_blocker: Any, _open_database: Open
) -> Iterator[dict[str, str]]:
    """Yield the variables of a database whose changes are visible to other processes."""
    with django_db_blocker.unblock():
        variables = _open_database(request.param)
        yield variables
        empty()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(
    request: pytest.FixtureRequest, django_db_blocker: Any, _open_database: Open
) -> Iterator[None]:
    """Provide a database whose changes are rolled back."""
    with django_db_blocker.unblock():
        _open_database(request.param)
        with transaction.atomic():
            yield
            transaction.set_rollback(True)

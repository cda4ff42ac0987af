"""Django for the tests in this folder, and their shared fixtures: real processes."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django
import pytest
from django.apps import apps
from django.db import connection
from django.test import override_settings

from damrak_ladder.installation.databases import database_of
from damrak_ladder.installation.environment import read_environment
from damrak_ladder.management import prepare
from ladder.databases import create_tables, use_database
from ladder.postgres import running_server
from system.broker import Broker

if TYPE_CHECKING:
    from system.plant import Plant

HOME = Path(tempfile.mkdtemp(prefix="damrak-pipeline-"))


def pytest_configure() -> None:
    """Load Django like an operator's process, unless other tests have done so."""
    if apps.ready:
        return
    before = dict(os.environ)
    os.environ["DAMRAK_HOME"] = str(HOME)
    try:
        prepare()
        django.setup()
    finally:
        os.environ.clear()
        os.environ.update(before)


def pytest_unconfigure() -> None:
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture(scope="session")
def _server() -> Iterator[str]:
    with running_server() as url:
        yield url


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def plant(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[Plant]:
    """Yield a whole platform of processes, on each of the databases."""
    from referee_process import short_folder
    from system.plant import Plant  # requires Django and the engine

    with ExitStack() as stack:
        folder = stack.enter_context(short_folder())
        variables = {"DAMRAK_HOME": str(folder)}
        if request.param == "postgresql":
            variables["DATABASE_URL"] = request.getfixturevalue("_server")
        stack.enter_context(django_db_blocker.unblock())
        use_database(database_of(read_environment(variables)))
        stack.callback(connection.close)
        create_tables()
        stack.enter_context(override_settings(DAMRAK_HOME=folder))
        broker = stack.enter_context(Broker(folder))
        yield stack.enter_context(Plant(folder, broker, variables))

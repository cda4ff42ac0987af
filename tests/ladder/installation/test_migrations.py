"""Migrations that replace several others: installations from before are equal to new ones."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from damrak_ladder.backup.save import migrations
from damrak_ladder.health.parts import WELL, migrations as pending
from ladder.databases import OriginalMigrations

REPLACEMENTS = sorted(MigrationLoader(None).replacements)


def test_replacements_lead_to_the_tables_of_the_migrations_that_they_replace() -> None:
    assert REPLACEMENTS
    new, original = MigrationLoader(None), OriginalMigrations(None)
    assert set(original.graph.nodes) & set(REPLACEMENTS) == set()
    assert new.project_state() == original.project_state()


@pytest.mark.usefixtures("database")
def test_installation_that_applied_the_replaced_migrations_is_up_to_date() -> None:
    applied = migrations()
    recorder = MigrationRecorder(connection)
    for key in REPLACEMENTS:
        assert key in recorder.applied_migrations()
        recorder.record_unapplied(*key)
    assert pending(timezone.now()) == WELL
    assert migrations() == applied  # so that its backups can be restored

"""A block of a pairing refers to its tournament."""

from __future__ import annotations

from typing import Any, ClassVar

import django.db.models.deletion
from django.db import migrations, models


def refer(apps: Any, _: Any) -> None:
    """Set the tournament of all blocks."""
    blocks = apps.get_model("tournaments", "PairingBlock")
    for tournament in apps.get_model("tournaments", "Tournament").objects.order_by("pk"):
        rows = blocks.objects.filter(pairing__round__stage__tournament=tournament)
        rows.update(tournament=tournament)


def _reference(**values: Any) -> Any:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE,
        related_name="+",
        to="tournaments.tournament",
        **values,
    )


class Migration(migrations.Migration):
    """Adds the reference, sets it in all rows, and requires it."""

    dependencies: ClassVar[list[Any]] = [("tournaments", "0004_league_changes")]
    operations: ClassVar[list[Any]] = [
        migrations.AddField("pairingblock", "tournament", _reference(null=True)),
        migrations.RunPython(refer, migrations.RunPython.noop),
        migrations.AlterField("pairingblock", "tournament", _reference()),
    ]

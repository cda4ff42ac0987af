"""The texts of leagues can be changed, with a log."""

from __future__ import annotations

from typing import Any, ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the log of changes, and the serial of the latest one to the league."""

    dependencies: ClassVar[list[Any]] = [
        ("tournaments", "0003_time_ordered_ids"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations: ClassVar[list[Any]] = [
        migrations.AddField("league", "serial", models.PositiveIntegerField(default=0)),
        migrations.CreateModel(
            name="LeagueChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("serial", models.PositiveIntegerField()),
                ("changes", models.JSONField()),
                ("at", models.DateTimeField()),
                (
                    "actor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "league",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="tournaments.league",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint("league", "serial", name="league_change_once")
                ],
            },
        ),
    ]

"""The number of a cancelled season is free for the next season."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Replaces the constraint, which holds for all rows, by one without cancelled seasons."""

    dependencies: ClassVar[list[Any]] = [("tournaments", "0001_tournaments")]
    operations: ClassVar[list[Any]] = [
        migrations.RemoveConstraint("tournament", "season_once"),
        migrations.AddConstraint(
            "tournament",
            models.UniqueConstraint(
                fields=["league", "season"],
                condition=~models.Q(phase="cancelled"),
                name="season_once",
            ),
        ),
    ]

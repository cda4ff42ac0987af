from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add whether a prediction counts."""

    dependencies: ClassVar = [("predictions", "0001_initial")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="prediction",
            name="counts",
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]

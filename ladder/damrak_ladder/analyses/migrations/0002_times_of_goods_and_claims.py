from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the sums of when goods cards were taken and routes claimed."""

    dependencies: ClassVar = [("analyses", "0001_initial")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="versionsources",
            name=name,
            field=models.PositiveIntegerField(db_default=0, default=0),
        )
        for name in ("goods_taken", "goods_when", "claims", "claims_when")
    ]

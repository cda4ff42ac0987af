from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the choice to hide results."""

    dependencies: ClassVar = [("accounts", "0002_idempotency_keys")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="user",
            name="hides_results",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]

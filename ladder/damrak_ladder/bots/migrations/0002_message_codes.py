"""Store reasons and steps of versions as codes with parameters."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

from damrak_ladder.message_codes.model_field import MessageField
from damrak_ladder.message_codes.old_sentences import convert, restore

_COLUMNS = (("version", "reason", "reason"), ("step", "text", "message"))


def _convert(apps: Any, schema_editor: Any) -> None:
    for model, column, _ in _COLUMNS:
        convert(apps.get_model("bots", model), column, f"{column}_message")


def _restore(apps: Any, schema_editor: Any) -> None:
    for model, column, _ in _COLUMNS:
        restore(apps.get_model("bots", model), column, f"{column}_message")


def _add(model: str, column: str) -> migrations.AddField:
    return migrations.AddField(model, f"{column}_message", MessageField())


class Migration(migrations.Migration):
    dependencies = [("bots", "0001_initial")]

    operations = [
        # Only a column that may be blank can be added again, by the reverse migration.
        migrations.AlterField("step", "text", models.CharField(max_length=500, blank=True)),
        *(_add(model, column) for model, column, _ in _COLUMNS),
        migrations.RunPython(_convert, _restore, elidable=True),
        *(migrations.RemoveField(model, column) for model, column, _ in _COLUMNS),
        *(
            migrations.RenameField(model, f"{column}_message", name)
            for model, column, name in _COLUMNS
        ),
    ]

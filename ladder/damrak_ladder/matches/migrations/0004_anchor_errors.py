from typing import Any

from django.db import migrations, models

USUAL_ERROR = 30.0


def state_errors(apps: Any, schema_editor: Any) -> None:
    """Keep one anchor of each ladder fixed, and give the others the usual standard deviation.

    `planner` is 1500 by definition on the ladders of a new platform; elsewhere the strongest
    anchor is kept.
    """
    for ladder in apps.get_model("matches", "Ladder").objects.all():
        anchors = ladder.anchors
        if len(anchors) > 1:
            strongest = max(anchors, key=lambda spec: (anchors[spec], spec))
            fixed = "planner" if "planner" in anchors else strongest
            ladder.anchor_errors = {spec: USUAL_ERROR for spec in anchors if spec != fixed}
            ladder.save(update_fields=["anchor_errors"])


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0003_host_runtime"),
    ]

    operations = [
        migrations.AddField(
            model_name="ladder",
            name="anchor_errors",
            field=models.JSONField(default=dict),
        ),
        migrations.RunPython(state_errors, migrations.RunPython.noop, elidable=True),
    ]

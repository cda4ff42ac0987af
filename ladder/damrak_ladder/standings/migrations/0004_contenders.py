import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0001_initial"),
        ("standings", "0003_order"),
    ]

    operations = [
        migrations.CreateModel(
            name="Contenders",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seats", models.PositiveSmallIntegerField()),
                ("versions", models.JSONField()),
                ("strengths", models.BinaryField()),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="contenders",
                        to="matches.ladder",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "contenders",
                "constraints": [
                    models.UniqueConstraint(
                        models.F("ladder"), models.F("seats"), name="contenders_once"
                    )
                ],
            },
        ),
    ]

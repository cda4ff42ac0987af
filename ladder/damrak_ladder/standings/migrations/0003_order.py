import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("standings", "0002_notable"),
    ]

    operations = [
        migrations.CreateModel(
            name="Order",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seats", models.PositiveSmallIntegerField()),
                ("listed", models.PositiveIntegerField()),
                ("rows", models.BinaryField()),
                (
                    "fit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="orders",
                        to="standings.fit",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(models.F("fit"), models.F("seats"), name="order_once")
                ],
            },
        ),
    ]

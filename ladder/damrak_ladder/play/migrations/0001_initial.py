import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("bots", "0003_alter_version_kind"),
        ("matches", "0007_alter_block_purpose"),
    ]

    operations = [
        migrations.CreateModel(
            name="Game",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=16, unique=True)),
                ("board", models.CharField(max_length=200)),
                ("pace", models.CharField(max_length=12)),
                ("source", models.CharField(blank=True, max_length=64)),
                ("created", models.DateTimeField()),
                ("over", models.DateTimeField(null=True)),
                (
                    "block",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="people_game",
                        to="matches.block",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("source"), condition=models.Q(("over", None)), name="game_source"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Chair",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("is_person", models.BooleanField(default=False)),
                ("key", models.CharField(blank=True, max_length=64)),
                ("has_left", models.BooleanField(default=False)),
                ("attempt", models.PositiveIntegerField(default=0)),
                ("ticket", models.CharField(blank=True, max_length=200)),
                ("heard", models.PositiveIntegerField(default=0)),
                ("asked", models.PositiveBigIntegerField(null=True)),
                ("question", models.PositiveIntegerField(null=True)),
                ("choice", models.PositiveIntegerField(null=True)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.version",
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chairs",
                        to="play.game",
                    ),
                ),
                ("advice", models.PositiveIntegerField(null=True)),
                ("advices", models.PositiveSmallIntegerField(default=0)),
                ("backs", models.JSONField(blank=True, default=dict)),
                ("script", models.JSONField(blank=True, default=dict)),
                ("takes_back", models.BooleanField(default=False)),
                ("wish", models.CharField(blank=True, max_length=12)),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("key"),
                        condition=models.Q(("key", ""), _negated=True),
                        name="chair_key",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("game"), models.F("number"), name="chair_number_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Heard",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempt", models.PositiveIntegerField()),
                ("number", models.PositiveIntegerField()),
                ("data", models.BinaryField()),
                ("at", models.DateTimeField()),
                (
                    "chair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="play.chair",
                    ),
                ),
                ("answer", models.PositiveIntegerField(null=True)),
                ("asks", models.PositiveBigIntegerField(null=True)),
            ],
            options={
                "verbose_name_plural": "heard",
                "constraints": [
                    models.UniqueConstraint(
                        models.F("chair"),
                        models.F("attempt"),
                        models.F("number"),
                        name="message_number_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="OpenBot",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField()),
                (
                    "bot",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="open_to_people",
                        to="bots.bot",
                    ),
                ),
            ],
        ),
    ]

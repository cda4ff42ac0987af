import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("standings", "0001_initial"),
        ("standings", "0002_notable"),
        ("standings", "0003_order"),
        ("standings", "0004_contenders"),
        ("standings", "0005_anchor_checks"),
        ("standings", "0006_line_by_time"),
    ]

    initial = True

    dependencies = [
        ("bots", "0001_initial"),
        ("matches", "0001_initial"),
        ("matches", "0004_anchor_errors"),
    ]

    operations = [
        migrations.CreateModel(
            name="Progress",
            fields=[
                (
                    "ladder",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="progress",
                        serialize=False,
                        to="matches.ladder",
                    ),
                ),
                ("serial", models.PositiveBigIntegerField(default=0)),
                ("blocks", models.PositiveBigIntegerField(default=0)),
                ("withdrawn", models.PositiveBigIntegerField(default=0)),
                ("fit", models.PositiveIntegerField(default=0)),
                ("fitting_until", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name_plural": "progress",
            },
        ),
        migrations.CreateModel(
            name="Counted",
            fields=[
                (
                    "block",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="counted",
                        serialize=False,
                        to="matches.block",
                    ),
                ),
                ("serial", models.PositiveBigIntegerField()),
                ("results", models.BinaryField()),
                ("points", models.BinaryField()),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="counted",
                        to="matches.ladder",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "counted",
                "indexes": [
                    models.Index(models.F("ladder"), models.F("block"), name="counted_of_ladder")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("ladder"), models.F("serial"), name="counted_serial_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Fit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("blocks", models.PositiveBigIntegerField()),
                ("games", models.PositiveBigIntegerField()),
                ("versions", models.PositiveIntegerField()),
                ("last_block", models.PositiveBigIntegerField()),
                ("serial", models.PositiveBigIntegerField()),
                ("withdrawn", models.PositiveBigIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("anchors", models.JSONField()),
                ("middle", models.FloatField()),
                ("turns", models.JSONField()),
                ("effects", models.JSONField()),
                ("seconds", models.FloatField()),
                ("lines", models.PositiveIntegerField()),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="fits",
                        to="matches.ladder",
                    ),
                ),
                ("anchor_errors", models.JSONField(default=dict)),
                ("anchor_checks", models.JSONField(default=list)),
            ],
            options={
                "indexes": [models.Index(models.F("ladder"), models.F("at"), name="fit_of_day")],
                "constraints": [
                    models.UniqueConstraint(models.F("ladder"), models.F("number"), name="fit_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Line",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seats", models.PositiveSmallIntegerField()),
                ("fit", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("elo", models.IntegerField()),
                ("low", models.IntegerField()),
                ("high", models.IntegerField()),
                ("rank", models.PositiveIntegerField(null=True)),
                ("rank_low", models.PositiveIntegerField(null=True)),
                ("rank_high", models.PositiveIntegerField(null=True)),
                ("band", models.PositiveIntegerField(null=True)),
                ("first", models.FloatField(null=True)),
                ("blocks", models.PositiveIntegerField()),
                ("games", models.PositiveIntegerField()),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="lines",
                        to="matches.ladder",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lines",
                        to="bots.version",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("ladder"),
                        models.F("seats"),
                        models.F("version"),
                        models.F("at"),
                        name="line_of_day",
                    ),
                    models.Index(models.F("at"), models.F("id"), name="line_by_time"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("ladder"),
                        models.F("seats"),
                        models.F("version"),
                        models.F("fit"),
                        name="line_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Meeting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("blocks", models.IntegerField(default=0)),
                ("games", models.IntegerField(default=0)),
                ("wins", models.IntegerField(default=0)),
                ("ties", models.IntegerField(default=0)),
                ("halves_squared", models.BigIntegerField(default=0)),
                ("halves_by_most", models.BigIntegerField(default=0)),
                ("most_squared", models.BigIntegerField(default=0)),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="meetings",
                        to="matches.ladder",
                    ),
                ),
                (
                    "opponent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.version",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="meetings",
                        to="bots.version",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(models.F("version"), name="meeting_of_version")],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("ladder"),
                        models.F("version"),
                        models.F("opponent"),
                        name="meeting_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Running",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("elo", models.FloatField()),
                ("error", models.FloatField()),
                ("recent", models.JSONField(default=list)),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="running",
                        to="matches.ladder",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="running",
                        to="bots.version",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "running",
                "constraints": [
                    models.UniqueConstraint(
                        models.F("ladder"), models.F("version"), name="running_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Standing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seats", models.PositiveSmallIntegerField()),
                ("elo", models.IntegerField()),
                ("low", models.IntegerField()),
                ("high", models.IntegerField()),
                ("rank", models.PositiveIntegerField(null=True)),
                ("rank_low", models.PositiveIntegerField(null=True)),
                ("rank_high", models.PositiveIntegerField(null=True)),
                ("band", models.PositiveIntegerField(null=True)),
                ("first", models.FloatField(null=True)),
                ("blocks", models.PositiveIntegerField()),
                ("games", models.PositiveIntegerField()),
                ("told", models.PositiveIntegerField(null=True)),
                ("told_low", models.PositiveIntegerField(null=True)),
                ("told_high", models.PositiveIntegerField(null=True)),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="standings",
                        to="matches.ladder",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="standings",
                        to="bots.version",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("ladder"),
                        models.F("seats"),
                        models.F("rank"),
                        name="standing_by_rank",
                    ),
                    models.Index(models.F("version"), name="standing_of_version"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("ladder"),
                        models.F("seats"),
                        models.F("version"),
                        name="standing_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seats", models.PositiveSmallIntegerField()),
                ("turn", models.PositiveSmallIntegerField()),
                ("games", models.IntegerField(default=0)),
                ("blocks", models.IntegerField(default=0)),
                ("halves", models.IntegerField(default=0)),
                ("first", models.IntegerField(default=0)),
                ("second", models.IntegerField(default=0)),
                ("third", models.IntegerField(default=0)),
                ("fourth", models.IntegerField(default=0)),
                ("points", models.BigIntegerField(default=0)),
                ("faults", models.IntegerField(default=0)),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tallies",
                        to="matches.ladder",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tallies",
                        to="bots.version",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "tallies",
                "indexes": [models.Index(models.F("version"), name="tally_of_version")],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("ladder"),
                        models.F("version"),
                        models.F("seats"),
                        models.F("turn"),
                        name="tally_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Notable",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("upset", "Upset"), ("record", "Record"), ("close", "Close")],
                        max_length=10,
                    ),
                ),
                ("value", models.FloatField()),
                ("at", models.DateTimeField()),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notable",
                        to="matches.ladder",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notable",
                        to="matches.match",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notable",
                        to="bots.version",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "notable",
            },
        ),
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

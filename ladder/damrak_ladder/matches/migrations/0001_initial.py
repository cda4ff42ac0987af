"""Tables, as Django wrote them down."""

# ruff: noqa: RUF012

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("bots", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Block",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("ladder", "Ladder"),
                            ("qualification", "Qualification"),
                            ("canary", "Canary"),
                            ("test", "Test"),
                            ("tournament", "Tournament"),
                        ],
                        max_length=15,
                    ),
                ),
                ("board", models.CharField(max_length=200)),
                ("options", models.JSONField(default=dict)),
                ("control", models.JSONField(default=dict)),
                ("is_mirrored", models.BooleanField()),
                ("seed", models.BinaryField(max_length=32)),
                ("created", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("recorded", "Recorded"),
                            ("dead", "Dead"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("attempt", models.PositiveIntegerField(default=0)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("due", models.DateTimeField()),
                ("lease_until", models.DateTimeField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=100)),
                ("trouble", models.CharField(blank=True, max_length=500)),
                ("finished", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Ladder",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=40, unique=True)),
                ("name", models.CharField(max_length=60)),
                ("boards", models.JSONField()),
                ("shares", models.JSONField()),
                ("options", models.JSONField(default=dict)),
                ("control", models.JSONField(default=dict)),
                ("admits", models.JSONField()),
                ("is_open", models.BooleanField(default=True)),
                ("created", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("owner", models.CharField(max_length=100)),
                ("started", models.DateTimeField()),
                ("ended", models.DateTimeField(null=True)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("recorded", "Recorded"),
                            ("void", "Void"),
                            ("expired", "Expired"),
                        ],
                        max_length=10,
                    ),
                ),
                ("detail", models.CharField(blank=True, max_length=500)),
                (
                    "block",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="matches.block",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="block",
            name="ladder",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="blocks",
                to="matches.ladder",
            ),
        ),
        migrations.CreateModel(
            name="Match",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("replay", models.CharField(blank=True, max_length=64)),
                (
                    "block",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="matches",
                        to="matches.block",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "matches",
            },
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="seats",
                        to="matches.match",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seats",
                        to="bots.version",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Fault",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "owner",
                    models.CharField(
                        choices=[("bot", "Bot"), ("host", "Host"), ("network", "Network")],
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(max_length=40)),
                ("detail", models.CharField(blank=True, max_length=500)),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="faults",
                        to="matches.attempt",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="faults",
                        to="matches.match",
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="faults",
                        to="matches.seat",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SeatResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempt", models.PositiveIntegerField()),
                ("place", models.PositiveSmallIntegerField()),
                ("points", models.IntegerField()),
                ("fault", models.CharField(blank=True, max_length=20)),
                (
                    "seat",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="result",
                        to="matches.seat",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(
                models.F("block"), models.F("number"), name="attempt_number_once"
            ),
        ),
        migrations.AddIndex(
            model_name="block",
            index=models.Index(models.F("state"), models.F("due"), name="block_due"),
        ),
        migrations.AddIndex(
            model_name="block",
            index=models.Index(models.F("state"), models.F("lease_until"), name="block_lease"),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("lease_until__isnull", False), ("state", "running")),
                    models.Q(models.Q(("state", "running"), _negated=True), ("lease_until", None)),
                    _connector="OR",
                ),
                name="block_runs_on_a_lease",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.UniqueConstraint(
                models.F("block"), models.F("number"), name="match_number_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="seat",
            constraint=models.UniqueConstraint(
                models.F("match"), models.F("number"), name="seat_number_once"
            ),
        ),
    ]

import django.db.models.deletion
from django.db import migrations, models

import damrak_ladder.message_codes.model_field


class Migration(migrations.Migration):
    replaces = [
        ("matches", "0001_initial"),
        ("matches", "0002_waits"),
        ("matches", "0003_host_runtime"),
        ("matches", "0004_anchor_errors"),
        ("matches", "0005_ended_blocks"),
        ("matches", "0006_message_codes"),
        ("matches", "0007_alter_block_purpose"),
    ]

    initial = True

    dependencies = [
        ("bots", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Board",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80, unique=True)),
                ("file", models.TextField()),
                ("created", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="FlowClock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("clock", models.FloatField(default=0.0)),
                ("reached", models.JSONField(default=dict)),
                ("games_left", models.FloatField(default=0.0)),
                ("counted", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Host",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True)),
                (
                    "state",
                    models.CharField(
                        choices=[("trusted", "Trusted"), ("quarantined", "Quarantined")],
                        default="trusted",
                        max_length=12,
                    ),
                ),
                ("evidence", models.JSONField(default=dict)),
                ("control", models.CharField(blank=True, max_length=200)),
                ("lobby", models.CharField(blank=True, max_length=200)),
                ("software", models.CharField(blank=True, max_length=60)),
                ("isolation", models.CharField(blank=True, max_length=10)),
                ("capacity", models.PositiveIntegerField(default=0)),
                ("workers", models.PositiveIntegerField(default=0)),
                ("running", models.PositiveIntegerField(default=0)),
                ("waiting", models.JSONField(default=list)),
                ("first_seen", models.DateTimeField()),
                ("last_seen", models.DateTimeField()),
                ("runtime", models.JSONField(blank=True, default=dict)),
                (
                    "reason",
                    damrak_ladder.message_codes.model_field.MessageField(blank=True, null=True),
                ),
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
                ("summary", models.CharField(blank=True, max_length=300)),
                ("boards", models.JSONField()),
                ("shares", models.JSONField()),
                ("options", models.JSONField(default=dict)),
                ("control", models.JSONField(default=dict)),
                ("rotations", models.PositiveSmallIntegerField(default=1)),
                ("admits", models.JSONField()),
                ("house", models.JSONField(default=list)),
                ("anchors", models.JSONField(default=dict)),
                ("weight", models.FloatField(default=1.0)),
                ("enters_all", models.BooleanField(default=True)),
                ("is_open", models.BooleanField(default=True)),
                ("created", models.DateTimeField()),
                ("clock", models.FloatField(default=0.0)),
                ("anchor_errors", models.JSONField(default=dict)),
            ],
        ),
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
                            ("play", "Play"),
                        ],
                        max_length=15,
                    ),
                ),
                ("board", models.CharField(max_length=200)),
                ("options", models.JSONField(default=dict)),
                ("control", models.JSONField(default=dict)),
                ("rotations", models.PositiveSmallIntegerField(default=1)),
                ("is_mirrored", models.BooleanField()),
                ("seed", models.BinaryField(max_length=32)),
                ("flow", models.CharField(max_length=80)),
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
                ("finished", models.DateTimeField(null=True)),
                ("settled", models.DateTimeField(null=True)),
                ("sent", models.DateTimeField(null=True)),
                (
                    "subject",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="trials",
                        to="bots.version",
                    ),
                ),
                (
                    "host",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="blocks",
                        to="matches.host",
                    ),
                ),
                (
                    "ladder",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="blocks",
                        to="matches.ladder",
                    ),
                ),
                (
                    "trouble",
                    damrak_ladder.message_codes.model_field.MessageField(blank=True, null=True),
                ),
            ],
            options={
                "indexes": [
                    models.Index(models.F("state"), models.F("due"), name="block_due"),
                    models.Index(models.F("state"), models.F("lease_until"), name="block_lease"),
                    models.Index(
                        models.F("finished"),
                        condition=models.Q(("settled", None), ("state", "recorded")),
                        name="block_unsettled",
                    ),
                    models.Index(models.F("ladder"), models.F("finished"), name="block_of_ladder"),
                    models.Index(models.F("host"), models.F("finished"), name="block_of_host"),
                    models.Index(
                        models.F("finished"),
                        models.F("id"),
                        condition=models.Q(("state", "recorded")),
                        name="block_ended",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("lease_until__isnull", False), ("state", "running")),
                            models.Q(
                                models.Q(("state", "running"), _negated=True), ("lease_until", None)
                            ),
                            _connector="OR",
                        ),
                        name="block_runs_on_a_lease",
                    )
                ],
            },
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
                            ("withdrawn", "Withdrawn"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "block",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="matches.block",
                    ),
                ),
                (
                    "host",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="matches.host",
                    ),
                ),
                (
                    "detail",
                    damrak_ladder.message_codes.model_field.MessageField(blank=True, null=True),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        models.F("block"), models.F("number"), name="attempt_number_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("entered", models.DateTimeField()),
                ("left", models.DateTimeField(null=True)),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="bots.bot",
                    ),
                ),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="matches.ladder",
                    ),
                ),
                ("since", models.FloatField(null=True)),
                ("waited", models.FloatField(default=0.0)),
            ],
            options={
                "verbose_name_plural": "entries",
                "constraints": [
                    models.UniqueConstraint(models.F("ladder"), models.F("bot"), name="entry_once")
                ],
            },
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
                "constraints": [
                    models.UniqueConstraint(
                        models.F("block"), models.F("number"), name="match_number_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MatchTimings",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("data", models.BinaryField()),
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="timings",
                        to="matches.match",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "match timings",
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
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seats",
                        to="bots.version",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(models.F("version"), models.F("id"), name="seat_latest_of_version")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("match"), models.F("number"), name="seat_number_once"
                    )
                ],
            },
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
                (
                    "version",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="faults",
                        to="bots.version",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("version"), models.F("id"), name="fault_latest_of_version"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SeatLog",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempt", models.PositiveIntegerField()),
                ("name", models.CharField(blank=True, max_length=100)),
                ("output", models.TextField(blank=True)),
                ("rejections", models.JSONField(default=list)),
                ("traceback", models.TextField(blank=True)),
                ("cpu_us", models.PositiveBigIntegerField(default=0)),
                ("memory_bytes", models.PositiveBigIntegerField(default=0)),
                ("ready_us", models.PositiveBigIntegerField(default=0)),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="logs",
                        to="matches.seat",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        models.F("seat"), models.F("attempt"), name="seat_log_once"
                    )
                ],
            },
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
                ("turn", models.PositiveSmallIntegerField()),
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
    ]

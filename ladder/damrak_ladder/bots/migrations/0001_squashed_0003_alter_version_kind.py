import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import damrak_ladder.message_codes.model_field


class Migration(migrations.Migration):
    replaces = [
        ("bots", "0001_initial"),
        ("bots", "0002_message_codes"),
        ("bots", "0003_alter_version_kind"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="StoredArchive",
            fields=[
                ("hash", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("data", models.BinaryField()),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Bot",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "slug",
                    models.CharField(
                        max_length=40,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?\\Z"
                            )
                        ],
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("created", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bots",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("uploaded", "Uploaded"),
                            ("remote", "Remote"),
                            ("house", "House"),
                            ("person", "Person"),
                        ],
                        max_length=10,
                    ),
                ),
                ("content", models.CharField(max_length=64)),
                ("spec", models.CharField(blank=True, max_length=200)),
                ("language", models.CharField(blank=True, max_length=30)),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("note", models.CharField(blank=True, max_length=500)),
                ("goes_live", models.BooleanField(default=True)),
                ("created", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("checking", "Checking"),
                            ("qualifying", "Qualifying"),
                            ("qualified", "Qualified"),
                            ("failed", "Failed"),
                            ("benched", "Benched"),
                        ],
                        default="checking",
                        max_length=12,
                    ),
                ),
                ("evidence", models.JSONField(default=dict)),
                ("changed", models.DateTimeField()),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
                        to="bots.bot",
                    ),
                ),
                (
                    "reason",
                    damrak_ladder.message_codes.model_field.MessageField(blank=True, null=True),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        models.F("bot"), models.F("number"), name="version_number_once"
                    ),
                    models.UniqueConstraint(
                        models.F("bot"), models.F("content"), name="version_content_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Step",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("received", "Received"),
                            ("checked", "Checked"),
                            ("refused", "Refused"),
                            ("queued", "Queued"),
                            ("playing", "Playing"),
                            ("played", "Played"),
                            ("qualified", "Qualified"),
                            ("failed", "Failed"),
                            ("live", "Live"),
                            ("canary", "Canary"),
                            ("benched", "Benched"),
                            ("restored", "Restored"),
                        ],
                        max_length=20,
                    ),
                ),
                ("detail", models.JSONField(default=dict)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="steps",
                        to="bots.version",
                    ),
                ),
                (
                    "message",
                    damrak_ladder.message_codes.model_field.MessageField(blank=True, null=True),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Promotion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="promotions",
                        to="bots.bot",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "after",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.version",
                    ),
                ),
                (
                    "before",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.version",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ConnectToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("hint", models.CharField(max_length=16)),
                ("created", models.DateTimeField()),
                ("revoked", models.DateTimeField(null=True)),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="connect_tokens",
                        to="bots.bot",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        models.F("bot"),
                        condition=models.Q(("revoked", None)),
                        name="connect_token_once",
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="Bot",
            name="live",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="live_in",
                to="bots.version",
            ),
        ),
    ]

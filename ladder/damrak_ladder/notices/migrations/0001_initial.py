"""Tables, as Django wrote them down."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("key", models.CharField(max_length=200)),
                ("subject", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("link", models.CharField(max_length=300)),
                ("is_on_site", models.BooleanField()),
                ("created", models.DateTimeField()),
                ("read", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("channel", models.CharField(max_length=10)),
                ("state", models.CharField(default="waiting", max_length=10)),
                ("due", models.DateTimeField()),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("ended", models.DateTimeField(null=True)),
                ("trouble", models.CharField(blank=True, max_length=300)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "notice",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="notices.notice",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Rule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("channel", models.CharField(max_length=10)),
                ("is_wanted", models.BooleanField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notice_rules",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.CharField(max_length=500)),
                ("salt", models.CharField(max_length=32)),
                ("created", models.DateTimeField()),
                ("renewed", models.DateTimeField()),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhook",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                models.F("user"),
                models.F("id"),
                condition=models.Q(("is_on_site", True)),
                name="notice_on_site",
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                models.F("user"),
                models.F("id"),
                condition=models.Q(("is_on_site", True), ("read", None)),
                name="notice_unread",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(
                models.F("user"), models.F("key"), name="notice_once"
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(
                models.F("due"), condition=models.Q(("state", "waiting")), name="delivery_due"
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(
                models.F("user"),
                models.F("id"),
                condition=models.Q(("state", "dead")),
                name="delivery_dead",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(
                models.F("notice"), models.F("channel"), name="delivery_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="rule",
            constraint=models.UniqueConstraint(
                models.F("user"), models.F("kind"), models.F("channel"), name="notice_rule_once"
            ),
        ),
    ]

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
            name="Progress",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveBigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Endpoint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.CharField(max_length=500)),
                ("target", models.CharField(max_length=10)),
                ("name", models.CharField(blank=True, max_length=100)),
                ("salt", models.CharField(max_length=32)),
                ("former_salt", models.CharField(blank=True, max_length=32)),
                ("former_until", models.DateTimeField(null=True)),
                ("created", models.DateTimeField()),
                ("renewed", models.DateTimeField()),
                ("disabled", models.DateTimeField(null=True)),
                ("trouble", models.CharField(blank=True, max_length=300)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="endpoints",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("types", models.JSONField(default=list)),
            ],
            options={
                "indexes": [models.Index(models.F("target"), models.F("name"), name="endpoint_of")],
            },
        ),
        migrations.CreateModel(
            name="Post",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("message", models.CharField(max_length=40, unique=True)),
                ("key", models.CharField(max_length=60)),
                ("type", models.CharField(max_length=30)),
                ("body", models.TextField()),
                ("created", models.DateTimeField()),
                ("state", models.CharField(default="waiting", max_length=10)),
                ("due", models.DateTimeField()),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("tried", models.DateTimeField(null=True)),
                ("trouble", models.CharField(blank=True, max_length=300)),
                (
                    "endpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="posts",
                        to="webhooks.endpoint",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("due"), condition=models.Q(("state", "waiting")), name="post_due"
                    ),
                    models.Index(models.F("created"), name="post_created"),
                ],
                "constraints": [
                    models.UniqueConstraint(models.F("endpoint"), models.F("key"), name="post_once")
                ],
            },
        ),
    ]

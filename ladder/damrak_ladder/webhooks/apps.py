"""The Django app of webhooks."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Endpoints of users, and their deliveries."""

    name = "damrak_ladder.webhooks"
    label = "webhooks"
    default_auto_field = "django.db.models.BigAutoField"

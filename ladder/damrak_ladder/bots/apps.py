"""The app as Django knows it."""

from django.apps import AppConfig


class BotsConfig(AppConfig):
    """Bots and their versions."""

    name = "damrak_ladder.bots"
    label = "bots"
    default_auto_field = "django.db.models.BigAutoField"

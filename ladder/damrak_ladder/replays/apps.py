"""The Django app of replays."""

from django.apps import AppConfig


class ReplaysConfig(AppConfig):
    """The store of replays."""

    name = "damrak_ladder.replays"
    label = "replays"
    default_auto_field = "django.db.models.BigAutoField"

"""The Django app of games of people."""

from django.apps import AppConfig


class PlayConfig(AppConfig):
    """Games that people play in their browsers."""

    name = "damrak_ladder.play"
    label = "play"
    default_auto_field = "django.db.models.BigAutoField"

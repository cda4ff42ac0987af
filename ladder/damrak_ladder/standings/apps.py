"""The app as Django knows it."""

from django.apps import AppConfig


class StandingsConfig(AppConfig):
    """The published ratings of ladders, and how they came about."""

    name = "damrak_ladder.standings"
    label = "standings"
    default_auto_field = "django.db.models.BigAutoField"

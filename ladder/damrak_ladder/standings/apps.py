"""The Django app of the ratings."""

from django.apps import AppConfig


class StandingsConfig(AppConfig):
    """The published ratings of ladders, and the data from which they are calculated."""

    name = "damrak_ladder.standings"
    label = "standings"
    default_auto_field = "django.db.models.BigAutoField"

"""The Django app of tournaments."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    """Leagues, tournaments and their acts."""

    name = "damrak_ladder.tournaments"
    label = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

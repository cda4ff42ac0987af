"""The Django app of matches."""

from django.apps import AppConfig


class MatchesConfig(AppConfig):
    """Blocks, their matches and their results."""

    name = "damrak_ladder.matches"
    label = "matches"
    default_auto_field = "django.db.models.BigAutoField"

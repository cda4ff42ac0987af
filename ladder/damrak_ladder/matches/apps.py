"""The app as Django knows it."""

from django.apps import AppConfig


class MatchesConfig(AppConfig):
    """Blocks, their matches and what came of them."""

    name = "damrak_ladder.matches"
    label = "matches"
    default_auto_field = "django.db.models.BigAutoField"

"""The Django app of puzzles."""

from django.apps import AppConfig


class PuzzlesConfig(AppConfig):
    """Puzzles from recorded matches."""

    name = "damrak_ladder.puzzles"
    label = "puzzles"
    default_auto_field = "django.db.models.BigAutoField"

"""The Django app of tests and canaries."""

from django.apps import AppConfig


class TrialsConfig(AppConfig):
    """Comparisons of two versions: tests and canaries."""

    name = "damrak_ladder.trials"
    label = "trials"
    default_auto_field = "django.db.models.BigAutoField"

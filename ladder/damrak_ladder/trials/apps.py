"""The app as Django knows it."""

from django.apps import AppConfig


class TrialsConfig(AppConfig):
    """Whether one version is better than another: tests and canaries."""

    name = "damrak_ladder.trials"
    label = "trials"
    default_auto_field = "django.db.models.BigAutoField"

"""The Django app of analyses."""

from django.apps import AppConfig


class AnalysesConfig(AppConfig):
    """Analyses of recorded matches."""

    name = "damrak_ladder.analyses"
    label = "analyses"
    default_auto_field = "django.db.models.BigAutoField"

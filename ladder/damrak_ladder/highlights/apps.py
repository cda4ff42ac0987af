"""The Django app of highlights."""

from django.apps import AppConfig


class HighlightsConfig(AppConfig):
    """Stories, records and form of versions."""

    name = "damrak_ladder.highlights"
    label = "highlights"
    default_auto_field = "django.db.models.BigAutoField"

"""The Django app of changes."""

from django.apps import AppConfig


class ChangesConfig(AppConfig):
    """The log of changes."""

    name = "damrak_ladder.changes"
    label = "changes"
    default_auto_field = "django.db.models.BigAutoField"

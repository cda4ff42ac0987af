"""The Django app of notices."""

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    """Notices to users, and their delivery."""

    name = "damrak_ladder.notices"
    label = "notices"
    default_auto_field = "django.db.models.BigAutoField"

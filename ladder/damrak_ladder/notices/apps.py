"""The app as Django knows it."""

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    """What is told to people, and by which way."""

    name = "damrak_ladder.notices"
    label = "notices"
    default_auto_field = "django.db.models.BigAutoField"

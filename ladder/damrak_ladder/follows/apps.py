"""The Django app of follows."""

from django.apps import AppConfig


class FollowsConfig(AppConfig):
    """What users follow."""

    name = "damrak_ladder.follows"
    label = "follows"
    default_auto_field = "django.db.models.BigAutoField"

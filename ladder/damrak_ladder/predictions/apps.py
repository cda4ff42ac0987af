"""The Django app of predictions."""

from django.apps import AppConfig


class PredictionsConfig(AppConfig):
    """Predictions of users."""

    name = "damrak_ladder.predictions"
    label = "predictions"
    default_auto_field = "django.db.models.BigAutoField"

"""The Django app of the security log."""

from django.apps import AppConfig


class SecurityConfig(AppConfig):
    """The security log."""

    name = "damrak_ladder.security"
    label = "security"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the signals of Django and allauth."""
        from damrak_ladder.security import signals

        signals.connect()

"""The app as Django knows it."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users and their tokens."""

    name = "damrak_ladder.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect signals."""
        from damrak_ladder.accounts import known_browsers

        known_browsers.connect()

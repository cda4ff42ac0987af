"""The Django app of accounts."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users and their tokens."""

    name = "damrak_ladder.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect signals."""
        from allauth.account import signals

        from damrak_ladder.accounts import known_browsers
        from damrak_ladder.accounts.sessions import on_password_change

        known_browsers.connect()
        for signal in (signals.password_changed, signals.password_set, signals.password_reset):
            signal.connect(on_password_change, dispatch_uid="accounts.sessions")

"""The app as Django knows it."""

from django.apps import AppConfig


class BotsConfig(AppConfig):
    """Bots and their versions."""

    name = "damrak_ladder.bots"
    label = "bots"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Revoke the tokens of a user's remote bots together with all other tokens."""
        from damrak_ladder.accounts.tokens import all_revoked
        from damrak_ladder.bots.connecting import on_all_revoked

        all_revoked.connect(on_all_revoked, dispatch_uid="bots.connecting")

"""The Django app of bots."""

from typing import Any

from django.apps import AppConfig


class BotsConfig(AppConfig):
    """Bots and their versions."""

    name = "damrak_ladder.bots"
    label = "bots"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Revoke the tokens of a user's remote bots together with the user's other tokens."""
        from damrak_ladder.accounts.tokens import all_revoked

        all_revoked.connect(_revoke_connections, dispatch_uid="bots.connecting")


def _revoke_connections(**sent: Any) -> None:
    # Imported late: it loads the engine, which most processes do not need at start-up.
    from damrak_ladder.bots.connect_tokens import on_all_revoked

    on_all_revoked(**sent)

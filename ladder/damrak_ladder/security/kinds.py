"""The kinds of events in the security log."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _


class SecurityEvent(models.TextChoices):
    """The kinds of events."""

    ACCOUNT_CREATED = "account_created", _("account created")
    ACCOUNT_ACTIVATED = "account_activated", _("account activated")
    ACCOUNT_DEACTIVATED = "account_deactivated", _("account deactivated")
    ACCOUNT_EXPORTED = "account_exported", _("account data downloaded")
    ACCOUNT_DELETED = "account_deleted", _("account deleted")
    SIGN_IN = "sign_in", _("sign-in")
    SIGN_IN_FAILED = "sign_in_failed", _("failed sign-in")
    LOCKOUT = "lockout", _("sign-in blocked after failures")
    SESSION_ENDED = "session_ended", _("session ended")
    PASSWORD_CHANGED = "password_changed", _("password changed")
    PASSWORD_RESET = "password_reset", _("password reset")
    EMAIL_ADDED = "email_added", _("email address added")
    EMAIL_CHANGED = "email_changed", _("email address changed")
    EMAIL_REMOVED = "email_removed", _("email address removed")
    SECOND_FACTOR_ADDED = "second_factor_added", _("second factor added")
    SECOND_FACTOR_REMOVED = "second_factor_removed", _("second factor removed")
    RECOVERY_CODES_MADE = "recovery_codes_made", _("recovery codes created")
    ROLE_CHANGED = "role_changed", _("role changed")
    TOKEN_CREATED = "token_created", _("token created")
    TOKEN_REVOKED = "token_revoked", _("token revoked")
    ACCESS_REFUSED = "access_refused", _("access refused")


FLOODABLE: Final = frozenset(
    {
        SecurityEvent.SIGN_IN,
        SecurityEvent.SIGN_IN_FAILED,
        SecurityEvent.LOCKOUT,
        SecurityEvent.SESSION_ENDED,
        SecurityEvent.ACCESS_REFUSED,
    }
)
"""Kinds that a client can cause any number of times."""

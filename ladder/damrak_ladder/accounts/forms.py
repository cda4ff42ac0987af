"""Forms for a new password, with the option to revoke all tokens."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import ChangePasswordForm, ResetPasswordKeyForm
from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from damrak_ladder.accounts.tokens import revoke_all


class _RevokingForm(forms.Form):
    revoke_tokens = forms.BooleanField(
        label=_("Also revoke all my tokens"),
        required=False,
        help_text=_(
            "Programs and remote bots that use them lose access until you give "
            "them new ones. Do this if someone else may have used your account."
        ),
    )

    def save(self) -> None:
        """Set the password, and revoke the tokens if requested."""
        super().save()  # type: ignore[misc]  # of the other base class
        if self.cleaned_data["revoke_tokens"]:
            user: Any = self.user  # type: ignore[attr-defined]  # likewise
            revoke_all(user, timezone.now())


class PasswordChangeForm(_RevokingForm, ChangePasswordForm):  # type: ignore[misc]
    """A form for a new password that asks for the old one."""

    field_order = ("oldpassword", "password1", "password2", "revoke_tokens")


class PasswordResetForm(_RevokingForm, ResetPasswordKeyForm):  # type: ignore[misc]
    """A form for a new password, reached by a link in a mail."""

    field_order = ("password1", "password2", "revoke_tokens")

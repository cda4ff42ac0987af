"""What the accounts package asks us while somebody registers."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.utils.translation import get_language

from damrak_ladder.accounts.models import User


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """The usual one, but it remembers the language in which somebody registered."""

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """The new user, whose mails will be in the language of the form."""
        user.language = get_language() or "en"
        super().save_user(request, user, form, commit)
        return user

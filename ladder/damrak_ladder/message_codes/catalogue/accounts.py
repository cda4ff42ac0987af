"""Texts of messages about accounts, tokens and sign-ins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import account_codes as codes, message
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    message.StoredText: "%(text)s",
    message.UnknownMessage: _("Unknown message: %(stored_code)s"),
    codes.TokenNameInUse: _(
        "You already have a token named %(name)s. Revoke it or choose another name."
    ),
    codes.TokenLimit: ngettext_lazy(
        "You can have no more than %(limit)s token. Revoke it first.",
        "You can have no more than %(limit)s tokens. Revoke one first.",
        "limit",
    ),
    codes.UnknownScopes: _("Unknown scopes: %(scopes)s. Choose from %(known)s."),
    codes.NoScope: _("Choose at least one scope from %(known)s."),
    codes.InvalidToken: _("The token is not valid."),
    codes.MissingScope: _("The token lacks the scope %(scope)s."),
    codes.UnknownSignIn: _("There is no such sign-in. Start again in the terminal."),
    codes.SignInRefused: _("The sign-in was refused in the browser."),
    codes.SignInCollected: _(
        "The token of this sign-in has already been issued. Start again in the terminal."
    ),
    codes.SignInExpired: _("The sign-in was not approved in time. Start again in the terminal."),
    codes.AccountClosed: _("The account is closed."),
    codes.UnknownSignInCode: _(
        "No sign-in is waiting for this code. Check it for typing errors, or request a new one."
    ),
    codes.SignInDecided: _("This sign-in has already been approved or refused."),
    codes.SignInPending: _("The sign-in has not been approved yet."),
    codes.OnlyAdministrator: _(
        "This is the last administrator. Give another user this role first."
    ),
    codes.IdempotencyKeyReused: _("The idempotency key %(key)s was used for another request."),
    codes.IdempotencyKeyInUse: _(
        "A request with the idempotency key %(key)s is still being processed."
    ),
    codes.RateLimit: ngettext_lazy(
        "Too many requests. Try again in %(seconds)s second.",
        "Too many requests. Try again in %(seconds)s seconds.",
        "seconds",
    ),
}

"""Exceptions of accounts.

AccountError
├── TokenNameTaken   another valid token of the owner has the name
├── TooManyTokens    the owner has as many as are allowed
├── UnknownScope     no such scope, or none
├── TokenRefused     the token is not valid
│   └── ScopeMissing     the token is valid, but lacks a scope
├── DeviceRefused    a program's sign-in is refused
├── LastAdministrator  no active administrator would be left
├── LoginPending     a program's sign-in is not decided yet
├── KeyReused        an idempotency key belongs to another request
├── KeyInUse         a request with this idempotency key is still being processed
└── TooOften         a rate limit is reached
"""

from __future__ import annotations

from damrak_ladder.message_codes import account_codes as codes
from damrak_ladder.message_codes.errors import MessageError


class AccountError(MessageError):
    """Base class of these exceptions."""


class TokenNameTaken(AccountError):
    """Another token of this owner has the name."""

    def __init__(self, name: str) -> None:
        super().__init__(codes.TokenNameInUse(name))


class TooManyTokens(AccountError):
    """The owner has as many tokens as are allowed."""

    def __init__(self, limit: int) -> None:
        super().__init__(codes.TokenLimit(limit))


class UnknownScope(AccountError):
    """A scope of a token does not exist, or there is none."""

    def __init__(self, scopes: list[str], known: list[str]) -> None:
        if scopes:
            super().__init__(codes.UnknownScopes(tuple(scopes), tuple(known)))
        else:
            super().__init__(codes.NoScope(tuple(known)))


class TokenRefused(AccountError):
    """The token is not valid for this."""


class ScopeMissing(TokenRefused):
    """The token is valid, but lacks a scope."""

    def __init__(self, scope: str) -> None:
        super().__init__(codes.MissingScope(scope))
        self.scope = scope


class DeviceRefused(AccountError):
    """A program's sign-in is refused."""


class LastAdministrator(AccountError):
    """Without this user no active administrator would be left."""

    def __init__(self) -> None:
        super().__init__(codes.OnlyAdministrator())


class LoginPending(AccountError):
    """The user has not decided yet."""

    def __init__(self) -> None:
        super().__init__(codes.SignInPending())


class KeyReused(AccountError):
    """An idempotency key belongs to another request."""

    def __init__(self, key: str) -> None:
        super().__init__(codes.IdempotencyKeyReused(key))


class KeyInUse(AccountError):
    """A request with this idempotency key is still being processed."""

    def __init__(self, key: str) -> None:
        super().__init__(codes.IdempotencyKeyInUse(key))


class TooOften(AccountError):
    """A rate limit is reached; try again after `retry_after` seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(codes.RateLimit(retry_after))
        self.retry_after = retry_after

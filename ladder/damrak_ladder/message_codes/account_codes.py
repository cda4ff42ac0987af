"""Messages about accounts, tokens and sign-ins."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Message


class TokenNameInUse(Message, code="token-name-in-use"):
    """Another token of the owner has this name."""

    name: str


class TokenLimit(Message, code="token-limit"):
    """The owner has the maximum number of tokens."""

    limit: int


class UnknownScopes(Message, code="unknown-scopes"):
    """These scopes do not exist."""

    scopes: tuple[str, ...]
    known: tuple[str, ...]


class NoScope(Message, code="no-scope"):
    """A token needs at least one scope."""

    known: tuple[str, ...]


class InvalidToken(Message, code="invalid-token"):
    """The token does not exist, or has expired or been revoked."""


class MissingScope(Message, code="missing-scope"):
    """The token is valid, but lacks a scope."""

    scope: str


class UnknownSignIn(Message, code="unknown-sign-in"):
    """A program asks about a sign-in that does not exist."""


class SignInRefused(Message, code="sign-in-refused"):
    """The user has refused the sign-in in the browser."""


class SignInCollected(Message, code="sign-in-collected"):
    """The token of the sign-in has been issued before."""


class SignInExpired(Message, code="sign-in-expired"):
    """The sign-in was not approved in time."""


class AccountClosed(Message, code="account-closed"):
    """The account of the user is not active."""


class UnknownSignInCode(Message, code="unknown-sign-in-code"):
    """No sign-in has this code."""


class SignInDecided(Message, code="sign-in-decided"):
    """The sign-in has already been approved or refused."""


class SignInPending(Message, code="sign-in-pending"):
    """The user has not decided yet."""


class OnlyAdministrator(Message, code="only-administrator"):
    """Without this user no active administrator would be left."""


class IdempotencyKeyReused(Message, code="idempotency-key-reused"):
    """An idempotency key belongs to another request."""

    key: str


class IdempotencyKeyInUse(Message, code="idempotency-key-in-use"):
    """A request with this idempotency key is still being processed."""

    key: str


class RateLimit(Message, code="rate-limit"):
    """Too many requests."""

    seconds: int

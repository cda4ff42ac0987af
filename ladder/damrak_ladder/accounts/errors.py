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
└── TooOften         a rate limit is reached
"""


class AccountError(Exception):
    """Base class of these exceptions."""


class TokenNameTaken(AccountError):
    """Another token of this owner has the name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a token named {name} already")


class TooManyTokens(AccountError):
    """The owner has as many tokens as are allowed."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"no more than {limit} tokens; revoke one first")


class UnknownScope(AccountError):
    """A scope of a token does not exist, or there is none."""

    def __init__(self, scopes: list[str], known: list[str]) -> None:
        named = ", ".join(scopes) or "no scope"
        super().__init__(f"{named}: choose from {', '.join(known)}")


class TokenRefused(AccountError):
    """The token is not valid for this."""


class ScopeMissing(TokenRefused):
    """The token is valid, but lacks a scope."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"the token lacks the scope {scope}")
        self.scope = scope


class DeviceRefused(AccountError):
    """A program's sign-in is refused."""


class LastAdministrator(AccountError):
    """Without this user no active administrator would be left."""

    def __init__(self) -> None:
        super().__init__("this is the last administrator; give somebody else the role first")


class LoginPending(AccountError):
    """The user has not decided yet."""

    def __init__(self) -> None:
        super().__init__("nobody has decided yet")


class TooOften(AccountError):
    """A rate limit is reached; try again after `retry_after` seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"too often; try again in {retry_after} s")
        self.retry_after = retry_after

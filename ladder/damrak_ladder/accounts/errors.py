"""What can be wrong with an account.

AccountError
├── TokenNameTaken   another good token of the owner has the name
├── TooManyTokens    the owner has as many as are allowed
├── UnknownScope     no such scope, or none
├── TokenRefused     not a good token, or not for this
│   └── ScopeMissing     a good token, but not for this
├── DeviceRefused    a program that wants to be let in is not
├── LastAdministrator  nobody of the staff would be left
├── LoginPending     nobody has decided yet whether it is
└── TooOften         this was done too often of late
"""


class AccountError(Exception):
    """Something about an account."""


class TokenNameTaken(AccountError):
    """Another token of this owner has the name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a token named {name} already")


class TooManyTokens(AccountError):
    """The owner has as many tokens as are allowed."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"no more than {limit} tokens; revoke one first")


class UnknownScope(AccountError):
    """A token is to have a scope that does not exist, or none at all."""

    def __init__(self, scopes: list[str], known: list[str]) -> None:
        named = ", ".join(scopes) or "no scope"
        super().__init__(f"{named}: choose from {', '.join(known)}")


class TokenRefused(AccountError):
    """The token is not good for this."""


class ScopeMissing(TokenRefused):
    """The token is good, but not for this."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"the token lacks the scope {scope}")
        self.scope = scope


class DeviceRefused(AccountError):
    """A program that wants to be let in is not."""


class LastAdministrator(AccountError):
    """Without this user no active administrator would be left."""

    def __init__(self) -> None:
        super().__init__("this is the last administrator; give somebody else the role first")


class LoginPending(AccountError):
    """Nobody has decided yet."""

    def __init__(self) -> None:
        super().__init__("nobody has decided yet")


class TooOften(AccountError):
    """This was done too often of late; it may be tried again after so many seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"too often; try again in {retry_after} s")
        self.retry_after = retry_after

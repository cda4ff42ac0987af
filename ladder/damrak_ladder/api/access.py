"""Access to the API: tokens with their scopes, and rate limits."""

from __future__ import annotations

from typing import Final, cast

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja.security import HttpBearer

from damrak_ladder.accounts.budgets import Budget, left, spend
from damrak_ladder.accounts.errors import ScopeMissing, TokenRefused, TooOften
from damrak_ladder.accounts.models import ApiToken, Role, Scope, User
from damrak_ladder.accounts.roles import has_role, may_act_as
from damrak_ladder.accounts.second_factor import lacks_second_factor
from damrak_ladder.accounts.tokens import HINT, MARK, verify
from damrak_ladder.api.problems import Problem
from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.message_codes.account_codes import InvalidToken
from damrak_ladder.security import SecurityEvent, record

LONGEST: Final = 512
MINUTE: Final = 60
PUBLIC_A_MINUTE: Final = 1200  # per address
TOKEN_A_MINUTE: Final = 600  # per token
WRITES_A_MINUTE: Final = 60  # changes per owner
WRONG_A_MINUTE: Final = 20  # wrong tokens per address
_CHALLENGE: Final = 'Bearer realm="damrak"'


class Bearer(HttpBearer):
    """Authentication by a token with one of these scopes, in the header `Authorization`.

    Messages name the first scope, which is the narrowest.
    """

    def __init__(self, scope: Scope, *others: Scope) -> None:
        super().__init__()
        self.scope = scope
        self.others = others

    def __call__(self, request: HttpRequest) -> ApiToken:
        """Return the token of a request.

        Raises:
            Problem: there is none, or it is not valid for this.
        """
        word, _, secret = request.headers.get("Authorization", "").partition(" ")
        if word.lower() != "bearer":
            raise _unknown("this request needs a token")
        known: dict[Scope, ApiToken] = request.__dict__.setdefault("_tokens", {})
        if self.scope not in known:  # the wrapper for idempotency keys authenticates, too
            known[self.scope] = self.authenticate(request, secret.strip())
        return known[self.scope]

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken:
        """Return the token with this secret."""
        try:
            if not (token.isascii() and token.isprintable() and 0 < len(token) <= LONGEST):
                raise TokenRefused(InvalidToken())
            found = verify(token, self.scope, timezone.now(), *self.others)
        except ScopeMissing as problem:
            raise Problem(
                403,
                "scope-missing",
                str(problem),
                f"create a token with the scope {problem.scope} on the site, under API tokens",
            ) from None
        except TokenRefused as problem:
            spend("wrong-token", address_of(request), WRONG_A_MINUTE, MINUTE)
            detail = {"reason": "token refused"}
            if token.startswith(MARK):  # otherwise it may be another kind of secret
                detail["hint"] = token[:HINT]
            record(SecurityEvent.SIGN_IN_FAILED, request=request, detail=detail)
            raise _unknown(str(problem)) from None
        count(request, "token", str(found.pk), TOKEN_A_MINUTE)
        if self.scope != Scope.READ:
            count(request, "write", str(found.owner_id), WRITES_A_MINUTE)
        return found


READ: Final = Bearer(Scope.READ)
SUBMIT: Final = Bearer(Scope.SUBMIT)
PLAY: Final = Bearer(Scope.PLAY)
SETTINGS: Final = Bearer(Scope.SETTINGS)
ORGANISE: Final = Bearer(Scope.ORGANISE)
ROLES: Final = Bearer(Scope.ROLES)
RUN: Final = Bearer(Scope.TOURNAMENTS_RUN, Scope.ORGANISE)


def token_of(request: HttpRequest) -> ApiToken:
    """Return the token that authenticated this request."""
    return cast(ApiToken, request.auth)  # type: ignore[attr-defined]  # set by ninja


def caller(request: HttpRequest) -> User:
    """Return the owner of the token that authenticated this request."""
    return token_of(request).owner


def everybody(request: HttpRequest) -> bool:
    """Allow all requests, within the rate limit per address."""
    count(request, "public", address_of(request), PUBLIC_A_MINUTE)
    return True


def count(request: HttpRequest, name: str, who: str, most: int, seconds: int = MINUTE) -> None:
    """Count a request against a rate limit, which its answer will state.

    Raises:
        TooOften
    """
    budgets: dict[str, Budget] = request.__dict__.setdefault("_budgets", {})
    try:
        if request.__dict__.get("_is_head"):  # has the headers of GET, so it is counted apart
            spend(f"{name}-head", who, most, seconds)
            budgets[name] = left(name, who, most, seconds)
        else:
            budgets[name] = spend(name, who, most, seconds)
    except TooOften as problem:
        budgets[name] = Budget(most, seconds, 0, problem.retry_after)
        raise


def state_rate_limits(request: HttpRequest, answer: HttpResponseBase) -> None:
    """Add the rate limits that were counted for this request to the headers of its answer."""
    budgets: dict[str, Budget] = request.__dict__.get("_budgets", {})
    if budgets:
        answer["RateLimit-Policy"] = ", ".join(
            f'"{name}";q={one.most};w={one.seconds}' for name, one in budgets.items()
        )
        answer["RateLimit"] = ", ".join(
            f'"{name}";r={one.left};t={one.resets_in}' for name, one in budgets.items()
        )


class OptionalBearer:
    """Authentication that allows requests without a token; a token that is sent must be valid."""

    def __init__(self, bearer: Bearer) -> None:
        self.scope = bearer.scope
        self.others = bearer.others
        self._bearer = bearer

    def __call__(self, request: HttpRequest) -> bool | ApiToken:
        """Return the token of a request, or True."""
        has_token = "Authorization" in request.headers
        return self._bearer(request) if has_token else everybody(request)


everybody_by_name: Final = OptionalBearer(READ)
any_token_or_none: Final = OptionalBearer(Bearer(*Scope))


def who(request: HttpRequest) -> str:
    """Return the key of the caller's budget: the token's owner, else the address."""
    found = getattr(request, "auth", None)
    return f"user {found.owner_id}" if isinstance(found, ApiToken) else address_of(request)


def address_of(request: HttpRequest) -> str:
    """Return the client's address; the server has resolved that of our own proxies already."""
    return str(request.META.get("REMOTE_ADDR", ""))


def own_bot(user: User, slug: str) -> Bot:
    """Return the user's own bot of that name.

    Raises:
        Problem: there is none, or it belongs to another user.
    """
    bot = Bot.objects.select_related("owner", "live").filter(slug=slug).first()
    if bot is None:
        raise Problem(
            404,
            "not-found",
            f"there is no bot {slug}",
            f'make it: POST /api/v1/bots with {{"slug": "{slug}"}}',
        )
    if bot.owner_id != user.pk:
        refuse(user, f"bot {slug}")
        raise Problem(
            403,
            "not-yours",
            f"the bot {slug} belongs to {bot.owner.username}",
            "choose another name",
        )
    return bot


def own_version(request: HttpRequest, version_id: int) -> Version:
    """Return a version that the caller owns, or may act for.

    Raises:
        Problem
    """
    version = Version.objects.select_related("bot__owner").filter(pk=version_id).first()
    if version is None:
        raise Problem(404, "not-found", f"there is no version with the id {version_id}")
    check_owner(request, version.bot)
    return version


def check_owner(request: HttpRequest, bot: Bot) -> None:
    """Check that the caller is the owner of a bot, or may act for the owner.

    Raises:
        Problem
    """
    if not may_act_for(request, bot.owner_id):
        refuse(caller(request), f"bot {bot.slug}")
        if has_role(caller(request), Role.STAFF) and lacks_second_factor(caller(request)):
            raise second_factor_needed()
        raise Problem(403, "not-yours", f"the bot {bot.slug} is not yours, and this is private")


def refuse(user: User, what: str) -> None:
    """Record that this user's token was used for something of another user."""
    record(SecurityEvent.ACCESS_REFUSED, user=user, detail={"what": what})


def may_act_for(request: HttpRequest, owner_id: int) -> bool:
    """Return whether the caller is this owner or staff.

    Staff may read everything; for changes they need a token with the scope `organise`.
    """
    if caller(request).pk == owner_id:
        return True
    is_trusted = request.method == "GET" or Scope.ORGANISE in token_of(request).scopes
    return is_trusted and may_act_as(caller(request), Role.STAFF)


def second_factor_needed() -> Problem:
    """Return the error for a user whose role is suspended."""
    return Problem(
        403,
        "second-factor-needed",
        "organisers and staff need a second factor, and this account has none",
        f"set one up: {settings.DAMRAK_URL}/accounts/2fa/",
    )


def _unknown(detail: str) -> Problem:
    return Problem(
        401,
        "token-needed",
        detail,
        "send `Authorization: Bearer TOKEN`; tokens are created on the site, or by `damrak login`",
        {"WWW-Authenticate": _CHALLENGE},
    )

"""Export of all personal data of one user, as JSON values.

The format is documented in docs/accounts.md. Passwords, tokens and secrets are not included.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db.models import QuerySet

from damrak_ladder.accounts.models import ApiToken, DeviceLogin, User
from damrak_ladder.bots.models import Bot, ConnectToken, Promotion, Version
from damrak_ladder.follows.models import Follow, NewsFeed
from damrak_ladder.matches.models import Entry
from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.wording import english
from damrak_ladder.notices.models import Delivery, Notice, Rule, Webhook
from damrak_ladder.predictions.models import Forecaster, Prediction
from damrak_ladder.security import SecurityEvent, record
from damrak_ladder.security.models import SecurityLogEntry
from damrak_ladder.tournaments.models import (
    Act,
    Entrant,
    League,
    LeagueChange,
    Organiser,
    Tournament,
)
from damrak_ladder.trials.models import Canary, Trial
from damrak_ladder.webhooks.models import Endpoint, Post

FORMAT: Final = "damrak-account/1"

Row = dict[str, Any]


def export(user: User, now: datetime) -> Row:
    """Return the user's data, and record the export in the security log."""
    record(SecurityEvent.ACCOUNT_EXPORTED, user=user)
    return {
        "format": FORMAT,
        "created": now.isoformat(),
        "account": _account(user),
        "security": _security(user),
        "bots": [_bot(bot) for bot in user.bots.select_related("live").order_by("pk")],
        "tests": _tests(user),
        "tournaments": _tournaments(user),
        "notices": _notices(user),
        "predictions": _rows(
            Prediction.objects.filter(user=user),
            *("match", "seat", "created", "counts", "is_right", "own_score", "field_score"),
        ),
        "forecaster": _rows(Forecaster.objects.filter(user=user), "predictions", "right", "skill"),
        "follows": _rows(Follow.objects.filter(user=user), "subject", "target", "created"),
        "news_feed": _rows(NewsFeed.objects.filter(user=user), "created"),
    }


def _account(user: User) -> Row:
    return {
        "username": user.username,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "email": user.email,
        "role": str(user.role),
        "language": user.language,
        "hides_results": user.hides_results,
        "joined": _json(user.date_joined),
        "last_sign_in": _json(user.last_login),
        "email_addresses": _rows(
            EmailAddress.objects.filter(user=user), "email", "verified", "primary"
        ),
    }


def _security(user: User) -> Row:
    return {
        "second_factors": _rows(
            Authenticator.objects.filter(user=user), "type", "created_at", "last_used_at"
        ),
        "sessions": _rows(
            UserSession.objects.filter(user=user), "ip", "user_agent", "created_at", "last_seen_at"
        ),
        "tokens": _rows(
            ApiToken.objects.filter(owner=user),
            *("name", "scopes", "hint", "created", "expires", "revoked", "last_used"),
        ),
        "security_log": _rows(
            SecurityLogEntry.objects.filter(user=user), "at", "kind", "address", "detail", "times"
        ),
        "program_logins": _rows(
            DeviceLogin.objects.filter(owner=user),
            *("name", "address", "scopes", "created", "expires", "state"),
        ),
    }


def _bot(bot: Bot) -> Row:
    return {
        "slug": bot.slug,
        "name": bot.name,
        "created": _json(bot.created),
        "live": bot.live.number if bot.live is not None else None,
        "versions": _rows(
            Version.objects.filter(bot=bot),
            *("number", "kind", "content", "spec", "language", "size", "note", "created"),
            *("state", "reason", "changed"),
        ),
        "connection_tokens": _rows(
            ConnectToken.objects.filter(bot=bot), "hint", "created", "revoked"
        ),
        "ladders": _rows(Entry.objects.filter(bot=bot), "ladder__slug", "entered", "left"),
        "made_live": _rows(
            Promotion.objects.filter(bot=bot), "before__number", "after__number", "at"
        ),
        "canaries": _rows(
            Canary.objects.filter(version__bot=bot),
            *("version__number", "ladder__slug", "most", "state", "created", "ended"),
        ),
    }


def _tests(user: User) -> list[Row]:
    return _rows(
        Trial.objects.filter(owner=user),
        *("ladder__slug", "candidate__bot__slug", "candidate__number"),
        *("baseline__bot__slug", "baseline__number", "elo0", "elo1", "alpha", "beta", "most"),
        *("state", "created", "ended"),
    )


def _tournaments(user: User) -> Row:
    return {
        "entries": _rows(
            Entrant.objects.filter(owner=user),
            *("tournament__slug", "bot__slug", "version__number", "seed", "standing", "entered"),
        ),
        "owned": _rows(Tournament.objects.filter(owner=user), "slug", "name", "created"),
        "leagues": _rows(League.objects.filter(owner=user), "slug", "name", "created"),
        "league_changes": _rows(
            LeagueChange.objects.filter(actor=user), "league__slug", "serial", "changes", "at"
        ),
        "organised": _rows(Organiser.objects.filter(user=user), "tournament__slug"),
        "acts": _rows(
            Act.objects.filter(actor=user), "tournament__slug", "serial", "kind", "reason", "at"
        ),
    }


def _notices(user: User) -> Row:
    return {
        "received": _rows(
            Notice.objects.filter(user=user), "kind", "subject", "text", "link", "created", "read"
        ),
        "deliveries": _rows(
            Delivery.objects.filter(user=user), "notice", "channel", "state", "ended", "trouble"
        ),
        "rules": _rows(Rule.objects.filter(user=user), "kind", "channel", "is_wanted"),
        "webhook": _rows(Webhook.objects.filter(user=user), "url", "created", "renewed"),
        "endpoints": _rows(
            Endpoint.objects.filter(user=user),
            *("url", "target", "name", "types", "created", "renewed", "disabled", "trouble"),
        ),
        "posts": _rows(
            Post.objects.filter(endpoint__user=user),
            *("endpoint__url", "type", "body", "created", "state", "tried", "trouble"),
        ),
    }


def _rows(found: QuerySet[Any], *columns: str) -> list[Row]:
    """Return these columns of the rows, oldest first; `a__b` becomes `a_b`."""
    return [
        {name.replace("__", "_"): _json(value) for name, value in row.items()}
        for row in found.order_by("pk").values(*columns).iterator()
    ]


def _json(value: Any) -> Any:
    if isinstance(value, Message):
        return english(value)
    return value.isoformat() if isinstance(value, datetime) else value

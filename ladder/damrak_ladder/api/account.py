"""API of the caller's account: tokens, notices, their rules, and the webhook."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status

from damrak_ladder.accounts.models import ApiToken, User
from damrak_ladder.accounts.tokens import revoke
from damrak_ladder.api import filter_types, types
from damrak_ladder.api.access import READ, SETTINGS, caller
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.conditional import check_unchanged, conditional
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.lists.cursors import LONGEST, cursor_at, fingerprint, key_at
from damrak_ladder.api.pagination import link_to_next
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.requests import Body
from damrak_ladder.api.shapes import TokenShape, token_shape
from damrak_ladder.notices.errors import BadWebhook
from damrak_ladder.notices.inbox import dead, latest, mark_read, unread
from damrak_ladder.notices.kinds import Channel
from damrak_ladder.notices.rules import rules_of, set_rule
from damrak_ladder.notices.webhooks import (
    remove_webhook,
    renew_secret,
    set_webhook,
    try_webhook,
    webhook_of,
)

MOST: Final = 100

NoticeId = Annotated[int, Field(ge=1, le=(1 << 63) - 1)]

router = Router(tags=["account"])


class NoticeShape(Schema):
    """A notice; `link` is a page of the site."""

    id: int
    kind: types.NoticeKind
    subject: str
    text: str
    link: str
    created: datetime
    read: datetime | None


class NoticePage(Schema):
    """Notices, newest first; without a `next_cursor` there are no more."""

    items: list[NoticeShape]
    next_cursor: str | None
    unread: int
    """The number of unread notices, at most 100."""


class UndeliveredShape(Schema):
    """A notice that could not be delivered by a channel."""

    notice: int
    channel: types.Channel
    trouble: str
    ended: datetime | None


class RuleShape(Schema):
    """The channels by which notices of a kind are sent."""

    kind: types.NoticeKind
    channels: list[types.Channel]


class NewRule(Body):
    """The channels by which notices of a kind are to be sent."""

    kind: filter_types.NoticeKind
    channels: Annotated[list[filter_types.Channel], Field(max_length=3)]


class WebhookShape(Schema):
    """The webhook of the caller."""

    url: str
    created: datetime
    renewed: datetime


class WebhookSecret(WebhookShape):
    """The webhook with its secret, which is shown once."""

    secret: str


class NewWebhook(Body):
    """The address of a webhook."""

    url: Annotated[str, Field(min_length=1, max_length=500)]


class WebhookTest(Schema):
    """The outcome of a test of the webhook."""

    is_good: bool
    trouble: str


class ReadNotices(Body):
    """Notices that were read; by default all."""

    ids: (
        Annotated[list[Annotated[int, Field(ge=1, le=(1 << 63) - 1)]], Field(max_length=MOST)]
        | None
    ) = None


class ReadCount(Schema):
    """The number of notices that were unread."""

    count: int


class NoticeFilter(Schema):
    """A page of notices."""

    cursor: Annotated[str, Field(max_length=LONGEST)] = ""
    limit: Annotated[int, Field(ge=1, le=MOST)] = 30


@router.get(
    "/me/tokens",
    auth=READ,
    response=list[TokenShape],
    operation_id="list_tokens",
    summary="Your tokens",
)
def list_tokens(request: HttpRequest, response: HttpResponse) -> list[TokenShape]:
    """List the valid and expired tokens of the caller, newest first, without their secrets."""
    set_private(response)
    kept = ApiToken.objects.filter(owner=caller(request), revoked=None).order_by("-pk")
    return [token_shape(token) for token in kept]


@router.delete(
    "/me/tokens/{int:token_id}",
    auth=SETTINGS,
    response={204: None},
    operation_id="revoke_token",
    summary="Revoke one of your tokens",
)
def revoke_token(request: HttpRequest, token_id: int) -> Status[None]:
    """Revoke a token of the caller permanently."""
    if not revoke(caller(request), token_id, timezone.now()):
        raise not_found(f"token {token_id} of yours", "GET /api/v1/me/tokens lists them")
    return Status(204, None)


@router.get(
    "/me/notices",
    auth=READ,
    response=NoticePage,
    operation_id="list_notices",
    summary="Your notices",
)
@refuses("bad-cursor")
def list_notices(
    request: HttpRequest, response: HttpResponse, page: Query[NoticeFilter]
) -> NoticePage:
    """List the notices of the caller on the site, newest first."""
    set_private(response)
    user = caller(request)
    mark = fingerprint("notices", {"user": user.pk})
    after = key_at(page.cursor, mark, 1)
    found = latest(user, None if after is None else after[0], page.limit + 1)
    shown, next_cursor = found[: page.limit], None
    if len(found) > page.limit:
        next_cursor = cursor_at(mark, (shown[-1].pk,))
        link_to_next(request, response, cursor=next_cursor)
    plain = ("kind", "subject", "text", "created", "read")
    items = [
        NoticeShape(
            id=one.pk,
            link=settings.DAMRAK_URL + one.link,
            **{name: getattr(one, name) for name in plain},
        )
        for one in shown
    ]
    return NoticePage(items=items, next_cursor=next_cursor, unread=unread(user))


@router.get(
    "/me/notices/undelivered",
    auth=READ,
    response=list[UndeliveredShape],
    operation_id="list_undelivered",
    summary="Notices that could not be delivered",
)
def list_undelivered(request: HttpRequest, response: HttpResponse) -> list[UndeliveredShape]:
    """List the latest deliveries by mail or webhook that were given up."""
    set_private(response)
    return [
        UndeliveredShape(
            notice=one.notice_id, channel=one.channel, trouble=one.trouble, ended=one.ended
        )
        for one in dead(caller(request))
    ]


@router.post(
    "/me/notices/read",
    auth=SETTINGS,
    response=ReadCount,
    operation_id="mark_notices_read",
    summary="Mark notices as read",
)
def mark_notices_read(
    request: HttpRequest, response: HttpResponse, which: ReadNotices
) -> ReadCount:
    """Mark these notices of the caller, or all, as read."""
    set_private(response)
    return ReadCount(count=mark_read(caller(request), timezone.now(), which.ids))


@router.get(
    "/me/notice-rules",
    auth=READ,
    response=list[RuleShape],
    operation_id="list_notice_rules",
    summary="Your rules for notices",
)
def list_notice_rules(request: HttpRequest, response: HttpResponse) -> list[RuleShape]:
    """List the kinds of notices that the caller may receive, with their channels."""
    set_private(response)
    return _rules(caller(request))


@router.put(
    "/me/notice-rules",
    auth=SETTINGS,
    response=list[RuleShape],
    operation_id="set_notice_rules",
    summary="Change rules for notices",
)
@refuses("role-missing")
@conditional
def set_notice_rules(
    request: HttpRequest, response: HttpResponse, new: list[NewRule]
) -> list[RuleShape]:
    """Set the channels of these kinds of notices; other kinds keep theirs."""
    set_private(response)
    user = caller(request)
    known = {str(one.kind): one for one in rules_of(user)}
    for rule in new:
        if rule.kind not in known:
            cure = f"choose from {', '.join(known)}"
            raise Problem(
                403, "role-missing", f"notices of the kind {rule.kind} are for staff", cure
            )
    check_unchanged(request, _rules(user))
    for rule in new:
        for channel in Channel:
            is_wanted = str(channel) in rule.channels
            if is_wanted != (channel in known[rule.kind].wanted):
                set_rule(user, known[rule.kind].kind, channel, is_wanted)
    return _rules(user)


@router.get(
    "/me/webhook",
    auth=READ,
    response=WebhookShape,
    operation_id="get_webhook",
    summary="Your webhook",
)
@refuses("not-found")
def get_webhook(request: HttpRequest, response: HttpResponse) -> WebhookShape:
    """Return the webhook of the caller, without its secret."""
    set_private(response)
    return _webhook(caller(request))


@router.put(
    "/me/webhook",
    auth=SETTINGS,
    response=WebhookSecret,
    operation_id="set_webhook",
    summary="Set the webhook",
)
@refuses("bad-webhook")
def put_webhook(request: HttpRequest, response: HttpResponse, new: NewWebhook) -> WebhookSecret:
    """Set the address of the caller's webhook; return its new secret, which is shown once."""
    set_private(response)
    try:
        secret = set_webhook(caller(request), new.url, timezone.now())
    except BadWebhook as problem:
        cure = "use an https address of a public host"
        raise Problem(409, "bad-webhook", f"url: {problem}", cure) from None
    return WebhookSecret(**_webhook(caller(request)).model_dump(), secret=secret)


@router.delete(
    "/me/webhook",
    auth=SETTINGS,
    response={204: None},
    operation_id="remove_webhook",
    summary="Remove the webhook",
)
def delete_webhook(request: HttpRequest) -> Status[None]:
    """Remove the caller's webhook and its waiting deliveries, if there is one."""
    remove_webhook(caller(request))
    return Status(204, None)


@router.post(
    "/me/webhook/secret",
    auth=SETTINGS,
    response=WebhookSecret,
    operation_id="renew_webhook_secret",
    summary="Renew the secret of the webhook",
)
@refuses("no-webhook")
@idempotent(SETTINGS)
def renew_webhook_secret(request: HttpRequest, response: HttpResponse) -> WebhookSecret:
    """Replace the secret of the caller's webhook and return it; it is shown once."""
    set_private(response)
    secret = renew_secret(caller(request), timezone.now())
    if secret is None:
        raise _no_webhook()
    return WebhookSecret(**_webhook(caller(request)).model_dump(), secret=secret)


@router.post(
    "/me/webhook/test",
    auth=SETTINGS,
    response=WebhookTest,
    operation_id="test_webhook",
    summary="Test the webhook",
)
@refuses("no-webhook")
def test_webhook(request: HttpRequest, response: HttpResponse) -> WebhookTest:
    """Post a test notice to the caller's webhook and return the outcome."""
    set_private(response)
    answer = try_webhook(caller(request), timezone.now())
    if answer is None:
        raise _no_webhook()
    return WebhookTest(is_good=answer.is_good, trouble=answer.trouble)


def _rules(user: User) -> list[RuleShape]:
    return [
        RuleShape(kind=one.kind, channels=[one_of for one_of in Channel if one_of in one.wanted])
        for one in rules_of(user)
    ]


def _webhook(user: User) -> WebhookShape:
    found = webhook_of(user)
    if found is None:
        raise not_found("webhook of yours", "set one: PUT /api/v1/me/webhook")
    return WebhookShape(url=found.url, created=found.created, renewed=found.renewed)


def _no_webhook() -> Problem:
    return Problem(409, "no-webhook", "you have no webhook", "set one: PUT /api/v1/me/webhook")

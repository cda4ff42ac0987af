"""Posting of due deliveries; any number of processes may do so at once.

As with mails, a process claims a delivery in one statement, which counts the try and postpones the
next one. If it is killed, the delivery is merely delayed: it may arrive twice, with the same id.
"""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Min, QuerySet
from django.utils.translation import override

from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.http_post import Answer, Postman
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.notices.webhook_texts import webhook_disabled
from damrak_ladder.notices.webhooks import own_postman
from damrak_ladder.webhooks.endpoints import disable
from damrak_ladder.webhooks.models import Endpoint, Post, PostState
from damrak_ladder.webhooks.signatures import headers_of

WAITS: Final = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
)
"""The times between tries, before jitter; together about three days."""

TRIES: Final = len(WAITS) + 1
JITTER: Final = 0.2
"""The maximum share by which a wait is longer, so that failed deliveries do not return at once."""

HELD: Final = timedelta(minutes=5)
"""How long a claim lasts, which is longer than any try can take."""

GONE: Final = 410
"""The status by which a receiver asks for no more deliveries."""

_POSTS: Final = 24  # per run
_POSTS_TO_ONE: Final = 3  # of these to one endpoint, so that a slow one delays only itself


def wait_after(tries: int, chance: float) -> timedelta:
    """Return the back-off after this many failed tries; `chance` is from 0 to 1."""
    return WAITS[tries - 1] * (1 + JITTER * chance)


def post_due(now: datetime, postman: Postman | None = None) -> int:
    """Post some of the due deliveries; return how many arrived. Call it outside of transactions."""
    sender = postman or own_postman()
    _bury(now)
    chosen: dict[Endpoint, list[Post]] = {}
    room = _POSTS
    first = _due(now).order_by().values("endpoint").annotate(first=Min("due"))
    keys = [row["endpoint"] for row in first.order_by("first", "endpoint")[:_POSTS]]
    endpoints = Endpoint.objects.select_related("user").in_bulk(keys)
    for key in keys:
        due = _due(now).filter(endpoint=key).order_by("due", "pk")[: min(_POSTS_TO_ONE, room)]
        if ours := [post for post in due if _claim(post, now)]:
            chosen[endpoints[key]] = ours
            room -= len(ours)
        if room <= 0:
            break
    sent = 0
    # Threads only use the network; all database access is in this thread.
    with ThreadPoolExecutor(max(len(chosen), 1)) as pool:
        talks = {
            pool.submit(_post_all, endpoint, posts, now, sender): endpoint
            for endpoint, posts in chosen.items()
        }
        for talk in as_completed(talks):
            for post, answer in talk.result():
                sent += answer.is_good
                _note(talks[talk], post, answer, now)
    return sent


def post_now(post: Post, now: datetime, postman: Postman | None = None) -> Answer:
    """Post a delivery at once, as its user asked for. A failure leaves its state as it was.

    If the process is killed, the delivery is tried again, like any other.
    """
    state, due = PostState(post.state), post.due
    Post.objects.filter(pk=post.pk).update(
        state=PostState.WAITING, tries=F("tries") + 1, tried=now, due=now + HELD
    )
    post.refresh_from_db()
    [(_, answer)] = _post_all(post.endpoint, [post], now, postman or own_postman())
    done = Post.objects.filter(pk=post.pk)
    if answer.is_good:
        done.update(state=PostState.SENT, trouble="")
    else:
        done.update(state=state, due=due, trouble=answer.trouble[:300])
    post.refresh_from_db()
    return answer


def _due(now: datetime) -> QuerySet[Post]:
    return Post.objects.filter(
        state=PostState.WAITING, due__lte=now, tries__lt=TRIES, endpoint__disabled=None
    )


def _bury(now: datetime) -> None:
    """Give up deliveries whose last try never reported back."""
    lost = Post.objects.filter(state=PostState.WAITING, due__lte=now, tries__gte=TRIES)
    for post in lost.select_related("endpoint__user")[:_POSTS]:
        _note(post.endpoint, post, Answer(False, post.trouble), now)


def _claim(post: Post, now: datetime) -> bool:
    same = Post.objects.filter(pk=post.pk, state=PostState.WAITING, tries=post.tries, due__lte=now)
    post.tries += 1
    return bool(same.update(tries=post.tries, tried=now, due=now + HELD))


def _post_all(
    endpoint: Endpoint, posts: list[Post], now: datetime, postman: Postman
) -> list[tuple[Post, Answer]]:
    found = []
    with override(endpoint.user.language):
        for post in posts:
            body = post.body.encode()
            headers = headers_of(endpoint, post.message, body, now)
            found.append((post, postman.post(endpoint.url, body, headers)))
    return found


def _note(endpoint: Endpoint, post: Post, answer: Answer, now: datetime) -> None:
    """Record the outcome of a try, unless another process has tried again since."""
    mine = Post.objects.filter(pk=post.pk, state=PostState.WAITING, tries=post.tries)
    if answer.is_good:
        mine.update(state=PostState.SENT, trouble="")
        return
    trouble = answer.trouble[:300]
    is_last = post.tries >= TRIES or answer.status == GONE
    if not is_last:
        wait = wait_after(post.tries, random.random())  # noqa: S311 - not a secret
        mine.update(trouble=trouble, due=now + wait)
        return
    with transaction.atomic():
        if mine.update(state=PostState.DEAD, trouble=trouble):
            _disable(endpoint, trouble, now)


def _disable(endpoint: Endpoint, trouble: str, now: datetime) -> None:
    """Give up an endpoint and notify its user, once."""
    if not disable(endpoint, now, trouble):
        return
    key = f"webhook:{endpoint.pk}:{now.isoformat()}"
    words = webhook_disabled(endpoint.url, trouble)
    tell(endpoint.user, Kind.WEBHOOK_DISABLED, key, *words, f"/desk/webhooks/{endpoint.pk}/", now)

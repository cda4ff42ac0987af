"""Deliveries by hand: tests, and repetitions of earlier deliveries."""

from __future__ import annotations

import secrets
from datetime import datetime

from damrak_ladder.notices.http_post import Answer, Postman
from damrak_ladder.webhooks.dispatch import post_now
from damrak_ladder.webhooks.fan_out import new_post
from damrak_ladder.webhooks.models import Endpoint, Post, PostState

TEST = "test"


def try_endpoint(
    endpoint: Endpoint, now: datetime, postman: Postman | None = None
) -> tuple[Post, Answer]:
    """Post a test event at once; it is not retried. Call it outside of transactions."""
    post = new_post(endpoint, f"test {secrets.token_hex(8)}", TEST, now, {})
    post.created = post.due = now
    post.state = PostState.DEAD  # unless it arrives
    post.save()
    return post, post_now(post, now, postman)


def replay(post: Post, now: datetime, postman: Postman | None = None) -> Answer:
    """Post a delivery again, with the same id and body. Call it outside of transactions."""
    return post_now(post, now, postman)

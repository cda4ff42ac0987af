"""Models of webhooks: endpoints, deliveries, and how far the log of changes has been posted."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from damrak_ladder.accounts.models import User


class Target(models.TextChoices):
    """What an endpoint receives the events of."""

    NOTICES = "notices"
    BOT = "bot"
    LADDER = "ladder"
    TOURNAMENT = "tournament"


class Endpoint(models.Model):
    """An address of a user that receives events. Its secrets are derived from salts."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="endpoints")
    url = models.CharField(max_length=500)
    target = models.CharField(max_length=10)
    name = models.CharField(max_length=100, blank=True)  # the slug of the target
    types = models.JSONField(default=list)  # of the events that it receives; empty for all
    salt = models.CharField(max_length=32)
    former_salt = models.CharField(max_length=32, blank=True)  # also signs until `former_until`
    former_until = models.DateTimeField(null=True)
    created = models.DateTimeField()
    renewed = models.DateTimeField()  # when the secret was created
    disabled = models.DateTimeField(null=True)  # when it was given up; it receives nothing then
    trouble = models.CharField(max_length=300, blank=True)  # why it was given up

    class Meta:
        indexes: ClassVar = [
            models.Index("target", "name", name="endpoint_of"),
        ]

    def __str__(self) -> str:
        return self.url

    @property
    def owner_id(self) -> int:
        """Return the key of the user."""
        return self.user_id


class PostState(models.TextChoices):
    """The state of a delivery."""

    WAITING = "waiting"
    SENT = "sent"
    DEAD = "dead"


class Post(models.Model):
    """The delivery of an event to an endpoint, with the body that every try sends."""

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="posts")
    message = models.CharField(max_length=40, unique=True)  # the header `webhook-id`
    key = models.CharField(max_length=60)  # identifies the event, so that it is posted once
    type = models.CharField(max_length=30)
    body = models.TextField()
    created = models.DateTimeField()
    state = models.CharField(max_length=10, default=PostState.WAITING)
    due = models.DateTimeField()  # while claimed: when others may try again
    tries = models.PositiveSmallIntegerField(default=0)
    tried = models.DateTimeField(null=True)  # the latest try
    trouble = models.CharField(max_length=300, blank=True)  # of the latest try

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("endpoint", "key", name="post_once"),
        ]
        indexes: ClassVar = [
            models.Index("due", condition=models.Q(state=PostState.WAITING), name="post_due"),
            models.Index("created", name="post_created"),
        ]

    def __str__(self) -> str:
        return f"{self.type} to {self.endpoint_id}: {self.state}"


class Progress(models.Model):
    """The position up to which deliveries were created: a single row, locked to advance."""

    position = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"posted up to {self.position}"

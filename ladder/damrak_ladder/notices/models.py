"""Models of notices, their deliveries, users' rules and webhooks."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from damrak_ladder.accounts.models import User


class Notice(models.Model):
    """A notice to one user, in the user's language at the time."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=200)  # identifies the event, for idempotence
    subject = models.CharField(max_length=200)
    text = models.TextField()
    link = models.CharField(max_length=300)  # a path on the site, without a language
    is_on_site = models.BooleanField()
    created = models.DateTimeField()
    read = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("user", "key", name="notice_once"),
        ]
        indexes: ClassVar = [
            models.Index("user", "id", condition=models.Q(is_on_site=True), name="notice_on_site"),
            models.Index(
                "user", "id", condition=models.Q(is_on_site=True, read=None), name="notice_unread"
            ),
        ]

    def __str__(self) -> str:
        return self.subject


class DeliveryState(models.TextChoices):
    """The state of a delivery."""

    WAITING = "waiting"
    SENT = "sent"
    DEAD = "dead"  # tried too often, or it can no longer succeed


class Delivery(models.Model):
    """The delivery of a notice by mail or webhook."""

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="deliveries")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="deliveries")
    channel = models.CharField(max_length=10)
    state = models.CharField(max_length=10, default=DeliveryState.WAITING)
    due = models.DateTimeField()  # while claimed: when others may try again
    tries = models.PositiveSmallIntegerField(default=0)
    ended = models.DateTimeField(null=True)
    trouble = models.CharField(max_length=300, blank=True)  # of the latest try

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("notice", "channel", name="delivery_once"),
        ]
        indexes: ClassVar = [
            models.Index(
                "due", condition=models.Q(state=DeliveryState.WAITING), name="delivery_due"
            ),
            models.Index(
                "user", "id", condition=models.Q(state=DeliveryState.DEAD), name="delivery_dead"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel} {self.notice_id}: {self.state}"


class Rule(models.Model):
    """A user's choice for one kind and channel; without a rule the default applies."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notice_rules")
    kind = models.CharField(max_length=20)
    channel = models.CharField(max_length=10)
    is_wanted = models.BooleanField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("user", "kind", "channel", name="notice_rule_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.channel}: {self.is_wanted}"


class Webhook(models.Model):
    """The webhook of a user. Its secret is derived from `salt` and the site's own key."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="webhook")
    url = models.CharField(max_length=500)
    salt = models.CharField(max_length=32)
    created = models.DateTimeField()
    renewed = models.DateTimeField()  # when the secret was created

    def __str__(self) -> str:
        return self.url

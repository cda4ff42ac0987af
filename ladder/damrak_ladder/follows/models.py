"""What users follow."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models


class Subject(models.TextChoices):
    """What can be followed; the target is its primary key."""

    BOT = "bot"
    AUTHOR = "author"
    LADDER = "ladder"
    TOURNAMENT = "tournament"


class NewsFeed(models.Model):
    """A private feed of a user's news. Its address has a token that is derived from the salt."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="news_feed"
    )
    salt = models.CharField(max_length=32)
    created = models.DateTimeField()

    def __str__(self) -> str:
        return f"feed of {self.user_id}"


class Follow(models.Model):
    """A user follows something since `created`; earlier events are no news."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="follows"
    )
    subject = models.CharField(max_length=10, choices=Subject)
    target = models.BigIntegerField()
    created = models.DateTimeField()
    phase = models.CharField(max_length=10, blank=True)  # of a tournament, when last told

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("user", "subject", "target", name="follow_once"),
        ]
        indexes: ClassVar = [models.Index("subject", "target", name="follow_of_target")]

    def __str__(self) -> str:
        return f"{self.user_id} follows {self.subject} {self.target}"

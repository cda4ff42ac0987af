"""The log of changes: one row per change, inserted in the transaction that makes it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class ChangeKind(models.TextChoices):
    """What has changed; `subject` is the key of such an object."""

    BLOCK_QUEUED = "block.queued"
    BLOCK_STARTED = "block.started"
    BLOCK_FINISHED = "block.finished"
    BLOCK_FAILED = "block.failed"  # tried too often
    BLOCK_WITHDRAWN = "block.withdrawn"  # its results do not count; it waits again
    BLOCK_RELEASED = "block.released"  # more viewers may see it
    STANDINGS_PUBLISHED = "standings.published"
    TOURNAMENT_CHANGED = "tournament.changed"
    VERSION_CHANGED = "version.changed"
    BOT_CHANGED = "bot.changed"
    NOTICE_CREATED = "notice.created"  # for webhooks; never in streams


class Change(models.Model):
    """A change. It names what has changed, and no content: readers look at the present state.

    `position` is assigned after the transaction has been committed, in the order of commits, so
    that a reader who has reached a position never misses an earlier one (`numbering`).
    """

    position = models.PositiveBigIntegerField(null=True, unique=True)
    kind = models.CharField(max_length=20)
    subject = models.BigIntegerField()
    is_public = models.BooleanField(default=True)  # otherwise only organisers may know of it
    at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index("id", condition=models.Q(position=None), name="change_unnumbered"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class ChangeClock(models.Model):
    """The range of positions: a single row, which is locked to assign and to delete positions."""

    last = models.PositiveBigIntegerField(default=0)
    forgotten = models.PositiveBigIntegerField(default=0)  # up to here rows have been deleted

    def __str__(self) -> str:
        return f"changes {self.forgotten} to {self.last}"

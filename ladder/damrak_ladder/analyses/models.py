"""Models of analyses, finished and waiting (the table is a queue), and of point sources."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Match


class AnalysisState(models.TextChoices):
    """The state of an analysis."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # it would fail again


class Analysis(models.Model):
    """The analysis of one recorded match. A match that is played again gets a new one."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="analysis")
    replay = models.CharField(max_length=64)  # the hash of the analysed replay
    method = models.PositiveSmallIntegerField()  # `METHOD` at the time of computation
    software = models.CharField(max_length=60, blank=True)
    state = models.CharField(max_length=10, choices=AnalysisState, default=AnalysisState.WAITING)
    is_wanted = models.BooleanField()  # requested; else notable, and computed first
    asked = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    trouble = models.CharField(max_length=500, blank=True)
    computed = models.DateTimeField(null=True)
    cpu_ms = models.PositiveIntegerField(default=0)
    data = models.BinaryField(null=True)  # compressed JSON

    class Meta:
        verbose_name_plural = "analyses"
        indexes: ClassVar = [
            models.Index(
                "is_wanted",
                "asked",
                name="analysis_open",
                condition=models.Q(state__in=("waiting", "running")),
            ),
            models.Index("asked", name="analysis_chosen", condition=models.Q(is_wanted=False)),
        ]

    def __str__(self) -> str:
        return f"analysis of match {self.match_id}"


class VersionSources(models.Model):
    """Sums of a version's points by source, over its latest ladder games."""

    version = models.OneToOneField(Version, on_delete=models.CASCADE, related_name="sources")
    asked = models.DateTimeField(null=True)  # newer sums are requested
    computed = models.DateTimeField(null=True)
    games = models.PositiveIntegerField(default=0)
    routes = models.IntegerField(default=0)
    fulfilled = models.IntegerField(default=0)
    failed = models.IntegerField(default=0)  # 0 or less
    goods = models.IntegerField(default=0)
    contracts_fulfilled = models.PositiveIntegerField(default=0)
    contracts_failed = models.PositiveIntegerField(default=0)
    # Goods cards taken and routes claimed, and the sums of their times in the game: from 0 at the
    # first event to 1000 at the last one.
    goods_taken = models.PositiveIntegerField(default=0, db_default=0)
    goods_when = models.PositiveIntegerField(default=0, db_default=0)
    claims = models.PositiveIntegerField(default=0, db_default=0)
    claims_when = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        verbose_name_plural = "sources of versions"
        indexes: ClassVar = [
            models.Index("asked", name="sources_asked", condition=models.Q(asked__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"sources of version {self.version_id}"

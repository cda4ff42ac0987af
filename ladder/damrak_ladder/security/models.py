"""The model of the security log."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Upper

from damrak_ladder.security.kinds import SecurityEvent


class SecurityLogEntry(models.Model):
    """An event, or several equal ones within a few minutes."""

    at = models.DateTimeField()
    kind = models.CharField(max_length=30)  # a SecurityEvent
    # Entries outlive the account, and keep its name.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    name = models.CharField(max_length=150, blank=True)
    address = models.CharField(max_length=60, blank=True)
    detail: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    times = models.PositiveIntegerField(default=1)

    class Meta:
        indexes: ClassVar = [
            models.Index("kind", "at", name="security_kind_at"),
            models.Index("at", name="security_at"),
            models.Index("address", "id", name="security_address"),
            models.Index(Upper("name"), "id", name="security_name"),
        ]

    @property
    def kind_label(self) -> str:
        """Return the kind in the reader's language; as stored if a later version wrote it."""
        return str(dict(SecurityEvent.choices).get(self.kind, self.kind))

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.kind} {self.name or '-'} {self.address or '-'}"

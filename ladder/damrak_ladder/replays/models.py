"""Replays as rows, for installations that need nothing but a database."""

from __future__ import annotations

from django.db import models


class StoredReplay(models.Model):
    """A compressed replay under its own hash."""

    hash = models.CharField(max_length=64, primary_key=True)
    data = models.BinaryField()

    def __str__(self) -> str:
        return self.hash

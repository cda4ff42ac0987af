"""Notes of changes, written in the transaction that makes them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from damrak_ladder.changes.models import Change, ChangeKind


def note(kind: ChangeKind, subject: int, at: datetime, *, is_public: bool = True) -> None:
    """Note a change. Call it in the transaction of the change."""
    Change.objects.create(kind=kind, subject=subject, at=at, is_public=is_public)


def note_all(kind: ChangeKind, subjects: Iterable[int], at: datetime) -> None:
    """Note the same change of several subjects."""
    Change.objects.bulk_create(Change(kind=kind, subject=one, at=at) for one in subjects)

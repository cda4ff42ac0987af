"""Users for tests."""

from __future__ import annotations

from datetime import UTC, datetime

from damrak_ladder.accounts.models import User

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)


def somebody(name: str = "ann") -> User:
    """A user without a password, which is slow to make."""
    return User.objects.create(username=name, email=f"{name}@example.org")

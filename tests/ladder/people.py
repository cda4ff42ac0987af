"""Users for tests."""

from __future__ import annotations

from datetime import UTC, datetime

from damrak_ladder.accounts.models import User

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)


def somebody(name: str = "ann") -> User:
    """Return a user without a password, because hashing is slow."""
    return User.objects.create(username=name, email=f"{name}@example.org")

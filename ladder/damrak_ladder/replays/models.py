"""Replays stored as rows, for installations with only a database."""

from __future__ import annotations

from damrak_ladder.stores.rows import Content


class StoredReplay(Content):
    """A compressed replay under its own hash."""

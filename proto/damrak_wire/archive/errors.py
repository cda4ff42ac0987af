"""Errors of archives."""

from __future__ import annotations


class ArchiveRefused(Exception):
    """An archive that breaks a rule; `why` is one sentence for its author."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why

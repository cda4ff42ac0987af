"""What can be wrong with notices."""

from __future__ import annotations


class BadWebhook(ValueError):
    """An address to which no webhook may go; the message says why, in the reader's language."""

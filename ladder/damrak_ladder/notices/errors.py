"""Exceptions of notices."""

from __future__ import annotations


class BadWebhook(ValueError):
    """An address not allowed for webhooks; the message says why, in the reader's language."""

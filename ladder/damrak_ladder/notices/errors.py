"""Exceptions of notices."""

from __future__ import annotations


class BadWebhook(ValueError):
    """An address not allowed for webhooks; the message is in the language of the reader."""

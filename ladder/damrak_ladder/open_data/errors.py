"""Errors of dumps."""

from __future__ import annotations


class DumpError(Exception):
    """A dump cannot be read or written; the message gives the cause and the remedy."""

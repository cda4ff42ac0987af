"""Errors of the command line when a referee cannot run as asked."""

from __future__ import annotations


class Misuse(Exception):
    """A request that cannot be carried out; the message is one line and names what is wrong."""


class SettingError(Misuse):
    """An invalid setting; the message begins with its name."""

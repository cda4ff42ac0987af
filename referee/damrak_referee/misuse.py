"""What the command line says when a referee cannot be run as asked."""

from __future__ import annotations


class Misuse(Exception):
    """It cannot be done as given; the message is one line and names what is wrong."""


class SettingError(Misuse):
    """A setting that no referee can run with; the message begins with its name."""

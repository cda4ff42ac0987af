"""The exception for wrong use of the command line."""

from __future__ import annotations


class Misuse(Exception):
    """The command cannot be carried out as given; the message is the one line to print."""

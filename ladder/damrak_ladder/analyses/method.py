"""The version of the method of analysis."""

from __future__ import annotations

from typing import Final

METHOD: Final = 1
"""Increase it when results change: earlier analyses are then computed again on request."""

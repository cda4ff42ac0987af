"""Django on one database after another, within one process."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.db import connections


def use_database(configured: dict[str, Any]) -> None:
    """Let the default connection lead there from now on."""
    connections["default"].close()
    del connections["default"]
    connections.settings["default"] = connections.configure_settings({"default": configured})[
        "default"
    ]


def migrate() -> None:
    """Make the tables."""
    call_command("migrate", verbosity=0, interactive=False)


def empty() -> None:
    """Remove all rows."""
    call_command("flush", verbosity=0, interactive=False)

"""Django's management commands, for an operator."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from damrak_ladder.installation.environment import SettingError, read_environment
from damrak_ladder.installation.secrets import prepare_home

SETTINGS = "damrak_ladder.settings"


def prepare() -> None:
    """Make the data folder of this installation and tell Django where its settings are.

    Every process of the ladder begins with this.

    Raises:
        SystemExit: with one line that names the variable that is no good.
    """
    try:
        home = read_environment(os.environ).home
    except SettingError as problem:
        _refuse(str(problem))
    try:
        prepare_home(home)
    except OSError as problem:
        _refuse(f"DAMRAK_HOME: {home}: {(problem.strerror or 'cannot be used').lower()}")
    os.environ["DJANGO_SETTINGS_MODULE"] = SETTINGS


def manage(arguments: Sequence[str]) -> None:
    """Run a management command: `manage(["migrate"])`.

    Raises:
        SystemExit: if it fails, or if a variable is no good.
    """
    prepare()
    from django.core.management import execute_from_command_line  # needs the settings

    execute_from_command_line(["damrak-ladder manage", *arguments])


def load() -> None:
    """Make Django ready, for a command that uses the database.

    Raises:
        SystemExit: if a variable is no good.
    """
    prepare()
    import django  # needs the settings

    django.setup()


def _refuse(problem: str) -> NoReturn:
    sys.stderr.write(f"damrak-ladder: {problem}\n")
    raise SystemExit(2)


if __name__ == "__main__":
    manage(sys.argv[1:])

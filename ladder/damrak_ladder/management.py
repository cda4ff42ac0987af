"""Set-up of Django for the processes and commands of the ladder."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from damrak_ladder.installation.environment import SettingError, read_environment
from damrak_ladder.installation.restore_marker import unfinished_restore
from damrak_ladder.installation.secrets import prepare_home

SETTINGS = "damrak_ladder.settings"


def prepare(*, to_restore: bool = False) -> None:
    """Create the data folder of this installation and point Django to its settings.

    Every process of the ladder begins with this.

    Raises:
        SystemExit: with one line that names the variable that is not valid, or the backup whose
            restore was interrupted.
    """
    try:
        home = read_environment(os.environ).home
    except SettingError as problem:
        _refuse(str(problem))
    try:
        prepare_home(home)
    except FileExistsError:
        _refuse(f"DAMRAK_HOME: {home}: is there, and no folder")
    except OSError as problem:
        _refuse(f"DAMRAK_HOME: {home}: {(problem.strerror or 'cannot be used').lower()}")
    if not to_restore and (file := unfinished_restore(home)) is not None:
        _refuse(f"a restore was interrupted: damrak-ladder restore {file} --force")
    os.environ["DJANGO_SETTINGS_MODULE"] = SETTINGS


def manage(arguments: Sequence[str]) -> None:
    """Run a management command: `manage(["migrate"])`.

    Raises:
        SystemExit: if it fails, or if a variable is not valid.
    """
    prepare()
    from django.core.management import execute_from_command_line  # needs the settings

    execute_from_command_line(["damrak-ladder manage", *arguments])


def load(*, to_restore: bool = False) -> None:
    """Set up Django, for a command that uses the database.

    Raises:
        SystemExit: if a variable is not valid.
    """
    prepare(to_restore=to_restore)
    import django  # needs the settings

    django.setup()


def _refuse(problem: str) -> NoReturn:
    sys.stderr.write(f"damrak-ladder: {problem}\n")
    raise SystemExit(2)


if __name__ == "__main__":
    manage(sys.argv[1:])

"""The commands `damrak-ladder backup` and `damrak-ladder restore`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from damrak_ladder.commands.output import say
from damrak_ladder.commands.parser import add_command
from damrak_ladder.usage_errors import Misuse


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    backup = add_command(
        commands,
        "backup",
        "back up the installation to a file",
        """
        Writes the complete installation to one file: accounts, bots with their archives,
        matches, ratings, replays and keys. The platform can continue to run; the file is a
        consistent snapshot. The file contains the secret keys, so protect it accordingly. It
        can be restored into SQLite or PostgreSQL, regardless of the original database. Archives
        and replays are included wherever they are stored, and are restored to the storage that
        is configured then.
        """,
        """
        damrak-ladder backup monday.damrak
        damrak-ladder backup /backups/damrak-$(date +%F).damrak
        damrak-ladder backup latest.damrak --force       replaces the file
        """,
        _backup,
    )
    backup.add_argument("file", type=Path, metavar="FILE", help="the file to write")
    backup.add_argument("--force", action="store_true", help="overwrite an existing file")
    restore = add_command(
        commands,
        "restore",
        "restore the installation from a file",
        """
        Replaces this installation by the content of a backup. The file is verified completely
        before any change, and rows are replaced in one transaction. Stop all processes first.
        Existing data is not overwritten unless --force is given.
        """,
        """
        damrak-ladder restore monday.damrak
        DATABASE_URL=postgresql://… damrak-ladder restore monday.damrak    from SQLite, say
        damrak-ladder restore monday.damrak --force      all that is here now is lost
        damrak-ladder restore monday.damrak --check      only verify the file
        """,
        _restore,
    )
    restore.add_argument("file", type=Path, metavar="FILE", help="a file that `backup` wrote")
    restore.add_argument("--force", action="store_true", help="overwrite the existing data")
    restore.add_argument("--check", action="store_true", help="only verify the file")


def _backup(args: argparse.Namespace) -> int:
    from damrak_ladder.management import load

    load()
    from django.utils import timezone

    from damrak_ladder.backup.errors import BackupError
    from damrak_ladder.backup.save import save
    from damrak_ladder.stores.errors import StoreError

    try:
        saved = save(args.file, timezone.now(), _tell, replace=args.force)
    except (BackupError, StoreError) as problem:
        raise Misuse(str(problem)) from None
    except OSError as problem:
        raise Misuse(f"{args.file}: {(problem.strerror or str(problem)).lower()}") from None
    total = sum(saved.rows_of.values())
    say(f"{args.file}: {total} rows, {saved.files} files, {saved.bytes / 1e6:.1f} MB")
    return 0


def _restore(args: argparse.Namespace) -> int:
    from damrak_ladder.backup.errors import BackupError
    from damrak_ladder.management import load, prepare

    prepare(to_restore=True)
    if not args.check:
        _check_nobody_runs()
    load(to_restore=True)

    from damrak_ladder.backup.container import verified
    from damrak_ladder.backup.restore import restore
    from damrak_ladder.health.tables import bring_up_to_date
    from damrak_ladder.stores.errors import StoreError

    try:
        if args.check:
            header = verified(args.file)
            say(f"{args.file}: valid, created {header['created']} by version {header['software']}")
            return 0
        verified(args.file)  # before the tables are created
        bring_up_to_date()
        saved = restore(args.file, _tell, replace=args.force)
    except (BackupError, StoreError) as problem:
        raise Misuse(str(problem)) from None
    except OSError as problem:
        raise Misuse(f"{args.file}: {(problem.strerror or str(problem)).lower()}") from None
    say(f"restored: {sum(saved.rows_of.values())} rows, {saved.files} files")
    warn_of_another_key()
    return 0


def warn_of_another_key() -> None:
    """Warn if the settings name another key for replays than the restored one."""
    from django.conf import settings

    from damrak_ladder.replays.signatures import KEY_FILE, PlatformKey

    theirs = PlatformKey.at(settings.DAMRAK_HOME)
    chosen = settings.DAMRAK_REPLAY_KEY
    is_ours = chosen in {None, theirs.private.private_bytes_raw()}
    if not is_ours and theirs.public not in settings.DAMRAK_EARLIER_REPLAY_KEYS:
        where = Path(settings.DAMRAK_HOME) / KEY_FILE
        sys.stderr.write(
            "DAMRAK_LADDER_REPLAY_KEY is not the key that signed these replays, so none of them "
            f"counts (cure: set it to what `od -An -tx1 {where} | tr -d ' \\n'` prints)\n"
        )


def _check_nobody_runs() -> None:
    from damrak_ladder.embedded.lock import holder
    from damrak_ladder.installation.environment import read_environment

    if who := holder(read_environment(os.environ).home / "up.lock"):
        raise Misuse(f"Damrak is running ({who}); stop it first")


def _tell(line: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(line + "\n")

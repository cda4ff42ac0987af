"""Errors of backups.

BackupError
├── BackupDamaged   the file is not as it was written
├── BackupForeign   it is not a backup, or from software with other tables
└── NotEmpty        existing data would be lost
"""


class BackupError(Exception):
    """An error of a backup; the message is one line for an operator."""


class BackupDamaged(BackupError):
    """The file is not as it was written."""


class BackupForeign(BackupError):
    """The file is not a backup, or is from software with other tables."""


class NotEmpty(BackupError):
    """Existing data would be lost."""

"""What can be wrong with a backup.

BackupError
├── BackupDamaged   the file is not what was written
├── BackupForeign   it is of another kind, or of software with other tables
└── NotEmpty        there is something that would be lost
"""


class BackupError(Exception):
    """Something about a backup; the message is one line for an operator."""


class BackupDamaged(BackupError):
    """The file is not what was written."""


class BackupForeign(BackupError):
    """The file is no backup, or one of software with other tables."""


class NotEmpty(BackupError):
    """There is something that would be lost."""

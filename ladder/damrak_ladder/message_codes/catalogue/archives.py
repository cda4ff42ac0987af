"""Texts of messages about archives that were refused.

In English they are the same as those of `damrak_archive`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import bot_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.ArchiveTooLarge: _("The archive is larger than %(mebibytes)s MiB."),
    codes.ArchiveHoldsTooMuch: _("The files in the archive take more than %(mebibytes)s MiB."),
    codes.ArchiveRatio: _(
        "The files in the archive take more than %(times)s times the size of the archive."
    ),
    codes.ArchiveFiles: ngettext_lazy(
        "There is more than %(limit)s file in the archive.",
        "There are more than %(limit)s files in the archive.",
        "limit",
    ),
    codes.ArchiveDamagedOrCut: _("The archive is damaged or incomplete: %(problem)s"),
    codes.ArchiveInvalid: _("The archive cannot be read: %(problem)s"),
    codes.ArchiveTakesTooLong: _("The archive takes too much time or memory to be read."),
    codes.ArchiveEncrypted: _("The archive is encrypted."),
    codes.ArchiveCompression: _("Files in a zip archive must be stored or deflated."),
    codes.ArchiveLink: _("Links are not allowed: %(name)s"),
    codes.ArchiveSpecialFile: _("Only files and folders are allowed: %(name)s"),
    codes.ArchiveModeBits: _("Setuid, setgid and sticky bits are not allowed: %(name)s"),
    codes.ArchiveNameEncoding: _("A name is not plain UTF-8 text: %(name)s"),
    codes.ArchiveNameAbsolute: _("A name is not a relative path with / as separator: %(name)s"),
    codes.ArchiveNameOutside: _("A name leads out of the archive: %(name)s"),
    codes.ArchiveNameLength: _("A name is too long or has too many folders: %(name)s"),
    codes.ArchiveFileAndFolder: _("%(name)s is both a file and a folder."),
    codes.ArchiveNameTwice: _("%(name)s is in the archive twice."),
    codes.ArchiveFileLength: _("%(name)s does not have the length that the archive declares."),
    codes.ArchiveWithoutBot: _(
        "There is neither %(entry)s nor %(description)s at the top of the archive."
    ),
    codes.ArchiveWithoutRun: _("There is no %(entry)s, and %(description)s has no run."),
    codes.DescriptionKey: _(
        "%(description)s has the unknown key %(key)s. The known keys are run, class and runtime."
    ),
    codes.DescriptionBothKeys: _("%(description)s has both run and class. Keep one of them."),
    codes.DescriptionClass: _("In %(description)s, class must be the name of a class."),
    codes.DescriptionRuntime: _(
        "In %(description)s, runtime must be a name of lower-case letters, digits and hyphens."
    ),
    codes.RuntimeMissing: _(
        "The runtime %(runtime)s is not installed here. Installed are: %(available)s. Change"
        " runtime in %(description)s, or ask the operator to install it."
    ),
    codes.RuntimesMissing: _(
        "The runtime %(runtime)s is not installed here, and there are no other optional runtimes."
        " Remove runtime from %(description)s, or ask the operator to install it."
    ),
    codes.DescriptionLength: _("%(description)s is too long."),
    codes.DescriptionInvalid: _("%(description)s is not valid: %(problem)s"),
    codes.DescriptionRun: _(
        'In %(description)s, run must be a list of words, such as ["./prog", "arg"].'
    ),
    codes.DescriptionRunLength: _("In %(description)s, run is too long."),
    codes.DescriptionRunCharacters: _(
        "In %(description)s, run has characters that cannot be printed."
    ),
    codes.DescriptionRunEmpty: _("In %(description)s, run names no program."),
    codes.DescriptionProgram: _(
        "In %(description)s, run names %(program)s, which is not in the archive."
    ),
}

"""Texts of messages about bots and submissions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import bot_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.BotLimit: ngettext_lazy(
        "You can have no more than %(limit)s bot.",
        "You can have no more than %(limit)s bots.",
        "limit",
    ),
    codes.SubmissionLimit: ngettext_lazy(
        "You can make no more than %(limit)s submission an hour. Try again later.",
        "You can make no more than %(limit)s submissions an hour. Try again later.",
        "limit",
    ),
    codes.StorageLimit: _("Your archives may take no more than %(megabytes)s MB together."),
    codes.BotNameInUse: _("There is already a bot named %(name)s."),
    codes.SameContentAs: _("The content is the same as that of version %(version)s."),
    codes.VersionState: _("The version cannot be live, because its state is: %(state)s."),
    codes.StateChanged: _("The version has changed in the meantime. Its state is not: %(state)s."),
    codes.LiveVersionChanged: _("Another version has gone live in the meantime."),
    codes.FrozenFields: _("These fields of a version cannot be changed: %(fields)s."),
    codes.SavedOnce: _("A version can be saved only once."),
    codes.ArchiveMissing: _("The archive %(archive)s is missing from the store."),
    codes.ArchiveChanged: _("The archive %(archive)s has been changed in the store."),
    codes.ArchiveUnreadable: _("The archive %(archive)s cannot be read: %(problem)s"),
}

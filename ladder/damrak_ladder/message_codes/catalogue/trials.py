"""Texts of messages about tests and canaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import trial_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.TrialBlocks: _("most: %(blocks)s blocks are not in the range from 1 to %(limit)s."),
    codes.TrialElo: _("%(field)s: %(elo)s is not in the range from -1000 to 1000."),
    codes.TrialBoundsTooClose: _("elo1: must be at least 1 above elo0, or the test never ends."),
    codes.TrialErrorRates: _("alpha, beta: the error rates must be above 0 and below 0.5."),
    codes.VersionOfOthers: _("%(version)s is not your version, so you cannot test it."),
    codes.VersionNotPublic: _("%(version)s is neither your version nor live."),
    codes.SameVersion: _("Choose two different versions."),
    codes.VersionNotQualified: _(
        "%(version)s cannot play, because its state is: %(state)s. It must have qualified."
    ),
    codes.RemoteMeetsItself: _("A remote bot is connected once only, so its versions cannot meet."),
    codes.LadderClosed: _("%(ladder)s is closed."),
    codes.LadderNotForTwo: _("%(ladder)s cannot be played by two."),
    codes.LadderNotForKind: _("%(ladder)s does not admit bots of this kind: %(kind)s."),
    codes.BotWithoutVersion: _("%(bot)s has no version yet. Submit one first."),
    codes.TrialLimit: ngettext_lazy(
        "You can run no more than %(limit)s test at once. Wait until it ends, or cancel it.",
        "You can run no more than %(limit)s tests at once. Wait until one ends, or cancel one.",
        "limit",
    ),
}

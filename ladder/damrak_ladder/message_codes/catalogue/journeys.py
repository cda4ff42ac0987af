"""Texts of messages about a version's journey, its failures and its benching."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import journey_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.ArchiveReceived: ngettext_lazy(
        "%(size)s byte, SHA-256 %(digest)s…", "%(size)s bytes, SHA-256 %(digest)s…", "size"
    ),
    codes.RemoteRegistered: _("Registered. It qualifies as soon as it is connected."),
    codes.PythonBotFound: ngettext_lazy(
        "A Python bot in %(files)s file", "A Python bot in %(files)s files", "files"
    ),
    codes.PythonClassFound: ngettext_lazy(
        "A Python bot, the class %(class_name)s, in %(files)s file",
        "A Python bot, the class %(class_name)s, in %(files)s files",
        "files",
    ),
    codes.ProgramFound: ngettext_lazy(
        "A program in %(language)s, run as %(command)s, in %(files)s file",
        "A program in %(language)s, run as %(command)s, in %(files)s files",
        "files",
    ),
    codes.QueuedInSandbox: _("Queued: it plays %(opponents)s on %(board)s, in the sandbox."),
    codes.QueuedForConnection: _(
        "Queued: it plays %(opponents)s on %(board)s, as soon as it is connected."
    ),
    codes.QualificationPlaying: _("Its qualification block %(block)s is being played."),
    codes.QualificationPlayed: _("Its qualification block %(block)s was played."),
    codes.Qualified: ngettext_lazy(
        "Qualified: it played %(games)s game of block %(block)s without a fault.",
        "Qualified: it played all %(games)s games of block %(block)s without a fault.",
        "games",
    ),
    codes.NewerVersionLive: _(
        "Version %(version)s is newer and stays live. Make this one live if you like."
    ),
    codes.Live: _("Live: it plays for its bot from now on."),
    codes.LiveAndEntered: _("Live, and entered on %(ladders)s."),
    codes.CanaryBegun: _(
        "A canary now on %(ladders)s: shadow games that count for its own estimate only."
    ),
    codes.CanaryWithoutLadder: _(
        "No ladder is open to it, so it does not play as a canary. You can make it live at any"
        " time."
    ),
    codes.CanaryEstimate: _(
        "As a canary on %(ladder)s it reached %(elo)s Elo, between %(low)s and %(high)s. You can"
        " make it live."
    ),
    codes.QueuedAfterUntrustedHost: _(
        "Queued again, because the host on which it failed was not trustworthy."
    ),
    codes.QueuedAfterConnection: _("Queued again, because its connection broke: %(problem)s."),
    codes.QualificationGivenUp: _(
        "Its block %(block)s could not be played. The operators have been notified."
    ),
    codes.NotQualified: _("Not qualified. %(reason)s"),
    codes.Superseded: _("Version %(version)s connects in its place."),
    codes.AuthorDeleted: _("The account of its author was deleted."),
    codes.GamePlace: _("(game %(game)s, match %(match)s, seat %(seat)s)"),
    codes.GameTimeout: _("It took longer than its time control allows%(detail)s %(place)s."),
    codes.GameCrash: _("It crashed%(detail)s %(place)s."),
    codes.GameDisconnect: _("Its connection was lost%(detail)s %(place)s."),
    codes.GameIllegal: _("It chose illegal actions too often%(detail)s %(place)s."),
    codes.GameMemory: _("It used more memory than the sandbox allows%(detail)s %(place)s."),
    codes.GameProtocol: _("It violated the protocol%(detail)s %(place)s."),
    codes.GameFault: _("It failed (%(fault)s)%(detail)s %(place)s."),
    codes.FaultCount: "%(fault)s: %(count)s",
    codes.TooManyFaults: _(
        "%(faults)s of its latest %(games)s games ended with a fault of its own (%(kinds)s)."
    ),
    codes.Benched: _("Benched: %(reason)s A new version gets the bot back into play."),
    codes.Restored: _(
        "Restored, because games that it was benched for were played on a host that is not"
        " trustworthy."
    ),
    codes.TrialVerdict: _(
        "%(verdict)s; the lead is about %(lead)s Elo (between %(low)s and %(high)s)"
    ),
}

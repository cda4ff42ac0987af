"""Texts of messages about attempts, referees and hosts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import block_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.WorkerSilent: _("The worker stopped responding."),
    codes.WorkerEnded: _("The worker process ended."),
    codes.WorkerFailed: _("The worker failed with %(exception)s: %(problem)s"),
    codes.RefereeFailed: _("The referee at %(address)s failed: %(problem)s"),
    codes.StoreUnavailable: _("The store could not be reached: %(problem)s"),
    codes.MoveTakenBack: _("A move was taken back. The game goes on before it."),
    codes.BotNotConnected: _("%(bot)s was not connected, so the game could not begin."),
    codes.ReportedVoid: _("The referee declared the block void: %(problem)s"),
    codes.MatchesMissing: _(
        "The referee reports the block as finished, with results of %(reported)s of %(ordered)s"
        " matches."
    ),
    codes.SeatsDiffer: _("The referee reports %(reported)s seats instead of %(ordered)s."),
    codes.ReplayInvalid: _("The replay of match %(match)s is not valid: %(problem)s"),
    codes.WrongFirstSeat: _("In match %(match)s another seat began than was ordered."),
    codes.MatchNotOrdered: _(
        "The referee reports match %(match)s of attempt %(attempt)s, which was not ordered."
    ),
    codes.MatchReportedTwice: _("The referee reports match %(match)s twice."),
    codes.ReplayDiffers: _("The replay of match %(match)s differs from the order in: %(part)s."),
    codes.MatchCountDiffers: _("The report has %(reported)s matches instead of %(ordered)s."),
    codes.FaultNotSeated: _(
        "A fault is reported in seat %(seat)s of match %(match)s, which the block does not have."
    ),
    codes.AttemptOver: _("Attempt %(attempt)s at block %(block)s is over."),
    codes.TableSize: ngettext_lazy(
        "%(versions)s version cannot play at one table.",
        "%(versions)s versions cannot play at one table.",
        "versions",
    ),
    codes.TableRotations: _("A block cannot have this number of rotations: %(rotations)s."),
    codes.TableSeed: _("A seed cannot have this number of bytes: %(length)s."),
    codes.TableVersionKind: _("A version of the kind %(kind)s cannot be seated."),
    codes.HostQuarantined: _("Host %(host)s is in quarantine: %(reason)s"),
    codes.OperatorDecision: _("By an operator."),
    codes.OperatorReason: "%(text)s",
    codes.HostComparison: _(
        "(%(here)s against %(elsewhere)s, probability of a coincidence %(chance)s)"
    ),
    codes.HostScores: _(
        "Version %(version)s scores differently here than elsewhere %(comparison)s."
    ),
    codes.HostResults: _("Results deviate from the ratings more than elsewhere %(comparison)s."),
    codes.HostSlow: _(
        "Bots take %(times)s times as long to decide as on other hosts %(comparison)s."
    ),
    codes.HostBotFaults: _("Bots fail %(times)s times as often as elsewhere %(comparison)s."),
    codes.HostAttempts: _("Attempts fail %(times)s times as often as elsewhere %(comparison)s."),
}

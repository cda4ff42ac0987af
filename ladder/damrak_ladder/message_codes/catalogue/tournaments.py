"""Texts of messages about tournaments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import tournament_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.PlayedInQuarantine: _("Block %(block)s was played on %(host)s, which is in quarantine."),
    codes.BlockNotPlayable: ngettext_lazy(
        "Block %(block)s could not be played after %(tries)s try.",
        "Block %(block)s could not be played after %(tries)s tries.",
        "tries",
    ),
    codes.EntrantAbsent: ngettext_lazy(
        "%(bot)s has not been connected for %(minutes)s minute.",
        "%(bot)s has not been connected for %(minutes)s minutes.",
        "minutes",
    ),
    codes.SlowRound: _("Round %(number)s takes longer than forecast."),
    codes.RoundNotPairable: _(
        "Round %(number)s cannot be paired: its arranged and forbidden pairings leave a bot "
        "without an opponent."
    ),
    codes.MoreRoundsThanOpponents: _(
        "Entrants: %(entrants)s, rounds: %(rounds)s, rematches: at least %(least)s. "
        "Without rematches, the number of rounds is at most %(possible)s. "
        "A double round robin is another choice."
    ),
    codes.RematchesPossible: _(
        "Entrants: %(entrants)s, rounds: %(rounds)s. The last rounds may need rematches. Without "
        "this risk, the number of rounds is at most %(possible)s."
    ),
    codes.TooFewOpponents: _(
        "Entrants: %(entrants)s, rounds: %(rounds)s, bots kept apart from an entrant: at most "
        "%(apart)s. The last rounds may need rematches. Without this risk, the number of rounds "
        "is at most %(possible)s. Play fewer rounds, or limit the bots of an author."
    ),
    codes.MoreMeetingsThanPairs: _(
        "Entrants: %(entrants)s, rounds: %(rounds)s, meetings: %(meetings)s, pairs: %(pairs)s, "
        "rematches: at least %(least)s."
    ),
    codes.OwnerFillsTables: _(
        "Entrants of one author: %(entrants)s, tables: %(tables)s. They cannot be kept apart. "
        "Limit the bots of an author."
    ),
    codes.OwnerFillsField: _(
        "Entrants of one author: %(entrants)s of %(of)s. They cannot be kept apart. "
        "Limit the bots of an author."
    ),
    codes.ByeLikeWin: _("A bye is worth a won table; 1/2 is the mean of a table."),
}

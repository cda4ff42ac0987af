"""Texts of messages about ladders and boards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import ladder_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.LadderExists: _("There is already a ladder %(slug)s."),
    codes.LadderSlugFixed: _("The slug of a ladder cannot be changed, because links contain it."),
    codes.InvalidSlug: _("%(slug)s must consist of lower-case letters, digits and inner hyphens."),
    codes.TextTooLong: ngettext_lazy(
        "The text has more than %(limit)s character.",
        "The text has more than %(limit)s characters.",
        "limit",
    ),
    codes.TextUnprintable: _("The text has characters that cannot be printed."),
    codes.TextEmpty: _("The text is empty."),
    codes.InvalidOptions: _("The rule options are not valid: %(problem)s"),
    codes.InvalidControl: _("The time control is not valid: %(problem)s"),
    codes.RotationsOutOfRange: _("%(rotations)s is not in the range from 1 to %(limit)s."),
    codes.WeightNotPositive: _("The weight must be a number above 0."),
    codes.PlayersOutOfRange: _("A game has 2, 3 or 4 players, not %(players)s."),
    codes.ShareNegative: _("The share of games of %(players)s must be a number of at least 0."),
    codes.NoShare: _("At least one share must be above 0."),
    codes.BoardPlayers: _("The board %(board)s is for %(low)s to %(high)s players."),
    codes.FirstPlayerRotates: _(
        "first_player may not rotate, because the seats rotate within a block. Use random."
    ),
    codes.FirstPlayerSeat: _("first_player: a table for %(players)s has no %(seat)s."),
    codes.NoPlayersAdmitted: _("No bots are admitted, and there are fewer than two house bots."),
    codes.UnknownKind: _("There is no kind %(kind)s. Choose from %(known)s."),
    codes.InvalidHouseBot: _("The house bot is not valid: %(problem)s"),
    codes.HouseBotTwice: _("A house bot is listed twice."),
    codes.AnchorNotHouseBot: _("%(bot)s is not among the house bots of the ladder."),
    codes.AnchorElo: _("The Elo of %(bot)s is not in the range from %(low)s to %(high)s."),
    codes.NotAnAnchor: _("%(bot)s is not an anchor."),
    codes.AnchorDeviation: _(
        "The standard deviation of %(bot)s must be above 0 and at most %(limit)s Elo. A fixed"
        " anchor has none."
    ),
    codes.NoFixedAnchor: _("One anchor must be fixed, without a standard deviation."),
    codes.BoardExists: _("There is already a board named %(name)s."),
    codes.InvalidBoard: _("The board %(name)s is not valid: %(problem)s"),
    codes.NoBoards: _("A ladder needs at least one board."),
    codes.NoHealthyBoard: ngettext_lazy(
        "No healthy board was found in %(tries)s try.",
        "No healthy board was found in %(tries)s tries.",
        "tries",
    ),
    codes.BoardLocations: _(
        "%(entry)s must be %(prefix)sN, where N is a number of locations from %(low)s to %(high)s."
    ),
    codes.BoardUnknown: _("There is no board %(name)s."),
    codes.LimitUnknown: _("There is no limit %(name)s. Choose from %(known)s."),
    codes.LimitNotWhole: _("The limit %(name)s must be a whole number."),
    codes.FieldProblem: "%(field)s: %(problem)s",
}

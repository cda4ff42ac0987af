"""Texts of messages about notable games and runs, and about games in progress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import story_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.Upset: _("%(bot)s had a chance of 1 in %(odds)s and won on %(ladder)s."),
    codes.Comeback: _(
        "%(bot)s came back on %(ladder)s: its chance had been down to 1 in %(odds)s."
    ),
    codes.PointsRecord: ngettext_lazy(
        "%(bot)s won with %(points)s point, a record on %(ladder)s.",
        "%(bot)s won with %(points)s points, a record on %(ladder)s.",
        "points",
    ),
    codes.OnePoint: _("%(bot)s won by a single point on %(ladder)s."),
    codes.ContractMonster: ngettext_lazy(
        "%(bot)s fulfilled %(contracts)s contract in one game on %(ladder)s.",
        "%(bot)s fulfilled %(contracts)s contracts in one game on %(ladder)s.",
        "contracts",
    ),
    codes.WinStreak: ngettext_lazy(
        "%(bot)s has won %(games)s game in a row on %(ladder)s.",
        "%(bot)s has won %(games)s games in a row on %(ladder)s.",
        "games",
    ),
    codes.FirstWin: _("%(bot)s has won its first game on %(ladder)s."),
    codes.FeaturedFollowed: _("a bot you follow"),
    codes.FeaturedFinal: _("tournament final"),
    codes.FeaturedTournament: _("tournament"),
    codes.FeaturedTitle: _("first against second"),
    codes.FeaturedClose: _("close ratings"),
}

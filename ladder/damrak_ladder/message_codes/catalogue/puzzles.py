"""Texts of messages about the best moves of puzzles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import puzzle_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.ScoresAtOnce: ngettext_lazy(
        "It scores %(points)s point at once.", "It scores %(points)s points at once.", "points"
    ),
    codes.BringsGoods: _("It brings a goods card."),
    codes.FulfilsContract: _("The contract %(contract)s is fulfilled."),
    codes.FreeRoutes: _("Free routes of this colour: %(n)s."),
}

"""The texts of all messages, in English; the translations are in the catalogues of gettext.

A text contains the parameters by name. Where the plural depends on a parameter, the text is an
`ngettext_lazy` that names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from damrak_ladder.message_codes.catalogue import (
    accounts,
    acts,
    archives,
    blocks,
    bots,
    journeys,
    ladders,
    puzzles,
    queue,
    rules,
    stories,
    tournaments,
    trials,
)
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    **accounts.TEXTS,
    **acts.TEXTS,
    **archives.TEXTS,
    **blocks.TEXTS,
    **bots.TEXTS,
    **journeys.TEXTS,
    **ladders.TEXTS,
    **puzzles.TEXTS,
    **queue.TEXTS,
    **rules.TEXTS,
    **stories.TEXTS,
    **tournaments.TEXTS,
    **trials.TEXTS,
}

"""Kinds of notices, the channels of their delivery, and the defaults."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _


class Kind(models.TextChoices):
    """The subject of a notice."""

    QUALIFIED = "qualified", _("A version of mine qualified")
    FAILED = "failed", _("A version of mine failed to qualify")
    BENCHED = "benched", _("A version of mine was benched")
    TEST_FINISHED = "test_finished", _("A test of mine ended")
    CANARY_FINISHED = "canary_finished", _("A canary of mine finished")
    RANK_CHANGE = "rank_change", _("The rank of a bot of mine changed")
    TOURNAMENT_ROUND = "tournament_round", _("A tournament round with a bot of mine begins")
    TOURNAMENT_ENTRY = "tournament_entry", _("A bot of mine is entered in a tournament")
    TOURNAMENT_FREEZE = "tournament_freeze", _("The versions of a tournament are fixed soon")
    TOURNAMENT_RULES = "tournament_rules", _("The rules of a tournament of mine changed")
    TOURNAMENT_RESULT = "tournament_result", _("A result of a bot of mine is released")
    TOURNAMENT_RULING = "tournament_ruling", _("A ruling concerns a bot of mine")
    TOURNAMENT_PROMOTED = "tournament_promoted", _("A bot of mine reached the next stage")
    FOLLOWED = "followed", _("News of what I follow")
    WEBHOOK_DISABLED = "webhook_disabled", _("A webhook of mine was disabled")
    HOST_QUARANTINED = "host_quarantined", _("A host was quarantined")
    DEAD_BLOCK = "dead_block", _("A block failed")
    REPLAYS_WRONG = "replays_wrong", _("Stored replays failed verification")


class Channel(models.TextChoices):
    """A channel by which a notice reaches a user."""

    SITE = "site", _("On the site")
    MAIL = "mail", _("By email")
    WEBHOOK = "webhook", _("By webhook")


STAFF_KINDS: Final = frozenset({Kind.HOST_QUARANTINED, Kind.DEAD_BLOCK, Kind.REPLAYS_WRONG})
"""The kinds of notices that only staff receive."""

# Ranks change all day; users who want a mail each time can choose so.
_UNWANTED: Final = frozenset({(Kind.RANK_CHANGE, Channel.MAIL), (Kind.FOLLOWED, Channel.MAIL)})


def is_wanted_by_default(kind: Kind, channel: Channel) -> bool:
    """Return whether users without a rule receive this kind by this channel."""
    return (kind, channel) not in _UNWANTED

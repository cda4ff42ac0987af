"""Kinds of notices, the channels of their delivery, and the defaults."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _


class Kind(models.TextChoices):
    """The subject of a notice."""

    QUALIFIED = "qualified", _("A version of mine has qualified")
    FAILED = "failed", _("A version of mine has failed to qualify")
    BENCHED = "benched", _("A version of mine was benched")
    TEST_FINISHED = "test_finished", _("A test of mine has ended")
    CANARY_FINISHED = "canary_finished", _("A canary of mine has finished")
    RANK_CHANGE = "rank_change", _("The rank of a bot of mine has changed")
    TOURNAMENT_ROUND = "tournament_round", _("A tournament round with a bot of mine begins")
    HOST_QUARANTINED = "host_quarantined", _("A host was quarantined")
    DEAD_BLOCK = "dead_block", _("A block was given up")
    REPLAYS_WRONG = "replays_wrong", _("Stored replays are not true")


class Channel(models.TextChoices):
    """A channel by which a notice reaches a user."""

    SITE = "site", _("On the site")
    MAIL = "mail", _("By e-mail")
    WEBHOOK = "webhook", _("By webhook")


STAFF_KINDS: Final = frozenset({Kind.HOST_QUARANTINED, Kind.DEAD_BLOCK, Kind.REPLAYS_WRONG})
"""The kinds of notices that only staff receive."""

# Ranks change all day; users who want a mail each time can choose so.
_UNWANTED: Final = frozenset({(Kind.RANK_CHANGE, Channel.MAIL)})


def is_wanted_by_default(kind: Kind, channel: Channel) -> bool:
    """Return whether users without a rule receive this kind by this channel."""
    return (kind, channel) not in _UNWANTED

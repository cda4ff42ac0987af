"""Texts of messages about waiting blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _, ngettext_lazy

from damrak_ladder.message_codes import queue_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.NoWorker: _("no worker is running"),
    codes.StartsNow: _("it starts now"),
    codes.NextForPlace: _("it is next, and waits for a free worker"),
    codes.BehindOthersShare: ngettext_lazy(
        "%(ahead)s block is first, because other queues have used less of their share",
        "%(ahead)s blocks are first, because other queues have used less of their share",
        "ahead",
    ),
    codes.BehindSameQueue: ngettext_lazy(
        "%(ahead)s block is first",
        "%(ahead)s blocks are first, some of them of the same queue",
        "ahead",
    ),
    codes.HostBegins: _("%(host)s is about to start it"),
    codes.WaitsForConnection: _("it waits for %(bots)s to connect"),
    codes.OnDifferentHosts: _("%(bots)s are connected to different hosts, and so cannot meet"),
    codes.AnnouncedIn: ngettext_lazy(
        "it was announced for predictions, and starts in %(seconds)s second",
        "it was announced for predictions, and starts in %(seconds)s seconds",
        "seconds",
    ),
    codes.RetriesIn: ngettext_lazy(
        "it failed, and is tried again in %(seconds)s second",
        "it failed, and is tried again in %(seconds)s seconds",
        "seconds",
    ),
    codes.GamesPerMinute: ngettext_lazy(
        "no more than %(limit)s game starts per minute on this site",
        "no more than %(limit)s games start per minute on this site",
        "limit",
    ),
}

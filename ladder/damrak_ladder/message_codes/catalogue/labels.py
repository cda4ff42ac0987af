"""Names of the values of enumerations in messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

FAULTS: Final[Mapping[str, Any]] = {
    "timeout": _("out of time"),
    "crash": _("crashed"),
    "disconnect": _("disconnected"),
    "illegal": _("illegal action"),
    "memory": _("out of memory"),
    "protocol": _("broke the protocol"),
}

LABELS: Final[Mapping[str, Any]] = {
    **FAULTS,
    # The states of versions.
    "checking": _("checking"),
    "qualifying": _("qualifying"),
    "qualified": _("qualified"),
    "failed": _("failed"),
    "benched": _("benched"),
    # The kinds of versions.
    "uploaded": _("uploaded"),
    "remote": _("remote"),
    "house": _("house"),
    # The verdicts of tests.
    "better": _("better"),
    "not better": _("not better"),
    "undecided": _("undecided"),
    "cancelled": _("cancelled"),
    # The phases of tournaments.
    "draft": _("draft"),
    "open": _("open for entries"),
    "closed": _("entries closed"),
    "running": _("running"),
    "paused": _("paused"),
    "over": _("played, not yet final"),
    "final": _("final"),
    # The standings of entrants.
    "withdrawn": _("withdrawn"),
    "disqualified": _("disqualified"),
}


def fault_name(fault: str) -> str:
    """Return the name of a fault in the reader's language."""
    return str(FAULTS.get(fault, fault))

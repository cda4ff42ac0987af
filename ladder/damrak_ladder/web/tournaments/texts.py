"""Names of phases, formats, tie-breaks and acts for people."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

PHASES: Final[dict[str, tuple[Any, str]]] = {
    "draft": (_("draft"), ""),
    "open": (_("open for entries"), "good"),
    "closed": (_("entries closed"), "canal"),
    "running": (_("running"), "busy"),
    "paused": (_("paused"), "busy"),
    "over": (_("played, not yet final"), "canal"),
    "final": (_("final"), "good"),
    "cancelled": (_("cancelled"), "bad"),
}
"""The name of each phase, and the tone of its tag."""

NEXT_STEPS: Final[dict[str, Any]] = {
    "draft": _("The organisers prepare the tournament. Only they can see it."),
    "open": _("Bots can enter. When entries close, the version of each bot is fixed."),
    "closed": _("The versions are fixed. The first round is paired when the tournament starts."),
    "running": _("Games are being played. The next round is paired when this one is complete."),
    "paused": _("No new games begin until the organisers resume the tournament."),
    "over": _("All games are played. The organisers check the results before they become final."),
    "final": _("The results are final."),
    "cancelled": _("The tournament was cancelled. Games that were played can still be watched."),
}

ROUND_PHASES: Final[dict[str, tuple[Any, str]]] = {
    "playing": (_("being played"), "busy"),
    "complete": (_("complete"), "good"),
    "closed": (_("complete"), "good"),
    "hidden": (_("results not released"), ""),
    "superseded": (_("replaced"), "bad"),
}

FORMATS: Final[dict[str, Any]] = {
    "round-robin": _("Round robin"),
    "swiss": _("Swiss system"),
    "swiss-tables": _("Swiss system at tables"),
    "single-elimination": _("Knockout"),
    "double-elimination": _("Double elimination"),
    "gauntlet": _("Gauntlet"),
    "culling": _("Culling"),
    "groups": _("Groups"),
    "snapshot": _("Final of a ladder"),
}

TIE_BREAKS: Final[dict[str, Any]] = {
    "points": _("points"),
    "buchholz": _("Buchholz"),
    "buchholz-cut-1": _("Buchholz without the lowest"),
    "sonneborn-berger": _("Sonneborn-Berger"),
    "head-to-head": _("head-to-head result"),
    "first-places": _("first places"),
    "game-points": _("points in games"),
    "goods": _("goods delivered"),
    "sudden-death": _("sudden death"),
    "earlier-points": _("points of earlier stages"),
    "seed": _("seed"),
    "round": _("round reached"),
    "ruling": _("ruling"),
}

STANDINGS: Final[dict[str, tuple[Any, str]]] = {
    "in": (_("takes part"), "good"),
    "withdrawn": (_("withdrawn"), ""),
    "disqualified": (_("disqualified"), "bad"),
}

VERDICTS: Final[dict[str, Any]] = {
    "bye": _("bye"),
    "forfeit": _("forfeited"),
    "void": _("void by ruling"),
    "award": _("awarded by ruling"),
    "override": _("set by ruling"),
}
"""How a pairing was decided, unless it was simply played."""

ACTS: Final[dict[str, Any]] = {
    "create": _("Tournament created"),
    "rules": _("Rules changed"),
    "rename": _("Name changed"),
    "open": _("Entries opened"),
    "enter": _("Bot entered"),
    "withdraw": _("Bot withdrawn"),
    "close": _("Entries closed"),
    "start": _("Tournament started"),
    "pair": _("Round paired"),
    "pause": _("Tournament paused"),
    "resume": _("Tournament resumed"),
    "stop": _("Stop after the current round"),
    "arrange": _("Pairings arranged"),
    "speed": _("Speed changed"),
    "disqualify": _("Bot disqualified"),
    "override": _("Result set"),
    "replay_block": _("Block replayed"),
    "replay_round": _("Round replayed"),
    "forfeit": _("Pairing forfeited"),
    "skip_block": _("Block skipped"),
    "release": _("Results released"),
    "plan_release": _("Release of results planned"),
    "finish": _("All games played"),
    "finalise": _("Results made final"),
    "reopen": _("Tournament reopened"),
    "cancel": _("Tournament cancelled"),
    "undo": _("Act undone"),
}

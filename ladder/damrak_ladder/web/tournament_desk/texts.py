"""Names of rules, choices and acts for organisers."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

POINT_SYSTEMS: Final[dict[str, Any]] = {
    "share": _("mean share of opponents beaten"),
    "match": _("one for each opponent behind over the whole pairing"),
    "places": _("points for each place"),
}

TABLE_PREFERENCES: Final[dict[str, Any]] = {
    "score-groups": _("stay in score groups: close games, more rematches"),
    "balanced": _("balanced"),
    "avoid-rematches": _("avoid rematches: new opponents, larger gaps"),
}

VISIBILITIES: Final[dict[str, Any]] = {
    "public": _("public: listed for everyone"),
    "unlisted": _("unlisted: for everyone who has the address"),
    "private": _("private: for entrants and organisers"),
}

RELEASES: Final[dict[str, Any]] = {
    "hidden": _("hidden"),
    "entrants": _("entrants only"),
    "public": _("public"),
}
"""The audience of the results of a round."""

SEEDINGS: Final[dict[str, Any]] = {
    "rating": _("by rating"),
    "season": _("by the last season of the league"),
    "manual": _("by hand, at the start"),
    "lot": _("by lot"),
    "entry": _("in the order of entry"),
}

RULINGS: Final[dict[str, Any]] = {
    "keep": _("keep the results"),
    "void": _("void: they count for neither side"),
    "award": _("award: the opponents win"),
}
"""What happens to the played pairings of a disqualified bot."""

DO: Final[dict[str, Any]] = {
    "open": _("Open entries"),
    "close": _("Close entries"),
    "start": _("Start the tournament"),
    "pause": _("Pause"),
    "resume": _("Resume"),
    "stop": _("Stop after this round"),
    "speed": _("Limit the speed"),
    "enter": _("Add a bot"),
    "withdraw": _("Withdraw a bot"),
    "disqualify": _("Disqualify a bot"),
    "arrange": _("Arrange pairings"),
    "override": _("Set a result"),
    "replay_block": _("Replay a block"),
    "replay_round": _("Replay a round"),
    "forfeit": _("Forfeit a pairing"),
    "skip_block": _("Leave a block out"),
    "release": _("Release results"),
    "plan_release": _("Release results at a time"),
    "finalise": _("Make the results final"),
    "reopen": _("Reopen the tournament"),
    "cancel": _("Cancel the tournament"),
    "rules": _("Change the rules"),
    "rename": _("Change the name"),
    "undo": _("Undo an act"),
}
"""The names of acts on buttons."""

EFFECTS: Final[dict[str, Any]] = {
    "open": _("Authors can enter bots and withdraw them."),
    "close": _("The live version of each bot is fixed for the whole tournament."),
    "start": _("The seeds are fixed, and the first round is paired."),
    "pause": _("Blocks that are being played end; no further ones begin."),
    "resume": _("Blocks are played again, and rounds are paired."),
    "stop": _("No further round is paired until the tournament is resumed."),
    "speed": _("At most this many games begin in a minute. Empty: no limit."),
    "withdraw": _("The bot loses its open pairings. Results of decided pairings remain."),
    "disqualify": _(
        "The bot loses its open pairings. You choose what happens to those that are decided."
    ),
    "arrange": _("A round that is not paired yet gets these pairings."),
    "override": _("The places replace the result of the games."),
    "replay_block": _("Another block with new cards replaces this one."),
    "replay_round": _("The round and everything that follows from it is paired and played again."),
    "forfeit": _("These bots lose the pairing without playing."),
    "skip_block": _("The pairing is decided by its other blocks."),
    "release": _("Results are shown to this audience, on all pages, feeds and the API."),
    "plan_release": _("The results are released at this time, also of a round to come."),
    "finalise": _("The results do not change any more, unless you reopen the tournament."),
    "reopen": _("Results can be corrected again."),
    "cancel": _("No further games are played. Games that were played can still be watched."),
    "rename": _("The address stays as it is."),
    "undo": _("The tournament continues as if this act had not been made."),
}
"""What acts do, in a sentence."""

FATES: Final[dict[str, Any]] = {
    "struck": _("waiting blocks are not played"),
    "abandoned": _("running blocks are abandoned"),
    "superseded": _("recorded blocks stop counting"),
    "dropped": _("failed blocks are dropped"),
}
"""What happens to blocks that an act makes superfluous."""

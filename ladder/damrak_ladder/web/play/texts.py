"""Texts of the table for its script, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext as _

from damrak_ladder.web.replays.words import Words, words


def texts() -> Words:
    """Return the catalogue of the viewer, and what only a table needs."""
    return {**words(), **_turns(), **_reasons(), **_results()}


def _turns() -> Words:
    return {
        "your_turn": _("Your turn: take a card, claim a route or draw contracts."),
        "your_second": _("Take a second card."),
        "your_keep": _("Choose the contracts to keep."),
        "others_turn": _("The others are playing …"),
        "sent": _("Sent …"),
        "lost": _("Connection lost. Trying again …"),
        "again": _("The game was interrupted by a fault of the machine. It begins again."),
        "taken_back": _("Your last move was taken back."),
        "nothing_back": _("There is no move to take back."),
        "backs": _("Moves taken back in this game: %(n)s"),
        "thinking": _("Thinking …"),
        "advice_hint": _("Hint: %(action)s"),
        "advice_planner": _("planner would do this: %(action)s"),
        "no_advice": _("There are no more hints in this game."),
        "late": _("This answer came too late."),
        "claim_for": _("Claim %(route)s"),
        "time_left": _("Your time: %(time)s"),
        "claims": _("Routes that you can claim (%(n)s)"),
    }


def _reasons() -> Words:
    return {
        "not_yours": _("It is not your turn."),
        "keep_first": _("Choose your contracts first."),
        "second_first": _("You have taken a card: take a second one."),
        "taken": _("%(route)s belongs to %(bot)s."),
        "own": _("%(route)s is yours already."),
        "shut": _("%(route)s is closed in this game: the route beside it is taken."),
        "twin": _("The route beside %(route)s is yours, so this one is not open to you."),
        "few_carts": _("Too few carts for %(route)s: %(have)s of %(need)s."),
        "few_cards": _(
            "Too few cards of one colour for %(route)s: %(have)s of %(need)s with wilds."
        ),
        "few_coloured": _(
            "Too few cards for %(route)s: %(colour)s, %(have)s of %(need)s with wilds."
        ),
        "no_wild": _("A wild from the row cannot be the second card."),
        "not_now": _("This is not possible now."),
    }


def _results() -> Words:
    return {
        "you_won": _("You have won!"),
        "you_shared": _("You share the victory."),
        "you_lost": _("You are in place %(place)s."),
        "copied_link": _("The link was copied."),
    }

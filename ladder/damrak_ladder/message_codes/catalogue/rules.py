"""Texts of messages about the rules of tournaments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from damrak_ladder.message_codes import rule_codes as codes
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.FieldMissing: _("The field is missing."),
    codes.FieldUnknown: _("The field is not known. Known fields: %(known)s."),
    codes.NotAnObject: _("The value must be an object."),
    codes.NotAList: _("The value must be a list."),
    codes.NotWholes: _("The value must be a list of whole numbers."),
    codes.NotPairs: _("The value must be a list of pairs of whole numbers."),
    codes.NotAFlag: _("The value must be true or false."),
    codes.NotAText: _("The value must be a text of at most %(limit)s printable characters."),
    codes.NotWhole: _("The value must be a whole number of at least 0."),
    codes.WholeOutside: _("Choose a whole number from %(low)s to %(high)s."),
    codes.NumberOutside: _("Choose a number from %(low)s to %(high)s."),
    codes.UnknownChoice: _("%(value)s is unknown. Choose from: %(known)s."),
    codes.InvalidValue: _("%(value)s is not valid."),
    codes.NotATime: _("%(value)s is not a time such as %(example)s."),
    codes.NoTimeZone: _("The time needs a time zone."),
    codes.UnknownZone: _("There is no time zone %(zone)s."),
    codes.NotADomain: _("%(value)s is not a domain such as uni.example."),
    codes.RangeWithoutLadder: _("A rating range needs a ladder."),
    codes.TooManyStages: _("A tournament has 1 to %(limit)s stages."),
    codes.SourceMissing: _("State which places of which stage qualify."),
    codes.SourceNotEarlier: _("The stage must be an earlier one."),
    codes.DivisionsOutside: _("Choose 1 to %(limit)s divisions."),
    codes.TooManyMoves: _(
        "%(moving)s up and down move too many of %(target)s entrants; choose fewer, or larger "
        "divisions."
    ),
    codes.ListedTwice: _("A criterion is listed twice. List each one once."),
    codes.ForTwoOnly: _(
        "The format %(format)s is for 2 players. For larger tables choose %(other)s."
    ),
    codes.ForTablesOnly: _("The format %(format)s is for 3 or 4 players. For 2 choose %(other)s."),
    codes.KnockoutTables: _("A knockout has tables of 2 or 4."),
    codes.KnockoutRounds: _(
        "The number of entrants determines the rounds of a knockout. Leave the rounds out."
    ),
    codes.NoGroups: _("The format %(format)s has no groups. Choose the format groups."),
    codes.PlacePoints: _(
        "State the points of each place for every size of table, from 2 to %(players)s."
    ),
    codes.FieldSize: _("A stage has 2 to %(limit)s entrants, not %(entrants)s."),
    codes.TooManyGroups: _(
        "Groups: %(groups)s, entrants: %(entrants)s. A group needs at least 2 entrants, so "
        "choose at most %(possible)s groups."
    ),
    codes.TooManyChallengers: _(
        "Challengers: %(challengers)s, entrants: %(entrants)s. No opponents are left; choose "
        "at most %(possible)s."
    ),
    codes.SlugForm: _("The address consists of lower-case letters, digits and inner hyphens."),
    codes.TournamentExists: _("There is already a tournament %(slug)s."),
    codes.LeagueOfOther: _("The league %(slug)s belongs to another user."),
}

"""Texts of messages about acts in tournaments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from damrak_ladder.message_codes import (
    act_codes as codes,
    entry_codes as entries,
    season_codes as seasons,
    tournament_codes as warnings,
)
from damrak_ladder.message_codes.message import Message

TEXTS: Final[Mapping[type[Message], Any]] = {
    codes.ActOfPlatform: _("This act is reserved for the platform."),
    codes.OnlyOrganisers: _("Only an organiser of this tournament may do this."),
    codes.OnlyLeagueOrganisers: _("Only an organiser of this league may do this."),
    codes.OrganiserRole: _(
        "Only organisers can create tournaments. Ask the staff of this site for the role."
    ),
    entries.OnlyOwner: _("The bot %(bot)s belongs to another user."),
    codes.NeedsReason: _("This act needs a reason."),
    codes.StateReason: _("State it in the field “reason”."),
    codes.LongKey: _("The idempotency key has more than %(limit)s characters."),
    codes.KeyOfOtherAct: _("The idempotency key %(key)s belongs to act %(serial)s."),
    codes.StaleSerial: _(
        "The tournament is at serial %(serial)s, but the act was based on %(given)s."
    ),
    codes.StaleLeagueSerial: _(
        "The league is at serial %(serial)s, but the change was based on %(given)s."
    ),
    codes.WrongPhase: _("This is not possible in the present phase of the tournament: %(phase)s."),
    codes.PossiblePhases: _("It is possible in these phases: %(phases)s."),
    codes.NoCreation: _("The log does not begin with the creation of the tournament."),
    codes.RulesFixed: _("The rules are fixed once the first round is paired."),
    codes.EntryFixed: _("The conditions of entry are fixed once entries are closed."),
    codes.AlreadyEntered: _("This bot is already entered."),
    codes.EntrantExists: _("There is already an entrant %(number)s."),
    codes.LateVersion: _("A late entrant needs a version."),
    codes.SeedsIncomplete: _("The seeds do not list every entrant once."),
    codes.PreviewStart: _("Preview the start again."),
    codes.TwoEntrants: _("A tournament needs at least two entrants."),
    codes.AddEntrants: _("Add entrants."),
    codes.PairedTwice: _("An entrant is in two of these pairings."),
    codes.AlreadyPaired: _("Entrant %(number)s has been paired."),
    codes.WithdrawInstead: _("Withdraw the entrant instead."),
    codes.SpeedTooLow: _("The limit must be at least 1 game a minute."),
    codes.PauseInstead: _("Pause the tournament to stop all games."),
    codes.NoEntrant: _("There is no entrant %(number)s."),
    codes.EntrantLeft: _("Entrant %(number)s no longer takes part: %(standing)s."),
    codes.RoundPaired: _("Round %(round)s is already paired."),
    codes.ReplayRound: _("Replay the round instead."),
    codes.ReplayBlock: _("Replay the block instead."),
    codes.PlacesForEntrants: _(
        "State a place for each entrant. Entrants in this pairing: %(count)s."
    ),
    codes.NoBlock: _("This pairing has no block %(number)s."),
    codes.OtherPairing: _("These entrants are not in this pairing."),
    codes.NoTable: _("Round %(round)s has no table %(table)s."),
    codes.NoRound: _("There is no round %(round)s of stage %(stage)s."),
    codes.RoundNotPaired: _("Round %(round)s of stage %(stage)s is not paired."),
    codes.NotPlaces: _("These numbers are not places. Examples: 1, 2, 3, or 1, 1, 3 for a tie."),
    codes.NoAct: _("There is no act %(serial)s."),
    codes.CannotBeUndone: _("Act %(serial)s cannot be undone."),
    codes.UndoneAlready: _("Act %(serial)s is already undone."),
    codes.UndoTheUndo: _("Undo the act that undid it."),
    codes.BlocksWouldNotCount: _("These recorded blocks would no longer count: %(blocks)s."),
    codes.ReplayOrTrust: _("Replay the block, or trust the host again."),
    codes.NoBot: _("There is no bot %(bot)s."),
    codes.NameBySlug: _("Name the bot by its slug."),
    codes.EnterBeyond: _(
        "Increase the number of places in the rules, or enter the bot even if all places are taken."
    ),
    entries.NoQualifiedVersion: _("%(bot)s has no qualified version. Submit one first."),
    codes.EntrantsWithoutVersion: _("These entrants have no qualified version: %(numbers)s."),
    codes.WithdrawThese: _("Withdraw these entrants."),
    codes.RoundUndecided: _("Round %(round)s has pairings without a result."),
    codes.NeedsWinner: _("A knockout needs a winner."),
    codes.DifferentPlaces: _("Give the entrants different places."),
    codes.PairingDecided: _("This pairing is already decided."),
    codes.OverrideInstead: _("Override its result instead."),
    codes.LaterRounds: _("Later rounds depend on the result of this block."),
    seasons.ResultsNotPublic: _("The results of %(season)s are not final and public."),
    seasons.ReleaseAndFinalise: _("First release the results and make them final."),
    seasons.NotASeason: _("%(tournament)s is not a season of a league."),
    seasons.LaterSeason: _("The league has a later season."),
    seasons.BeginFromLatest: _("Begin the next season from that one."),
    seasons.SeasonNumberTaken: _("Another season of the league has the number %(number)s now."),
    seasons.OrganisersOfSeason: _("Only an organiser of the last season may begin the next one."),
    codes.OrganisersOfOriginal: _("Only an organiser of the original may copy it."),
    entries.EntriesNotOpen: _("Entries are not open."),
    entries.NotTakingPart: _("%(bot)s does not take part."),
    entries.PlacesTaken: _("All places are taken. Maximum: %(limit)s."),
    entries.BotsPerOwner: _("You have entered as many bots as one author may enter: %(limit)s."),
    entries.KindsAdmitted: _("Only bots of these kinds are admitted: %(kinds)s."),
    entries.LanguagesAdmitted: _("Only bots in these languages are admitted: %(languages)s."),
    entries.NeedsInvitation: _(
        "This tournament needs an invitation. Use the link of the organisers."
    ),
    entries.NeedsAddress: _("This tournament needs a verified email address at %(domain)s."),
    entries.NoRating: _("%(bot)s has no rating on %(ladder)s."),
    entries.RatingOutside: _(
        "%(bot)s has %(elo)s Elo on %(ladder)s, which is outside of the admitted range."
    ),
    entries.VersionPinned: _("%(bot)s plays in %(tournament)s, for which its version is fixed."),
    warnings.UnavoidableOwners: _("Pairs of one author that could not be avoided: %(pairs)s."),
    warnings.UnavoidableRematches: _("Rematches that could not be avoided: %(rematches)s."),
    warnings.UnavoidableByes: _("Second byes that could not be avoided: %(byes)s."),
}

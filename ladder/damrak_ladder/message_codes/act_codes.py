"""Messages about acts in tournaments: refusals, and what to do instead."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Key, Label, Labels, Message


class ActOfPlatform(Message, code="act-of-platform"):
    """Organisers cannot do this."""


class OnlyOrganisers(Message, code="only-organisers"):
    """The user does not run this tournament."""


class OnlyLeagueOrganisers(Message, code="only-league-organisers"):
    """The user is not an organiser of this league."""


class OrganiserRole(Message, code="organiser-role"):
    """The user does not have the role of an organiser."""


class NeedsReason(Message, code="needs-reason"):
    """The act needs a reason."""


class StateReason(Message, code="state-reason"):
    """What to do without a reason."""


class LongKey(Message, code="long-idempotency-key"):
    """The idempotency key is too long."""

    limit: int


class KeyOfOtherAct(Message, code="key-of-other-act"):
    """The idempotency key belongs to another act."""

    key: str
    serial: Key


class StaleSerial(Message, code="stale-serial"):
    """The tournament has changed since the serial of the request."""

    serial: Key
    given: Key


class StaleLeagueSerial(Message, code="stale-league-serial"):
    """The league has changed since the serial of the request."""

    serial: Key
    given: Key


class WrongPhase(Message, code="wrong-phase"):
    """The act does not apply in this phase."""

    phase: Label


class PossiblePhases(Message, code="possible-phases"):
    """The phases in which an act applies."""

    phases: Labels


class NoCreation(Message, code="no-creation"):
    """The log does not begin with the creation."""


class RulesFixed(Message, code="rules-fixed"):
    """The rules can no longer change."""


class EntryFixed(Message, code="entry-fixed"):
    """The conditions of entry can no longer change."""


class AlreadyEntered(Message, code="already-entered"):
    """The bot is entered already."""


class EntrantExists(Message, code="entrant-exists"):
    """An entrant has this number already."""

    number: Key


class LateVersion(Message, code="late-version"):
    """A late entrant has no version."""


class SeedsIncomplete(Message, code="seeds-incomplete"):
    """The seeds do not list every entrant once."""


class PreviewStart(Message, code="preview-start"):
    """What to do after a change of the entrants."""


class TwoEntrants(Message, code="two-entrants"):
    """The tournament has fewer than two entrants."""


class AddEntrants(Message, code="add-entrants"):
    """What to do without entrants."""


class PairedTwice(Message, code="paired-twice"):
    """An entrant is in two pairings."""


class AlreadyPaired(Message, code="already-paired"):
    """The entry cannot be taken back."""

    number: Key


class WithdrawInstead(Message, code="withdraw-instead"):
    """What to do instead of undoing an entry."""


class SpeedTooLow(Message, code="speed-too-low"):
    """The speed limit is below one game."""


class PauseInstead(Message, code="pause-instead"):
    """What to do to stop all games."""


class NoEntrant(Message, code="no-entrant"):
    """The entrant does not exist."""

    number: Key


class EntrantLeft(Message, code="entrant-left"):
    """The entrant no longer takes part."""

    number: Key
    standing: Label


class RoundPaired(Message, code="round-paired"):
    """The round is paired already."""

    round: Key


class ReplayRound(Message, code="replay-the-round"):
    """What to do about a round that is paired."""


class ReplayBlock(Message, code="replay-the-block"):
    """What to do about a block."""


class PlacesForEntrants(Message, code="places-for-entrants"):
    """The number of places is wrong."""

    count: int


class NoBlock(Message, code="no-block"):
    """The pairing has no such block."""

    number: Key


class OtherPairing(Message, code="other-pairing"):
    """The entrants are not in this pairing."""


class NoTable(Message, code="no-table"):
    """The round has no such table."""

    round: Key
    table: Key


class NoRound(Message, code="no-round"):
    """The stage has no such round."""

    round: Key
    stage: Key


class RoundNotPaired(Message, code="round-not-paired"):
    """The round is not paired yet."""

    round: Key
    stage: Key


class NotPlaces(Message, code="not-places"):
    """The numbers are not places."""


class NoAct(Message, code="no-act"):
    """The act does not exist."""

    serial: Key


class CannotBeUndone(Message, code="cannot-be-undone"):
    """Acts of this kind cannot be undone."""

    serial: Key


class UndoneAlready(Message, code="undone-already"):
    """The act is undone already."""

    serial: Key


class UndoTheUndo(Message, code="undo-the-undo"):
    """What to do to restore an undone act."""


class BlocksWouldNotCount(Message, code="blocks-would-not-count"):
    """Recorded blocks would stop counting."""

    blocks: int


class ReplayOrTrust(Message, code="replay-or-trust"):
    """What to do about a block of a host in quarantine."""


class NoBot(Message, code="no-bot"):
    """The bot does not exist."""

    bot: str


class NameBySlug(Message, code="name-by-slug"):
    """How to name a bot."""


class EnterBeyond(Message, code="enter-beyond"):
    """How to enter more bots than there are places."""


class EntrantsWithoutVersion(Message, code="entrants-without-version"):
    """Entrants have no qualified version."""

    numbers: tuple[str, ...]


class WithdrawThese(Message, code="withdraw-these"):
    """What to do about entrants without a version."""


class RoundUndecided(Message, code="round-undecided"):
    """The round has pairings without a result."""

    round: Key


class NeedsWinner(Message, code="needs-winner"):
    """A knockout cannot end in a tie."""


class DifferentPlaces(Message, code="different-places"):
    """What to do about a tie in a knockout."""


class PairingDecided(Message, code="pairing-decided"):
    """The pairing has a result."""


class OverrideInstead(Message, code="override-instead"):
    """What to do about a decided pairing."""


class LaterRounds(Message, code="later-rounds"):
    """Later rounds depend on the result."""


class OrganisersOfOriginal(Message, code="organisers-of-original"):
    """The user does not run the original."""

"""Entry of bots: the conditions, and the versions that are pinned when entries close."""

from __future__ import annotations

from hashlib import sha256

from allauth.account.models import EmailAddress

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot, Kind as BotKind, State as VersionState, Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.message_codes import entry_codes as codes
from damrak_ladder.standings.read.estimates import estimates
from damrak_ladder.tournaments.errors import NotEntered, Pinned
from damrak_ladder.tournaments.log.rules import EntryRules
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.values import Phase, Standing
from damrak_ladder.tournaments.models import Tournament


def check_conditions(
    tournament: Tournament, state: State, bot: Bot, user: User, invitation: str = ""
) -> None:
    """Check the conditions of entry.

    Raises:
        NotEntered
    """
    rules = state.rules.entry
    taking_part = [one for one in state.entrants.values() if one.standing is Standing.IN]
    if len(taking_part) >= rules.most:
        raise NotEntered(codes.PlacesTaken(rules.most))
    if sum(one.owner == user.pk for one in taking_part) >= rules.per_owner:
        raise NotEntered(codes.BotsPerOwner(rules.per_owner))
    version = version_of(bot)
    if version is None:
        raise NotEntered(codes.NoQualifiedVersion(bot.slug))
    if version.kind not in rules.kinds:
        raise NotEntered(codes.KindsAdmitted(rules.kinds))
    languages = {one.casefold() for one in rules.languages}
    if languages and version.language.casefold() not in languages:
        raise NotEntered(codes.LanguagesAdmitted(rules.languages))
    if rules.invited and not is_invited(tournament, invitation):
        raise NotEntered(codes.NeedsInvitation())
    if rules.domain and not _has_address(user, rules.domain):
        raise NotEntered(codes.NeedsAddress(rules.domain))
    _check_rating(rules, version)


def version_of(bot: Bot) -> Version | None:
    """Return the version that would be pinned now: the live one."""
    version = bot.live
    return version if version is not None and version.state == VersionState.QUALIFIED else None


def pinned_versions(state: State) -> dict[str, int]:
    """Return the live versions of the entrants' bots, by number of the entrant as a text."""
    bots = {one.bot: one.number for one in state.entrants.values() if state.is_in(one.number)}
    live = Version.objects.filter(live_in__in=bots, state=VersionState.QUALIFIED)
    return {str(bots[version.bot_id]): version.pk for version in live.order_by("pk")}


def is_invited(tournament: Tournament, token: str) -> bool:
    """Return whether this is the token of the current invitation link."""
    digest = sha256(token.encode()).hexdigest()
    return bool(tournament.invitation) and digest == tournament.invitation


def check_unpinned(bot: Bot) -> None:
    """Check that no tournament has pinned a remote version of this bot.

    A new remote version would connect in its place.

    Raises:
        Pinned
    """
    pinned = Tournament.objects.filter(
        entrants__bot=bot,
        entrants__standing=Standing.IN,
        entrants__version__kind=BotKind.REMOTE,
        phase__in=(Phase.CLOSED, Phase.RUNNING, Phase.PAUSED),
    )
    if (found := pinned.order_by("pk").first()) is not None:
        raise Pinned(codes.VersionPinned(bot.slug, found.name))


def _has_address(user: User, domain: str) -> bool:
    addresses = EmailAddress.objects.filter(user=user, verified=True)
    return any(
        address.lower().rpartition("@")[2] == domain
        for address in addresses.values_list("email", flat=True)
    )


def _check_rating(rules: EntryRules, version: Version) -> None:
    if rules.low is None and rules.high is None:
        return
    ladder = Ladder.objects.filter(slug=rules.ladder).first()
    known = None if ladder is None else estimates(ladder, [version.pk])[version.pk]
    if known is None or not known.is_rated:
        raise NotEntered(codes.NoRating(version.bot.slug, rules.ladder))
    low = rules.low if rules.low is not None else float("-inf")
    high = rules.high if rules.high is not None else float("inf")
    if not low <= known.elo <= high:
        raise NotEntered(codes.RatingOutside(version.bot.slug, round(known.elo), rules.ladder))

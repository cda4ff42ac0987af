"""Creation and copying of tournaments, and their invitation links."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from django.db import transaction

from damrak_ladder.accounts.models import User
from damrak_ladder.message_codes import act_codes as codes, rule_codes
from damrak_ladder.tournaments import desk, journal
from damrak_ladder.tournaments.access import may_create, may_run
from damrak_ladder.tournaments.errors import BadTournament, NotAllowed
from damrak_ladder.tournaments.log.acts import Act, Kind
from damrak_ladder.tournaments.log.course import Course
from damrak_ladder.tournaments.log.fold import fold
from damrak_ladder.tournaments.log.rules import Rules, rules_json
from damrak_ladder.tournaments.models import Act as ActRow, League, Tournament
from damrak_ladder.tournaments.records import write_rows
from damrak_ladder.tournaments.rule_checks import check_name, check_summary, checked_rules

_SLUG: Final = r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?"
_SECRET_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Plan:
    """A new tournament; `rules` are JSON."""

    slug: str
    name: str
    rules: dict[str, Any] = field(default_factory=dict)
    summary: str = ""
    league: League | None = None
    season: int | None = None


def create(owner: User, plan: Plan, now: datetime, *, is_platform: bool = False) -> Tournament:
    """Create a tournament, which begins as a draft.

    Raises:
        BadTournament: a field is not valid.
        NotAllowed: the user may not create tournaments.
    """
    if not is_platform and not may_create(owner):
        raise NotAllowed(codes.OrganiserRole())
    rules = checked_rules(plan.rules)
    _check_names(plan)
    with transaction.atomic():
        if Tournament.objects.filter(slug=plan.slug).exists():
            raise BadTournament("slug", rule_codes.TournamentExists(plan.slug))
        tournament = Tournament.objects.create(
            slug=plan.slug,
            name=plan.name,
            summary=plan.summary,
            owner=owner,
            league=plan.league,
            season=plan.season,
            secret=secrets.token_bytes(_SECRET_BYTES),
            created=now,
        )
        _begin_log(tournament, owner, rules, now)
    return tournament


def copy(original: Tournament, owner: User, slug: str, name: str, now: datetime) -> Tournament:
    """Create a tournament with the rules of another one, without its schedule.

    Raises:
        BadTournament, NotAllowed
    """
    if not may_run(owner, original):
        raise NotAllowed(codes.OrganisersOfOriginal())
    plan = Plan(slug, name, rules_to_copy(original), original.summary)
    return create(owner, plan, now)


def rules_to_copy(original: Tournament) -> dict[str, Any]:
    """Return the rules of a tournament as JSON, without the times of its schedule."""
    rules = rules_json(journal.state_of(original).rules)
    for moment in ("opens", "closes", "starts"):
        rules["schedule"][moment] = None
    return rules


def league_of(owner: User, slug: str, name: str, now: datetime) -> League:
    """Return the owner's league of this address, which is created if there is none.

    Raises:
        BadTournament: the address is not valid, or the league belongs to another user.
    """
    if not re.fullmatch(_SLUG, slug):
        raise BadTournament("league", rule_codes.SlugForm())
    values = {"name": name, "owner": owner, "created": now}
    league, _ = League.objects.get_or_create(slug=slug, defaults=values)
    if league.owner_id != owner.pk:
        raise BadTournament("league", rule_codes.LeagueOfOther(slug))
    return league


def rotate_invitation(tournament: Tournament) -> str:
    """Return the token of a new invitation link; the earlier link is void."""
    token = secrets.token_urlsafe(24)
    digest = sha256(token.encode()).hexdigest()
    Tournament.objects.filter(pk=tournament.pk).update(invitation=digest)
    tournament.invitation = digest
    return token


def change_rules(
    tournament: Tournament, actor: User, rules: object, now: datetime, serial: int | None = None
) -> desk.Answer:
    """Change the rules before the first pairing.

    Raises:
        BadTournament, NotAllowed, Refused, Stale
    """
    request = desk.Request(Kind.RULES, {"rules": rules}, actor=actor, serial=serial)
    return desk.perform(tournament, request, now)


def _begin_log(tournament: Tournament, owner: User, rules: Rules, now: datetime) -> None:
    act = Act(1, Kind.CREATE, {"rules": rules_json(rules), "source": ""}, owner.pk, now)
    digest = journal.digest_of(journal.first_digest(tournament), act)
    ActRow.objects.create(
        tournament=tournament,
        serial=1,
        kind=act.kind,
        payload=dict(act.payload),
        actor=owner,
        digest=digest,
        at=now,
    )
    tournament.serial, tournament.digest = 1, digest
    write_rows(tournament, None, fold([act]), Course(), now)


def _check_names(plan: Plan) -> None:
    if not re.fullmatch(_SLUG, plan.slug):
        raise BadTournament("slug", rule_codes.SlugForm())
    check_name(plan.name)
    check_summary(plan.summary)

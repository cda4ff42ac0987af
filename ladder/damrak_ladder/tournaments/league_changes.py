"""Changes of the texts of leagues, with a log of who changed what."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from damrak_ladder.accounts.models import User
from damrak_ladder.message_codes.act_codes import OnlyLeagueOrganisers
from damrak_ladder.tournaments.access import may_edit_league
from damrak_ladder.tournaments.errors import NotAllowed, StaleLeague
from damrak_ladder.tournaments.models import League, LeagueChange
from damrak_ladder.tournaments.rule_checks import check_name, check_summary


def change_league(
    league: League, actor: User, serial: int, texts: Mapping[str, str], now: datetime
) -> League:
    """Change `name` and `summary` as far as given, and return the league as it is then.

    Texts that equal the stored ones are not a change. The address stays.

    Raises:
        BadTournament: a text is not valid.
        NotAllowed: the user is not an organiser of the league.
        StaleLeague: the league has changed since this serial; nothing is changed.
    """
    if not may_edit_league(actor, league):
        raise NotAllowed(OnlyLeagueOrganisers())
    wanted = {field: texts[field].strip() for field in ("name", "summary") if field in texts}
    if "name" in wanted:
        check_name(wanted["name"])
    check_summary(wanted.get("summary", ""))
    with transaction.atomic():
        current = League.objects.get(pk=league.pk)
        if current.serial != serial:
            raise StaleLeague(serial, current.serial)
        before = {field: getattr(current, field) for field in wanted}
        changes = {
            field: [before[field], text] for field, text in wanted.items() if text != before[field]
        }
        if changes:
            _store(current, actor, changes, now)
    return current


def _store(league: League, actor: User, changes: dict[str, list[str]], now: datetime) -> None:
    given = league.serial
    league.serial += 1
    for field, (_, after) in changes.items():
        setattr(league, field, after)
    # The condition on the serial detects a change that is made at the same time.
    rows = League.objects.filter(pk=league.pk, serial=given)
    if not rows.update(name=league.name, summary=league.summary, serial=league.serial):
        raise StaleLeague(given, League.objects.values_list("serial", flat=True).get(pk=league.pk))
    LeagueChange.objects.create(
        league=league, serial=league.serial, actor=actor, changes=changes, at=now
    )

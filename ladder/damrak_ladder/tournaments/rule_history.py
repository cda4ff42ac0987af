"""The changes of a tournament's rules since it opened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.rules import parse_rules, rules_json
from damrak_ladder.tournaments.models import Act, Tournament


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A change of the rules, which are as `rules_json` returns them."""

    at: datetime
    reason: str  # empty if it is not public
    before: dict[str, Any]
    after: dict[str, Any]


def rule_changes(tournament: Tournament) -> list[RuleChange]:
    """Return the changes since the tournament opened, the latest first; drafts are private."""
    kinds = (Kind.CREATE, Kind.RULES, Kind.OPEN)
    rows = Act.objects.filter(tournament=tournament, kind__in=kinds).order_by("serial")
    before: dict[str, Any] = {}
    found: list[RuleChange] = []
    is_open = False
    for row in rows:
        if row.kind == Kind.OPEN:
            is_open = True
            continue
        rules = rules_json(parse_rules(row.payload["rules"]))
        if is_open and rules != before:
            found.append(RuleChange(row.at, row.reason if row.is_public else "", before, rules))
        before = rules
    found.reverse()
    return found

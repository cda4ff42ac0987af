"""The changes of an act in words: what its preview shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.tournaments.documents import Names
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.web.tournament_desk.rule_changes import Difference, differences
from damrak_ladder.web.tournament_desk.texts import FATES

_FIXED: Final = ("phase", "rules", "entrants", "releases", "pairings_removed", "pairings_added")


@dataclass(frozen=True, slots=True)
class Preview:
    """What an act would change, with names instead of numbers."""

    serial: int
    payload: str  # as JSON, for the form that confirms the act
    shown: str
    phase: Mapping[str, str] | None = None
    name: Mapping[str, str] | None = None
    stops: Mapping[str, Any] | None = None
    speed: Mapping[str, Any] | None = None
    rules: list[Difference] = field(default_factory=list)
    entrants: list[dict[str, Any]] = field(default_factory=list)
    removed: list[dict[str, Any]] = field(default_factory=list)
    added: list[dict[str, Any]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)
    planned: list[dict[str, Any]] = field(default_factory=list)
    moves: list[dict[str, Any]] = field(default_factory=list)
    releases: list[dict[str, Any]] = field(default_factory=list)
    standings: list[dict[str, Any]] = field(default_factory=list)
    blocks: list[tuple[int, Any]] = field(default_factory=list)
    was_public: list[dict[str, Any]] = field(default_factory=list)
    games_lost: int = 0
    minutes: float = 0.0
    is_empty: bool = False


def preview_of(
    serial: int, payload: Mapping[str, Any], changes: Mapping[str, Any], state: State, names: Names
) -> Preview:
    """Return the changes of an act, as `desk.preview` returns them, for people."""
    known = _Known(state, names, changes.get("entrants", []), payload)
    rules = changes.get("rules", {})
    return Preview(
        serial,
        json.dumps(payload, sort_keys=True),
        shown_of(changes),
        phase=changes.get("phase"),
        name=changes.get("name"),
        stops=changes.get("stops_after_round"),
        speed=changes.get("games_a_minute"),
        rules=differences(
            {name: one["before"] for name, one in rules.items()},
            {name: one["after"] for name, one in rules.items()},
        ),
        entrants=[
            one | {"of": known.short(one["entrant"]), "version": known.versions.get(one["version"])}
            for one in changes.get("entrants", [])
        ],
        removed=known.pairings(changes, "pairings_removed"),
        added=known.pairings(changes, "pairings_added"),
        results=known.pairings(changes, "results"),
        releases=known.pairings(changes, "releases"),
        standings=[
            one | {"of": known.short(one["entrant"])} for one in changes.get("standings", [])
        ],
        planned=changes.get("planned", []),
        moves=known.moves(payload),
        blocks=[(count, FATES[name]) for name, count in changes.get("blocks", {}).items()],
        was_public=known.pairings(changes, "was_public"),
        games_lost=changes.get("games_lost", 0),
        minutes=changes.get("minutes", 0.0),
        is_empty=not changes,
    )


def shown_of(changes: Mapping[str, Any]) -> str:
    """Return a digest of the changes that depend on more than the log and the results of games.

    Live versions and ratings can change between a preview and its act without a new serial.
    """
    said = {name: changes[name] for name in _FIXED if name in changes}
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()[:32]


class _Known:
    """Names of the entrants, versions and pairings in a preview, read with few queries."""

    def __init__(
        self,
        state: State,
        names: Names,
        entrants: list[dict[str, Any]],
        payload: Mapping[str, Any],
    ) -> None:
        self._names = names
        self._met = {
            (one.key.stage, one.key.round, one.key.table): one.entrants
            for _, one in state.pairings()
        }
        wanted = {one["version"] for one in entrants if one["version"] is not None}
        rows = Version.objects.filter(pk__in=wanted).values_list("pk", "number")
        self.versions = dict(rows) if wanted else {}
        self._new: dict[int, dict[str, Any]] = {}
        if "entrant" in payload and "bot" in payload:
            bot = Bot.objects.get(pk=payload["bot"])
            number = payload["entrant"]
            self._new[number] = {"entrant": number, "bot": bot.slug, "name": bot.name}

    def short(self, number: int) -> dict[str, Any]:
        """Return an entrant as it appears in tables."""
        return self._new[number] if number in self._new else self._names.short(number)

    def moves(self, payload: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the moves between divisions, which count from 1."""
        return [
            {
                "of": self.short(one["entrant"]),
                "was": None if one["was"] is None else one["was"] + 1,
                "now": one["now"] + 1,
            }
            for one in payload.get("moves", ())
            if one["was"] != one["now"]
        ]

    def pairings(self, changes: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
        """Return the pairings of this part of the changes with the names of their entrants."""
        found = []
        for one in changes.get(name, []):
            place = (one["stage"], one["round"], one["table"])
            numbers = one.get("entrants") or self._met.get(place, ())
            found.append(one | {"of": [self.short(number) for number in numbers]})
        return found

"""The rules of a tournament, parsed from JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, time
from fractions import Fraction
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from damrak_ladder.message_codes import rule_codes as codes
from damrak_ladder.tournaments.formats.rules import FORMATS, StageRules
from damrak_ladder.tournaments.formats.values import RulesError
from damrak_ladder.tournaments.log import json_fields
from damrak_ladder.tournaments.log.errors import BadRules
from damrak_ladder.tournaments.log.values import Release

VISIBILITIES: Final = ("public", "unlisted", "private")
SEEDINGS: Final = ("rating", "entry", "lot", "manual", "season")
KINDS: Final = ("uploaded", "house", "remote")
MOST_HOURS: Final = 366 * 24
MOST_STAGES: Final = 32
_DOMAIN: Final = r"[a-z0-9-]+(\.[a-z0-9-]+)+"


@dataclass(frozen=True, slots=True)
class Source:
    """The entrants of a stage: the places `first` to `last` of an earlier stage.

    Without a stage, all entrants of the tournament. `entrants` lists them explicitly, by number.
    """

    stage: int | None = None
    first: int = 1
    last: int | None = None
    entrants: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StagePlan:
    """A stage: the rules of its format, and which entrants take part."""

    rules: StageRules
    name: str = ""
    sources: tuple[Source, ...] = (Source(),)


@dataclass(frozen=True, slots=True)
class EntryRules:
    """The conditions of entry."""

    kinds: tuple[str, ...] = ("uploaded", "house")
    invited: bool = False
    domain: str = ""  # of a verified email address
    low: float | None = None  # the rating range
    high: float | None = None
    ladder: str = ""  # whose ratings
    per_owner: int = 1
    languages: tuple[str, ...] = ()
    most: int = 200


@dataclass(frozen=True, slots=True)
class Schedule:
    """Times at which the tournament advances without an act of the organiser."""

    opens: datetime | None = None
    closes: datetime | None = None
    starts: datetime | None = None
    daily: time | None = None  # the earliest local time of the next round, one round a day
    zone: str = "UTC"
    next_season_h: int | None = None  # hours from the last game to the next season of a league


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a tournament. All but the schedule are fixed at the first pairing."""

    stages: tuple[StagePlan, ...]
    boards: tuple[str, ...] = ("amsterdam",)
    options: Mapping[str, str] = field(default_factory=dict)
    control: Mapping[str, Any] = field(default_factory=dict)
    rotations: int = 1
    patience_s: int = 600
    absent: str = "forfeit"  # or "wait"
    dead: str = "wait"  # or "skip"
    entry: EntryRules = field(default_factory=EntryRules)
    seeding: str = "rating"
    schedule: Schedule = field(default_factory=Schedule)
    visibility: str = "public"
    reveal: Release = Release.PUBLIC
    games_a_minute: int | None = None


def parse_rules(given: object) -> Rules:
    """Return the rules in this JSON object; missing fields have their defaults.

    Raises:
        BadRules
    """
    said = json_fields.known("rules", given, Rules)
    stages = json_fields.listed("stages", said.pop("stages", None))
    if not 1 <= len(stages) <= MOST_STAGES:
        raise BadRules("stages", codes.TooManyStages(MOST_STAGES))
    values: dict[str, Any] = {
        "stages": tuple(_stage(number, stage) for number, stage in enumerate(stages)),
        "entry": _entry(said.pop("entry", {})),
        "schedule": _schedule(said.pop("schedule", {})),
    }
    for name, value in said.items():
        values[name] = _FIELDS[name](name, value)
    return Rules(**values)


def rules_json(rules: Rules) -> dict[str, Any]:
    """Return the rules as JSON; `parse_rules` restores them."""
    said = asdict(rules)
    schedule = rules.schedule
    said["stages"] = [{**one.pop("rules"), **one} for one in said["stages"]]
    said["schedule"] |= {
        name: None if value is None else value.isoformat()
        for name, value in (
            ("opens", schedule.opens),
            ("closes", schedule.closes),
            ("starts", schedule.starts),
            ("daily", schedule.daily),
        )
    }
    plain: dict[str, Any] = _plain(said)
    return plain


def changed_fields(before: Rules, after: Rules) -> dict[str, tuple[Any, Any]]:
    """Return the fields that differ, each with its value before and after, as JSON."""
    old, new = rules_json(before), rules_json(after)
    return {name: (old[name], new[name]) for name in old if old[name] != new[name]}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, (Release, Fraction)) else value


def _stage(number: int, given: object) -> StagePlan:
    name = f"stages.{number}"
    said = json_fields.mapping(name, given)
    title = json_fields.word(f"{name}.name", said.pop("name", ""), 60)
    sources: tuple[Source, ...] = (Source(),)
    if "sources" in said:
        found = json_fields.listed(f"{name}.sources", said.pop("sources"))
        if not 1 <= len(found) <= MOST_STAGES:
            raise BadRules(f"{name}.sources", codes.WholeOutside(1, MOST_STAGES))
        sources = tuple(_source(name, number, one) for one in found)
    elif number:
        raise BadRules(f"{name}.sources", codes.SourceMissing())
    if "format" not in said:
        raise BadRules(f"{name}.format", codes.UnknownChoice(json_fields.shown(None), FORMATS))
    values: dict[str, Any] = {}
    for key, value in json_fields.known(name, said, StageRules).items():
        try:
            values[key] = _FORMAT_FIELDS.get(key, json_fields.plain_number)(f"{name}.{key}", value)
        except (TypeError, ZeroDivisionError):
            raise BadRules(f"{name}.{key}", codes.InvalidValue(json_fields.shown(value))) from None
    rules = StageRules(**values)
    try:
        rules.validate()
    except RulesError as problem:
        raise BadRules(f"{name}.{problem.field}", problem.message) from None
    return StagePlan(rules, title, sources)


def _source(name: str, number: int, given: object) -> Source:
    said = json_fields.known(f"{name}.sources", given, Source)
    stage = said.get("stage")
    if stage is not None:
        stage = json_fields.whole(f"{name}.sources.stage", stage, 0, MOST_STAGES)
        if stage >= number:
            raise BadRules(f"{name}.sources.stage", codes.SourceNotEarlier())
    first = json_fields.whole(f"{name}.sources.first", said.get("first", 1), 1, 10_000)
    last = said.get("last")
    if last is not None:
        last = json_fields.whole(f"{name}.sources.last", last, first, 10_000)
    entrants = tuple(
        json_fields.whole(f"{name}.sources.entrants", one, 1, 1 << 31)
        for one in json_fields.listed(f"{name}.sources.entrants", said.get("entrants", []))
    )
    return Source(stage, first, last, entrants)


def _entry(given: object) -> EntryRules:
    said = json_fields.known("entry", given, EntryRules)
    values: dict[str, Any] = {}
    for key, value in said.items():
        name = f"entry.{key}"
        match key:
            case "kinds":
                values[key] = json_fields.words(name, value, KINDS)
            case "languages":
                values[key] = tuple(
                    json_fields.word(name, one, 30) for one in json_fields.listed(name, value)
                )
            case "invited":
                values[key] = json_fields.flag(name, value)
            case "domain":
                values[key] = json_fields.word(name, value, 200).lower()
                if value and not re.fullmatch(_DOMAIN, values[key]):
                    raise BadRules(name, codes.NotADomain(value))
            case "low" | "high":
                values[key] = (
                    None if value is None else json_fields.number(name, value, -10_000, 10_000)
                )
            case "ladder":
                values[key] = json_fields.word(name, value, 40)
            case _:
                values[key] = json_fields.whole(name, value, 1, 2000)
    rules = EntryRules(**values)
    if (rules.low is not None or rules.high is not None) and not rules.ladder:
        raise BadRules("entry.ladder", codes.RangeWithoutLadder())
    return rules


def _schedule(given: object) -> Schedule:
    said = json_fields.known("schedule", given, Schedule)
    values: dict[str, Any] = {}
    for key in ("opens", "closes", "starts"):
        if (value := said.get(key)) is not None:
            values[key] = _moment(f"schedule.{key}", value)
    if (daily := said.get("daily")) is not None:
        try:
            values["daily"] = time.fromisoformat(json_fields.word("schedule.daily", daily, 8))
        except ValueError:
            raise BadRules("schedule.daily", codes.NotATime(str(daily), "20:00")) from None
    zone = json_fields.word("schedule.zone", said.get("zone", "UTC"), 60)
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadRules("schedule.zone", codes.UnknownZone(zone)) from None
    hours = _optional_whole("schedule.next_season_h", said.get("next_season_h"), 0, MOST_HOURS)
    return Schedule(**values, zone=zone, next_season_h=hours)


def _moment(name: str, value: object) -> datetime:
    try:
        found = datetime.fromisoformat(json_fields.word(name, value, 40))
    except ValueError:
        raise BadRules(name, codes.NotATime(json_fields.shown(value), _MOMENT)) from None
    if found.tzinfo is None:
        raise BadRules(name, codes.NoTimeZone())
    return found


def _optional_whole(name: str, given: object, low: int, high: int) -> int | None:
    return None if given is None else json_fields.whole(name, given, low, high)


_MOMENT: Final = "2030-01-31T20:00+01:00"
_FIELDS: Final[dict[str, Any]] = {
    "boards": lambda name, value: tuple(
        json_fields.word(name, one, 200) for one in json_fields.listed(name, value)
    ),
    "options": json_fields.mapping,
    "control": json_fields.mapping,
    "rotations": lambda name, value: json_fields.whole(name, value, 1, 20),
    "patience_s": lambda name, value: json_fields.whole(name, value, 10, 7 * 86_400),
    "absent": lambda name, value: json_fields.choice(name, value, ("forfeit", "wait")),
    "dead": lambda name, value: json_fields.choice(name, value, ("wait", "skip")),
    "seeding": lambda name, value: json_fields.choice(name, value, SEEDINGS),
    "visibility": lambda name, value: json_fields.choice(name, value, VISIBILITIES),
    "reveal": lambda name, value: Release(json_fields.choice(name, value, tuple(Release))),
    "games_a_minute": lambda name, value: _optional_whole(name, value, 1, 100_000),
}

_FORMAT_FIELDS: Final[dict[str, Any]] = {
    "format": lambda name, value: json_fields.word(name, value, 40),
    "points": lambda name, value: json_fields.word(name, value, 40),
    "table_preference": lambda name, value: json_fields.word(name, value, 40),
    "place_points": lambda name, value: tuple(
        tuple(json_fields.fraction(name, one) for one in json_fields.listed(name, row))
        for row in json_fields.listed(name, value)
    ),
    "bye_points": lambda name, value: None if value is None else json_fields.fraction(name, value),
    "tie_breaks": lambda name, value: (
        None
        if value is None
        else tuple(json_fields.word(name, one, 40) for one in json_fields.listed(name, value))
    ),
    **dict.fromkeys(
        ("leaders_together", "same_owner_apart", "third_place", "bracket_reset", "double"),
        json_fields.flag,
    ),
}

"""Enumerations and exact numbers of the API of tournaments."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field
from typing_extensions import TypeAliasType

from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.types import among, one_of
from damrak_ladder.tournaments.formats import rules as formats
from damrak_ladder.tournaments.log import rules, values
from damrak_ladder.tournaments.log.acts import AUTOMATIC, Kind

ACTS: Final = tuple(sorted(set(Kind) - AUTOMATIC - {Kind.CREATE}))
"""The acts of organisers."""
MOST: Final = (1 << 31) - 1


def _act(kind: str) -> str:
    if kind not in ACTS:
        raise ValueError(f"there is no act {kind[:40]!r}; there are: {', '.join(ACTS)}")
    return kind


Fraction = Annotated[str, Field(pattern=r"^-?[0-9]+(/[0-9]+)?$")]
"""An exact number, such as "5/2"."""
Timestamp = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""A time, as it is stored: it is part of hashes."""
Slug = Annotated[str, Field(max_length=40, pattern=STORABLE)]
Number = Annotated[int, Field(ge=0, le=MOST)]

TournamentPhase = TypeAliasType(
    "TournamentPhase", Annotated[str, AfterValidator(values.Phase), one_of(values.Phase)]
)
RoundPhase = TypeAliasType(
    "RoundPhase", Annotated[str, among("hidden", *map(str, values.RoundPhase))]
)
PairingState = TypeAliasType("PairingState", Annotated[str, among("hidden", "decided", "open")])
Decision = TypeAliasType(
    "Decision",
    Annotated[str, among("", "played", "bye", "forfeit", "void", "award", "override")],
)
Release = TypeAliasType("Release", Annotated[str, one_of(values.Release)])
EntrantState = TypeAliasType("EntrantState", Annotated[str, one_of(values.Standing)])
Ruling = TypeAliasType("Ruling", Annotated[str, one_of(values.Ruling)])
Visibility = TypeAliasType("Visibility", Annotated[str, among(*rules.VISIBILITIES)])
Seeding = TypeAliasType("Seeding", Annotated[str, among(*rules.SEEDINGS)])
Absence = TypeAliasType("Absence", Annotated[str, among("forfeit", "wait")])
DeadBlocks = TypeAliasType("DeadBlocks", Annotated[str, among("wait", "skip")])
Format = TypeAliasType("Format", Annotated[str, among(*formats.FORMATS)])
PointRule = TypeAliasType("PointRule", Annotated[str, among(*formats.POINTS)])
TieBreakName = TypeAliasType("TieBreakName", Annotated[str, among(*formats.TIE_BREAKS)])
TablePreference = TypeAliasType("TablePreference", Annotated[str, among(*formats.PREFERENCES)])
TableFormat = TypeAliasType("TableFormat", Annotated[str, among("json", "csv")])
AnyActKind = TypeAliasType("AnyActKind", Annotated[str, one_of(Kind)])
ActKind = TypeAliasType("ActKind", Annotated[str, AfterValidator(_act), among(*ACTS)])
ActPayload = TypeAliasType("ActPayload", dict[str, Any])
"""The fields of an act, which depend on its kind; api.md lists them."""
AlertKind = TypeAliasType(
    "AlertKind", Annotated[str, among("host", "absent", "dead", "slow", "pairing", "plan")]
)
PairingCost = TypeAliasType("PairingCost", dict[str, str | list[str]])
"""The cost of the pairing, in parts by name, and `warnings`."""

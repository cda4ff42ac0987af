"""The report of a tournament as PDF: what was played, the tables, the rounds and the rulings.

It is in English and holds what the viewer may know. Bots appear with their names in addresses.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from damrak_ladder.tournaments.disclosure import Disclosed
from damrak_ladder.tournaments.export import export_json
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.pdf import Column, Report

_TABLE = (
    Column(76, "Place", is_number=True),
    Column(90, "Bot"),
    Column(330, "Points", is_number=True),
    Column(385, "Played", is_number=True),
    Column(400, "Decided by"),
)
_ENTRANTS = (
    Column(76, "Seed", is_number=True),
    Column(90, "Bot"),
    Column(330, "Version"),
)
_PAIRINGS = (
    Column(76, "Table", is_number=True),
    Column(90, "Bots"),
    Column(400, "Points"),
    Column(490, "How"),
)


def report_pdf(tournament: Tournament, seen: Disclosed) -> bytes:
    """Return the report that this viewer may read."""
    said = export_json(tournament, seen)
    report = Report(tournament.name)
    report.heading(tournament.name, 20)
    formats = ", ".join(stage["format"] for stage in said["stages"])
    report.line(f"{formats}; {len(said['entrants'])} entrants; {said['phase']}")
    report.line(f"Organised by {said['organiser']}. Boards: {', '.join(said['rules']['boards'])}.")
    for table in reversed(said["standings"]):
        _standings(report, table)
    report.heading("Entrants")
    report.table(_ENTRANTS, [_entrant(one) for one in said["entrants"]])
    for stage in said["stages"]:
        for made in stage["rounds"]:
            report.heading(f"{_name(stage)}, round {made['round']}", 11)
            report.table(_PAIRINGS, [_pairing(one) for one in made["pairings"]])
    _rulings(report, said["acts"])
    return report.content()


def _standings(report: Report, table: dict[str, Any]) -> None:
    rounds = table["rounds_played"]
    report.heading(f"{_name(table)}: standings after {rounds} round{'' if rounds == 1 else 's'}")
    rows = [
        (
            "-" if row["place"] is None else str(row["place"]),
            row["bot"],
            _number(row["points"]),
            str(row["played"]),
            row["decided_by"] or "",
        )
        for row in table["rows"]
    ]
    report.table(_TABLE, rows)


def _entrant(one: dict[str, Any]) -> tuple[str, ...]:
    version = "" if one["version"] is None else f"v{one['version']}, "
    state = "" if one["state"] == "in" else f" ({one['state']})"
    return (str(one["seed"] or "-"), one["bot"] + state, f"{version}{one['owner']}")


def _pairing(one: dict[str, Any]) -> tuple[str, ...]:
    bots = " - ".join(side["bot"] for side in one["entrants"])
    points = " - ".join(map(_number, one["points"] or ()))
    how = "" if one["how"] == "played" else one["how"]
    return (str(one["table"]), bots[:66], points or one["state"], how)


def _rulings(report: Report, acts: list[dict[str, Any]]) -> None:
    with_reason = [act for act in acts if act["reason"]]
    if with_reason:
        report.heading("Decisions of the organisers")
    for act in with_reason:
        bots = ", ".join(one["bot"] for one in act["entrants"])
        what = f"{act['kind']} {bots}".rstrip()
        report.line(f"{act['at'][:16].replace('T', ' ')} {what}: {act['reason']}")


def _name(stage: dict[str, Any]) -> str:
    return stage["name"] or f"Stage {stage['stage'] + 1}"


def _number(value: str) -> str:
    return f"{float(Fraction(value)):.3f}".rstrip("0").rstrip(".")

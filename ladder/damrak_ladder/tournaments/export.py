"""The export of a tournament: everything that is needed to recompute its tables.

The document contains the rules, the entrants in seed order, every pairing with the games of the
blocks that count, and every ruling. A stranger's program can compute the tables from it.
"""

from __future__ import annotations

import csv
import io
from typing import Any, Final

from damrak_ladder.tournaments.disclosure import Disclosed
from damrak_ladder.tournaments.documents import (
    entrants_json,
    names_of,
    round_json,
    standings_json,
    subject_json,
    tournament_json,
)
from damrak_ladder.tournaments.log.acts import AUTOMATIC
from damrak_ladder.tournaments.log.course import field_of
from damrak_ladder.tournaments.log.state import Stage
from damrak_ladder.tournaments.models import Act, Tournament
from damrak_ladder.tournaments.trf import from_rounds, write

FORMAT: Final = "damrak-tournament/1"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def export_json(tournament: Tournament, seen: Disclosed) -> dict[str, Any]:
    """Return everything that this viewer may know of a tournament."""
    said = tournament_json(tournament, seen)
    said["format"] = FORMAT
    said["entrants"] = entrants_json(tournament, seen)
    for stage in said["stages"]:
        value = seen.state.stages.get(stage["stage"])
        stage["entrants"] = [] if value is None else list(value.entrants)
        rounds = () if value is None else value.rounds
        stage["rounds"] = [round_json(tournament, seen, made) for made in rounds]
    said["standings"] = standings_json(tournament, seen)["stages"]
    said["acts"] = acts_json(tournament, seen)
    return said


def acts_json(tournament: Tournament, seen: Disclosed) -> list[dict[str, Any]]:
    """Return the log. Others than organisers see public acts on visible rounds, without serials."""
    rows = Act.objects.filter(tournament=tournament).select_related("actor").order_by("serial")
    names = names_of(tournament)
    found: list[dict[str, Any]] = []
    for row in rows:
        said: dict[str, Any] = {
            "kind": row.kind,
            "at": row.at.isoformat(),
            "actor": None if row.actor is None else row.actor.username,
            "reason": row.reason,
            **subject_json(names, row.payload),
        }
        if seen.is_organiser:
            found.append(
                said
                | {
                    "serial": row.serial,
                    "payload": row.payload,
                    "public": row.is_public,
                    "undoes": row.undoes,
                    "digest": row.digest,
                }
            )
        elif row.is_public and row.kind not in AUTOMATIC and _is_shown(row, seen):
            found.append(said)
    return found


def standings_csv(tournament: Tournament, seen: Disclosed) -> str:
    """Return the tables as CSV. Texts that spreadsheets take for formulas are quoted."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(("stage", "group", "place", "bot", "name", "points", "decided_by", "played"))
    for stage in standings_json(tournament, seen)["stages"]:
        for row in stage["rows"]:
            cells = (
                stage["stage"],
                row["group"],
                row["place"],
                row["bot"],
                row["name"],
                row["points"],
                row["decided_by"],
                row["played"],
            )
            writer.writerow([_cell(cell) for cell in cells])
    return out.getvalue()


def stage_trf(tournament: Tournament, seen: Disclosed, stage: Stage) -> str:
    """Return a stage for two players in the Tournament Report File format."""
    names, field = names_of(tournament), field_of(seen.state, stage)
    placed = [row.number for row in seen.table(stage)]
    listed = [(one, names.entrants[one.number].bot.name) for one in field]
    rounds = seen.course.played(stage)
    return write(from_rounds(tournament.name, listed, rounds, places=placed))


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _is_shown(row: Act, seen: Disclosed) -> bool:
    """Return whether an act says nothing about a hidden round."""
    if "round" not in row.payload:
        return not seen.hidden or row.kind not in ("undo", "withdraw", "reopen", "finalise")
    key = (row.payload.get("stage", 0), row.payload["round"])
    hidden = {(one.stage, one.round) for one in seen.hidden}
    shown = {(made.key.stage, made.key.number) for made in seen.state.rounds()}
    return key in shown - hidden

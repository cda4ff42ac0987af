"""Tournaments as JSON, for the API, the export and the command line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.message_codes.wording import english
from damrak_ladder.tournaments.disclosure import Disclosed
from damrak_ladder.tournaments.formats import unavoidable
from damrak_ladder.tournaments.log.course import Verdict
from damrak_ladder.tournaments.log.rules import rules_json
from damrak_ladder.tournaments.log.state import Round, Stage
from damrak_ladder.tournaments.log.values import BlockKey
from damrak_ladder.tournaments.models import Entrant, PairingBlock, Tournament
from damrak_ladder.tournaments.records import key_of
from damrak_ladder.tournaments.seeding import lot_seed


@dataclass(frozen=True, slots=True)
class Names:
    """The entrants of a tournament by number, read once."""

    entrants: dict[int, Entrant] = field(default_factory=dict)

    def short(self, number: int) -> dict[str, Any]:
        """Return an entrant as it appears in pairings and tables."""
        one = self.entrants[number]
        return {"entrant": number, "bot": one.bot.slug, "name": one.bot.name}


def names_of(tournament: Tournament) -> Names:
    """Return the entrants of a tournament."""
    rows = tournament.entrants.select_related("bot", "version", "owner")
    return Names({one.number: one for one in rows})


def subject_json(names: Names, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an act is about: its entrants, its round and its table, from its payload."""
    numbers = [payload["entrant"]] if "entrant" in payload else payload.get("entrants", ())
    return {
        # The entry of a bot may have been undone.
        "entrants": [names.short(number) for number in numbers if number in names.entrants],
        "round": payload.get("round"),
        "table": payload.get("table"),
    }


def summary_json(tournament: Tournament, seen: Disclosed) -> dict[str, Any]:
    """Return a tournament as an entry of a list."""
    state = seen.state
    return {
        "slug": tournament.slug,
        "name": tournament.name,
        "summary": tournament.summary,
        "phase": str(state.phase),
        "visibility": state.rules.visibility,
        "league": None if tournament.league is None else tournament.league.slug,
        "season": tournament.season,
        "formats": [stage.rules.format for stage in state.rules.stages],
        "entrants": sum(state.is_in(number) for number in state.entrants),
        "organiser": tournament.owner.username,
        "created": tournament.created.isoformat(),
        "opens": _moment(state.rules.schedule.opens),
        "closes": _moment(state.rules.schedule.closes),
        "starts": _moment(state.rules.schedule.starts),
    }


def tournament_json(tournament: Tournament, seen: Disclosed) -> dict[str, Any]:
    """Return a tournament with its rules and rounds."""
    state = seen.state
    said = summary_json(tournament, seen)
    said["rules"] = rules_json(state.rules)
    is_drawn = any(one.seed is not None for one in state.entrants.values())
    is_by_lot = state.rules.seeding == "lot" and is_drawn
    said["lot_seed"] = lot_seed(bytes(tournament.secret)) if is_by_lot else None
    said["stages"] = [
        {
            "stage": number,
            "name": plan.name,
            "format": plan.rules.format,
            "rounds": [_round_line(seen, made) for made in _rounds(seen, number)],
        }
        for number, plan in enumerate(state.rules.stages)
    ]
    if seen.is_organiser:
        said |= {
            "serial": tournament.serial,
            "stops_after_round": state.stops_after_round,
            "games_a_minute": state.games_a_minute,
        }
    return said


def entrants_json(tournament: Tournament, seen: Disclosed) -> list[dict[str, Any]]:
    """Return the entrants, in the order of their seeds."""
    names = names_of(tournament)
    found = []
    for number, one in seen.state.entrants.items():
        row = names.entrants[number]
        found.append(
            {
                **names.short(number),
                "version": None if row.version is None else row.version.number,
                "kind": None if row.version is None else row.version.kind,
                "owner": row.owner.username,
                "seed": one.seed,
                "guest": one.is_guest,
                "state": str(one.standing),
                "ruling": str(one.ruling),
                "entered": _moment(one.entered),
            }
        )
    found.sort(key=lambda one: (one["seed"] is None, one["seed"] or 0, one["entrant"]))
    return found


def round_json(tournament: Tournament, seen: Disclosed, made: Round) -> dict[str, Any]:
    """Return a round with its pairings, their blocks and results."""
    names, blocks = names_of(tournament), _blocks(tournament, made)
    return {
        **_round_line(seen, made),
        "seed": made.seed,
        "cost": _cost(seen, made),
        "pairings": [
            _pairing_json(seen, made, verdict, names, blocks)
            for verdict in seen.course.verdicts[made.key]
        ],
    }


def _cost(seen: Disclosed, made: Round) -> dict[str, Any]:
    rules = seen.state.rules.stages[made.key.stage].rules
    warnings = [english(one) for one in unavoidable(rules.format, made.cost)]
    return dict(made.cost) | ({"warnings": warnings} if warnings else {})


def standings_json(tournament: Tournament, seen: Disclosed) -> dict[str, Any]:
    """Return the tables of all stages that have begun."""
    names = names_of(tournament)
    return {
        "tournament": tournament.slug,
        "phase": str(seen.state.phase),
        "stages": [table_json(seen, stage, names) for stage in _stages(seen)],
    }


def leaders_json(tournament: Tournament, seen: Disclosed, most: int) -> list[dict[str, Any]]:
    """Return the first rows of the latest stage, without tie-breaks."""
    stages = _stages(seen)
    if not stages:
        return []
    rows = seen.table(stages[-1])[:most]
    listed = tournament.entrants.filter(number__in=[row.number for row in rows])
    names = Names({one.number: one for one in listed.select_related("bot")})
    return [
        {"place": row.place, **names.short(row.number), "points": str(row.points)} for row in rows
    ]


def fraction_json(value: Fraction | None) -> str | None:
    """Return an exact number as text, such as "3/2"."""
    return None if value is None else str(value)


def _rounds(seen: Disclosed, stage: int) -> tuple[Round, ...]:
    found = seen.state.stages.get(stage)
    return () if found is None else found.rounds


def _stages(seen: Disclosed) -> list[Stage]:
    return [seen.state.stages[number] for number in sorted(seen.state.stages)]


def _round_line(seen: Disclosed, made: Round) -> dict[str, Any]:
    verdicts = seen.course.verdicts[made.key]
    is_hidden = any(seen.is_hidden(one.pairing.key) for one in verdicts)
    is_complete = seen.course.is_complete(made.key)
    phase = seen.state.round_phase(made.key, is_complete=is_complete)
    return {
        "stage": made.key.stage,
        "round": made.key.number,
        "generation": made.key.generation,
        "release": str(made.release),
        "phase": "hidden" if is_hidden else str(phase),
        "paired": _moment(made.at),
        "blocks": max((one.pairing.blocks for one in verdicts), default=0),
    }


def _pairing_json(
    seen: Disclosed,
    made: Round,
    verdict: Verdict,
    names: Names,
    blocks: dict[BlockKey, dict[str, Any]],
) -> dict[str, Any]:
    pairing, result = verdict.pairing, verdict.result
    is_hidden = seen.is_hidden(pairing.key)
    said: dict[str, Any] = {
        "table": pairing.key.table,
        "slot": pairing.slot,
        "group": pairing.group,
        "entrants": [names.short(number) for number in pairing.entrants],
        "bye": pairing.is_bye,
        "release": str(made.release_of(pairing.key.table)),
        "state": "hidden" if is_hidden else "decided" if verdict.is_decided else "open",
        "how": verdict.how,
        "points": None if result is None else [str(one) for one in result.points],
        "sudden_death": 0 if result is None else result.sudden_death,
        "forfeited": sorted(pairing.forfeited),
        "places": list(pairing.places),
        "blocks": [],
    }
    if not is_hidden:
        numbers = [*verdict.recorded, *verdict.wanted]
        keys = [pairing.block_key(number) for number in sorted(set(numbers))]
        said["blocks"] = [{"number": key.number, **blocks[key]} for key in keys if key in blocks]
    return said


def _blocks(tournament: Tournament, made: Round) -> dict[BlockKey, dict[str, Any]]:
    """Return the blocks of a round, also those of earlier generations that count in it."""
    rows = PairingBlock.objects.filter(
        tournament=tournament,
        pairing__round__stage__number=made.key.stage,
        pairing__round__number=made.key.number,
    ).select_related("pairing__round__stage", "block", "result")
    found = {key_of(row): row for row in rows}
    matches: dict[int, list[int]] = defaultdict(list)
    wanted = [row.block_id for row in found.values()]
    listed = Match.objects.filter(block__in=wanted).order_by("block", "number")
    for block, match in listed.values_list("block_id", "pk"):
        matches[block].append(match)
    return {key: _block_json(row, matches[row.block_id]) for key, row in found.items()}


def _block_json(row: PairingBlock, matches: list[int]) -> dict[str, Any]:
    result = getattr(row, "result", None)
    state = row.block.state
    return {
        "block": row.block_id,
        "take": row.take,
        "state": "recorded" if result is not None else str(BlockState(state)),
        "board": row.block.board,
        "matches": matches,
        "games": None if result is None else result.games,
    }


def table_json(seen: Disclosed, stage: Stage, names: Names) -> dict[str, Any]:
    """Return the table of a stage."""
    return {
        "stage": stage.number,
        "name": stage.plan.name,
        "format": stage.plan.rules.format,
        "rounds_played": seen.played(stage),
        "tie_breaks": list(stage.plan.rules.order),
        "rows": [
            {
                "place": row.place,
                **names.short(row.number),
                "points": str(row.points),
                "tie_breaks": [
                    {
                        "name": one.name,
                        "value": fraction_json(one.value),
                        "skipped": one.skipped,
                    }
                    for one in row.tie_breaks
                ],
                "decided_by": row.decided_by,
                "group": row.group,
                "played": row.played,
                "byes": row.byes,
                "out": row.out,
            }
            for row in seen.table(stage)
        ],
    }


def _moment(value: Any) -> str | None:
    return None if value is None else value.isoformat()

"""The rows that follow from the log, brought in line with a new state."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.notes import note, note_all
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.tournaments.disclosure import public_view
from damrak_ladder.tournaments.log.course import Course
from damrak_ladder.tournaments.log.releases import effective_releases
from damrak_ladder.tournaments.log.state import Round as RoundValue, State
from damrak_ladder.tournaments.log.values import BlockKey, PairingKey, Release, RoundKey
from damrak_ladder.tournaments.models import (
    Entrant,
    Pairing,
    PairingBlock,
    PairingEntrant,
    Round,
    Stage,
    Tournament,
)
from damrak_ladder.tournaments.schedule import next_due


def write_rows(
    tournament: Tournament, before: State | None, state: State, course: Course, now: datetime
) -> None:
    """Bring the rows of a locked tournament in line with its new state.

    Must run in the transaction that appends the act.
    """
    tournament.phase = state.phase
    tournament.visibility = state.rules.visibility
    tournament.due = next_due(state, now)
    is_renamed = before is not None and before.name != state.name
    if before is not None and is_renamed:
        tournament.name = state.name or before.first_name
    tournament.save(update_fields=["name", "phase", "visibility", "due", "serial", "digest"])
    _write_entrants(tournament, before, state, now)
    _write_rounds(tournament, before, state)
    _write_releases(tournament, before, state, now)
    strike_unwanted(tournament, state, course)
    is_public = before is None or is_renamed or public_view(before) != public_view(state)
    note(ChangeKind.TOURNAMENT_CHANGED, tournament.pk, now, is_public=is_public)


def wanted_blocks(state: State, course: Course) -> set[BlockKey]:
    """Return the blocks that are still to be played."""
    return {
        verdict.pairing.block_key(number)
        for key, verdicts in course.verdicts.items()
        if state.round(key) is not None
        for verdict in verdicts
        for number in verdict.wanted
    }


def strike_unwanted(tournament: Tournament, state: State, course: Course) -> int:
    """Delete waiting blocks that are not needed any more; return their number.

    A worker that is about to start one of them finds nothing to start.
    """
    wanted = wanted_blocks(state, course)
    waiting = PairingBlock.objects.filter(tournament=tournament, block__state=BlockState.WAITING)
    gone = [one.block_id for one, key in keyed(waiting) if key not in wanted]
    if not gone:
        return 0
    # Locked, so that no worker starts one of them in between.
    still = Block.objects.filter(pk__in=gone, state=BlockState.WAITING).select_for_update()
    keys = list(still.values_list("pk", flat=True))
    Block.objects.filter(pk__in=keys).delete()
    return len(keys)


def keyed(
    rows: QuerySet[PairingBlock, PairingBlock],
) -> list[tuple[PairingBlock, BlockKey]]:
    """Return these rows with their keys."""
    found = rows.select_related("pairing__round__stage", "block")
    return [(one, key_of(one)) for one in found.order_by("pk")]


def key_of(row: PairingBlock) -> BlockKey:
    """Return the key of a block of a pairing."""
    pairing = row.pairing
    made = pairing.round
    return BlockKey(
        made.stage.number, made.number, made.generation, pairing.table, row.number, row.take
    )


def _write_entrants(
    tournament: Tournament, before: State | None, state: State, now: datetime
) -> None:
    for number, one in state.entrants.items():
        former = None if before is None else before.entrants.get(number)
        if one == former:
            continue
        values = {
            "version_id": one.version,
            "is_guest": one.is_guest,
            "standing": one.standing,
            "seed": one.seed,
        }
        fixed = {"bot_id": one.bot, "owner_id": one.owner, "entered": one.entered or now}
        Entrant.objects.update_or_create(
            tournament=tournament,
            number=number,
            defaults=values,
            create_defaults={**values, **fixed},
        )
    if before is not None:  # their entry was undone, before anything was paired
        gone = before.entrants.keys() - state.entrants.keys()
        Entrant.objects.filter(tournament=tournament, number__in=gone).delete()


def _write_rounds(tournament: Tournament, before: State | None, state: State) -> None:
    known = {} if before is None else {one.key: one for one in before.rounds()}
    current = {one.key: one for one in state.rounds()}
    for key in known.keys() - current.keys():
        _rows(tournament, key).update(is_current=False)
    numbers: dict[int, int] = {}
    for key, made in current.items():
        if key in known:
            continue
        if _rows(tournament, key).update(is_current=True):
            continue  # a rollback was undone
        if not numbers:
            numbers = dict(
                Entrant.objects.filter(tournament=tournament).values_list("number", "pk")
            )
        _create_round(tournament, made, numbers)


def _rows(tournament: Tournament, key: RoundKey) -> QuerySet[Round, Round]:
    return Round.objects.filter(
        stage__tournament=tournament,
        stage__number=key.stage,
        number=key.number,
        generation=key.generation,
    )


def _create_round(tournament: Tournament, made: RoundValue, numbers: dict[int, int]) -> None:
    stage, _ = Stage.objects.get_or_create(tournament=tournament, number=made.key.stage)
    assert made.at is not None
    row = Round.objects.create(
        stage=stage,
        number=made.key.number,
        generation=made.key.generation,
        serial=made.serial,
        paired=made.at,
    )
    pairings = Pairing.objects.bulk_create(
        Pairing(round=row, table=table, release=Release.HIDDEN) for table in sorted(made.pairings)
    )
    PairingEntrant.objects.bulk_create(
        PairingEntrant(pairing=pairing, entrant_id=numbers[entrant], number=number)
        for pairing in pairings
        for number, entrant in enumerate(made.pairings[pairing.table].entrants)
    )


def _write_releases(
    tournament: Tournament, before: State | None, state: State, now: datetime
) -> None:
    former = {} if before is None else effective_releases(before)
    changed: dict[Release, list[PairingKey]] = {}
    for key, level in effective_releases(state).items():
        if former.get(key) != level:
            changed.setdefault(level, []).append(key)
    released: list[int] = []
    for level, keys in changed.items():
        for key in keys:
            rows = Pairing.objects.filter(
                round__stage__tournament=tournament,
                round__stage__number=key.stage,
                round__number=key.round,
                round__generation=key.generation,
                table=key.table,
            ).exclude(release=level)
            if level is not Release.HIDDEN:
                released += rows.values_list("pk", flat=True)
            rows.update(release=level)
    blocks = PairingBlock.objects.filter(pairing__in=released).order_by("block")
    note_all(ChangeKind.BLOCK_RELEASED, blocks.values_list("block", flat=True), now)

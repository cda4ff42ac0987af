"""The log of a tournament as stored: its acts, the state that they fold to, and its results."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Collection
from threading import Lock
from typing import Any, Final

from django.db.models import Count, Max

from damrak_ladder.tournaments.formats import GameResult
from damrak_ladder.tournaments.log.acts import Act, Kind
from damrak_ladder.tournaments.log.course import Course, Games, course
from damrak_ladder.tournaments.log.fold import fold
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.values import BlockKey, RoundKey
from damrak_ladder.tournaments.models import Act as ActRow, BlockResult, Tournament

_MOST_CACHED: Final = 64

_states: OrderedDict[str, State] = OrderedDict()
_lock: Final = Lock()


def acts_of(tournament: Tournament) -> list[Act]:
    """Return the acts up to the serial of the given row, in order."""
    rows = ActRow.objects.filter(tournament=tournament, serial__lte=tournament.serial)
    return [act_of(row) for row in rows.order_by("serial")]


def act_of(row: ActRow) -> Act:
    """Return the value of a stored act."""
    return Act(row.serial, Kind(row.kind), row.payload, row.actor_id, row.at, row.undoes)


def state_of(tournament: Tournament) -> State:
    """Return the state at the serial of the given row. It must not be changed; `copy` it.

    States are cached by the digest of their log, which identifies it completely.
    """
    with _lock:
        if tournament.digest in _states:
            _states.move_to_end(tournament.digest)
            return _states[tournament.digest]
    state = fold(acts_of(tournament))
    keep_state(tournament.digest, state)
    return state


def keep_state(digest: str, state: State) -> None:
    """Cache the state of the log with this digest."""
    with _lock:
        _states[digest] = state
        _states.move_to_end(digest)
        while len(_states) > _MOST_CACHED:
            _states.popitem(last=False)


def first_digest(tournament: Tournament) -> str:
    """Return the digest of the empty log."""
    return hashlib.sha256(b"damrak-log/1" + bytes(tournament.secret)).hexdigest()


def digest_of(before: str, act: Act) -> str:
    """Return the digest of the log that is continued by this act.

    The actor is left out, because the acts of a deleted account get another one.
    """
    said = {
        "before": before,
        "serial": act.serial,
        "kind": act.kind,
        "payload": act.payload,
        "at": None if act.at is None else act.at.isoformat(),
        "undoes": act.undoes,
    }
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def results_of(
    tournament: Tournament, rounds: Collection[RoundKey] | None = None
) -> dict[BlockKey, Games]:
    """Return the results of the tournament's recorded blocks, of these rounds only if given."""
    rows = BlockResult.objects.filter(pairing_block__tournament=tournament)
    if rounds is not None:
        numbers = {key.number for key in rounds}
        stages = {key.stage for key in rounds}
        rows = rows.filter(
            pairing_block__pairing__round__number__in=numbers,
            pairing_block__pairing__round__stage__number__in=stages,
        )
    pairing = "pairing_block__pairing"
    columns = (
        f"{pairing}__round__stage__number",
        f"{pairing}__round__number",
        f"{pairing}__round__generation",
        f"{pairing}__table",
        "pairing_block__number",
        "pairing_block__take",
        "games",
    )
    return {BlockKey(*key): games_of(games) for *key, games in rows.values_list(*columns)}


def mark_of_results(tournament: Tournament) -> tuple[int, int]:
    """Return a mark that changes with every result that is added or removed."""
    rows = BlockResult.objects.filter(pairing_block__tournament=tournament)
    found = rows.aggregate(count=Count("pk"), last=Max("pk"))
    return found["count"], found["last"] or 0


def marks_of_rounds(tournament: Tournament) -> dict[tuple[int, int], tuple[int, int]]:
    """Return a mark of the results of each round, by stage and round, as `mark_of_results`."""
    made = "pairing_block__pairing__round"
    rows = BlockResult.objects.filter(**{f"{made}__stage__tournament": tournament})
    places = rows.values_list(f"{made}__stage__number", f"{made}__number").order_by()
    marks = places.annotate(count=Count("pk"), last=Max("pk"))
    return {(stage, number): (count, last) for stage, number, count, last in marks}


def games_of(stored: list[dict[str, Any]]) -> Games:
    """Return the games of a stored result."""
    return tuple(GameResult(tuple(one["places"]), tuple(one["points"])) for one in stored)


def course_of(tournament: Tournament) -> Course:
    """Return the verdicts on all current pairings."""
    return course(state_of(tournament), results_of(tournament))

"""Reading of events from the log of changes, in a constant number of queries per batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.changes.models import Change, ChangeKind
from damrak_ladder.events.values import Event, EventType
from damrak_ladder.matches.models import Block, BlockState, Ladder, Match, Seat
from damrak_ladder.tournaments.access import visible_tournaments
from damrak_ladder.tournaments.models import Entrant, Organiser, Tournament
from damrak_ladder.tournaments.visibility import passed, visible_blocks

BATCH: Final = 200

_TOURNAMENT: Final = "pairing_block__pairing__round__stage__tournament"
_BLOCKS: Final = frozenset(kind for kind in ChangeKind if kind.startswith("block."))
_RELEASED: Final = {
    BlockState.WAITING: EventType.BLOCK_QUEUED,
    BlockState.RUNNING: EventType.BLOCK_STARTED,
    BlockState.RECORDED: EventType.BLOCK_FINISHED,
    BlockState.DEAD: EventType.BLOCK_FAILED,
}


@dataclass(frozen=True, slots=True)
class _BlockFacts:
    """A block, with the names of what it belongs to."""

    state: str
    ladder: str | None
    tournament: int | None
    is_public: bool
    matches: tuple[int, ...]
    bots: tuple[str, ...]
    owners: frozenset[str]


@dataclass(frozen=True, slots=True)
class _TournamentFacts:
    """A tournament, who may see it, and the users who may see more than visitors."""

    slug: str
    is_visible: bool
    is_listed: bool
    concerned: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Subjects:
    """All that the changes of one batch are about, by key."""

    blocks: Mapping[int, _BlockFacts]
    ladders: Mapping[int, str]
    versions: Mapping[int, tuple[str, str]] = field(default_factory=dict)  # bot and owner
    bots: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    tournaments: Mapping[int, _TournamentFacts] = field(default_factory=dict)


def events_after(position: int, most: int = BATCH) -> tuple[list[Event], int]:
    """Return the events after a position, and the position that was reached with them.

    Changes whose subject no longer exists are left out. The events include hidden ones.
    """
    rows = list(Change.objects.filter(position__gt=position).order_by("position")[:most])
    if not rows:
        return [], position
    subjects = _subjects(rows)
    reached = rows[-1].position
    assert reached is not None
    return [event for row in rows if (event := _event(row, subjects)) is not None], reached


def _event(row: Change, known: _Subjects) -> Event | None:
    assert row.position is not None
    kind = ChangeKind(row.kind)
    if kind is ChangeKind.NOTICE_CREATED:
        return None
    common: dict[str, Any] = {
        "position": row.position,
        "kind": kind,
        "subject": row.subject,
        "at": row.at,
    }
    if kind in _BLOCKS:
        return _block_event(kind, common, known)
    common["type"] = EventType(row.kind)
    if kind is ChangeKind.TOURNAMENT_CHANGED:
        return _tournament_event(row, common, known)
    if kind is ChangeKind.STANDINGS_PUBLISHED:
        ladder = known.ladders.get(row.subject)
        if ladder is None:
            return None
        return Event(**common, is_public=True, is_listed=True, ladder=ladder)
    is_version = kind is ChangeKind.VERSION_CHANGED
    found = (known.versions if is_version else known.bots).get(row.subject)
    if found is None:
        return None
    return Event(
        **common,
        is_public=True,
        is_listed=True,
        bots=(found[0],),
        owners=frozenset({found[1]}),
        version=row.subject if is_version else None,
    )


def _tournament_event(row: Change, common: dict[str, Any], known: _Subjects) -> Event | None:
    tournament = known.tournaments.get(row.subject)
    if tournament is None:
        return None
    return Event(
        **common,
        is_public=row.is_public and tournament.is_visible,
        is_listed=tournament.is_listed,
        for_entrants=row.is_public,
        tournament=tournament.slug,
        concerned=tournament.concerned,
    )


def _block_event(kind: ChangeKind, common: dict[str, Any], known: _Subjects) -> Event | None:
    block = known.blocks.get(common["subject"])
    if block is None:
        return None
    is_release = kind is ChangeKind.BLOCK_RELEASED
    tournament = None if block.tournament is None else known.tournaments.get(block.tournament)
    return Event(
        **common,
        type=_RELEASED[BlockState(block.state)] if is_release else EventType(kind.value),
        is_public=block.is_public,
        is_listed=True if tournament is None else tournament.is_listed,
        block=common["subject"],
        matches=block.matches,
        ladder=block.ladder,
        tournament=None if tournament is None else tournament.slug,
        bots=block.bots,
        owners=block.owners,
        concerned=frozenset() if tournament is None else tournament.concerned,
    )


def _subjects(rows: Iterable[Change]) -> _Subjects:
    keys: dict[ChangeKind, set[int]] = defaultdict(set)
    for row in rows:
        keys[ChangeKind(row.kind)].add(row.subject)
    blocks = _blocks({key for kind in _BLOCKS for key in keys[kind]})
    tournaments = keys[ChangeKind.TOURNAMENT_CHANGED]
    tournaments |= {one.tournament for one in blocks.values() if one.tournament is not None}
    ladders = Ladder.objects.filter(pk__in=keys[ChangeKind.STANDINGS_PUBLISHED])
    versions = Version.objects.filter(pk__in=keys[ChangeKind.VERSION_CHANGED])
    bots = Bot.objects.filter(pk__in=keys[ChangeKind.BOT_CHANGED])
    of_version = versions.values_list("pk", "bot__slug", "bot__owner__username")
    of_bot = bots.values_list("pk", "slug", "owner__username")
    return _Subjects(
        blocks=blocks,
        ladders=dict(ladders.values_list("pk", "slug")),
        versions={key: (slug, owner.casefold()) for key, slug, owner in of_version},
        bots={key: (slug, owner.casefold()) for key, slug, owner in of_bot},
        tournaments=_tournaments(tournaments),
    )


def _blocks(keys: Collection[int]) -> dict[int, _BlockFacts]:
    if not keys:
        return {}
    matches: dict[int, list[int]] = defaultdict(list)
    rows = passed(Match).filter(block__in=keys).order_by("block", "number")
    for key, match in rows.values_list("block", "pk"):
        matches[key].append(match)
    sat: dict[int, list[tuple[str, str]]] = defaultdict(list)
    seats = passed(Seat).filter(match__block__in=keys, match__number=0).order_by("number")
    names = ("match__block", "version__bot__slug", "version__bot__owner__username")
    for key, bot, owner in seats.values_list(*names):
        sat[key].append((bot, owner.casefold()))
    public = set(visible_blocks(None).filter(pk__in=keys).values_list("pk", flat=True))
    found = passed(Block).filter(pk__in=keys)
    columns = ("pk", "state", "ladder__slug", _TOURNAMENT)
    return {
        key: _BlockFacts(
            state=state,
            ladder=ladder,
            tournament=tournament,
            is_public=key in public,
            matches=tuple(matches[key]),
            bots=tuple(bot for bot, _ in sat[key]),
            owners=frozenset(owner for _, owner in sat[key]),
        )
        for key, state, ladder, tournament in found.values_list(*columns)
    }


def _tournaments(keys: Collection[int]) -> dict[int, _TournamentFacts]:
    if not keys:
        return {}
    users: dict[int, set[int]] = defaultdict(set)
    entrants = Entrant.objects.filter(tournament__in=keys).values_list("tournament", "owner")
    organisers = Organiser.objects.filter(tournament__in=keys).values_list("tournament", "user")
    for key, user in [*entrants, *organisers]:
        users[key].add(user)
    rows = Tournament.objects.filter(pk__in=keys)
    visible = set(visible_tournaments(None).filter(pk__in=keys).values_list("pk", flat=True))
    unlisted = set(rows.filter(visibility="unlisted").values_list("pk", flat=True))
    return {
        key: _TournamentFacts(
            slug=slug,
            is_visible=key in visible,
            is_listed=key not in unlisted,
            concerned=frozenset({owner, *users[key]}),
        )
        for key, slug, owner in rows.values_list("pk", "slug", "owner")
    }

"""Booking of the blocks of the open rounds, and the results of those that were recorded."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.boards import board_from
from damrak_ladder.matches.booking import SEED_BYTES, Table, book
from damrak_ladder.matches.flows import tournament_flow
from damrak_ladder.matches.models import Block, BlockState, Match, Purpose, SeatResult
from damrak_ladder.message_codes import act_codes as codes
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.errors import Refused
from damrak_ladder.tournaments.log.course import Verdict, verdicts_of
from damrak_ladder.tournaments.log.state import Pairing as PairingValue, Round, State
from damrak_ladder.tournaments.log.values import BlockKey, PairingKey, Phase
from damrak_ladder.tournaments.models import BlockResult, Pairing, PairingBlock, Tournament
from damrak_ladder.tournaments.records import key_of

REMOTE_BLOCKS = 2
"""The most waiting and running blocks of a remote bot in one tournament."""

Tokens = Callable[[int], bytes]


@dataclass(slots=True)
class TournamentSource:
    """The blocks of the open rounds of a tournament, the least advanced pairing first."""

    tournament: Tournament
    lobby: Collection[int]  # the remote versions that are connected where blocks are booked
    now: datetime
    tokens: Tokens
    _wanted: list[BlockKey] | None = None
    _state: State | None = None
    _pending: Counter[int] = field(default_factory=Counter)
    _games_left: float = float("inf")

    @property
    def flow(self) -> str:
        """Return the flow of the tournament."""
        return tournament_flow(self.tournament.pk)

    def book_next(self) -> Block | None:
        """Book the next block; None if there is none for now.

        Must run in the caller's transaction. The tournament is locked until its end, so that no act
        comes between.
        """
        if self._wanted is None:
            self._prepare()
        assert self._wanted is not None
        assert self._state is not None
        while self._wanted and self._games_left > 0:
            key = self._wanted.pop(0)
            versions = self._versions(key)
            if versions is not None:
                return self._book(key, versions)
        return None

    def _prepare(self) -> None:
        row = Tournament.objects.select_for_update(no_key=True).get(pk=self.tournament.pk)
        self.tournament, self._wanted = row, []
        self._state = state = journal.state_of(row)
        if state.phase is not Phase.RUNNING:
            return
        booked = unsettled_blocks(row)
        self._wanted = wanted_in_order(row, state, set(booked))
        self._pending = _remote_blocks(row)
        if state.games_a_minute is not None:
            self._games_left = state.games_a_minute - _games_since(row, self.now)

    def _versions(self, key: BlockKey) -> tuple[Version, ...] | None:
        """Return the versions of a block; None if one of them is not connected or has enough."""
        assert self._state is not None
        entrants = pairing_of(self._state, key.pairing).entrants
        keys = [self._state.entrants[number].version for number in entrants]
        found = Version.objects.select_related("bot").in_bulk([one for one in keys if one])
        versions = tuple(found[one] for one in keys if one in found)
        for version in versions:
            if version.kind == Kind.REMOTE and (
                version.pk not in self.lobby or self._pending[version.pk] >= REMOTE_BLOCKS
            ):
                return None
        return versions if len(versions) == len(keys) else None

    def _book(self, key: BlockKey, versions: tuple[Version, ...]) -> Block:
        assert self._state is not None
        rules = self._state.rules
        table = Table(
            versions=versions,
            board=board_of(self.tournament, self._state, key, self.now),
            purpose=Purpose.TOURNAMENT,
            flow=self.flow,
            rotations=rules.rotations,
            options=rules.options,
            control=rules.control,
        )
        block = book(table, self.tokens(SEED_BYTES), self.now)
        pairing = Pairing.objects.get(
            round__stage__tournament=self.tournament,
            round__stage__number=key.stage,
            round__number=key.round,
            round__generation=key.generation,
            table=key.table,
        )
        PairingBlock.objects.create(
            pairing=pairing,
            tournament=self.tournament,
            number=key.number,
            take=key.take,
            block=block,
        )
        self._pending.update(one.pk for one in versions if one.kind == Kind.REMOTE)
        self._games_left -= len(versions) * rules.rotations
        return block


def open_rounds(state: State) -> list[Round]:
    """Return the latest round of each stage."""
    return [stage.rounds[-1] for stage in state.stages.values() if stage.rounds]


def pairing_of(state: State, origin: PairingKey) -> PairingValue:
    """Return the current pairing whose blocks are booked under this key."""
    return next(one for _, one in state.pairings() if one.origin == origin)


def wanted_in_order(
    tournament: Tournament, state: State, booked: Collection[BlockKey]
) -> list[BlockKey]:
    """Return the blocks of open rounds that are not booked yet, level by level."""
    wanted = []
    for made, verdicts in open_verdicts(tournament, state):
        for verdict in verdicts:
            keys = [verdict.pairing.block_key(number) for number in verdict.wanted]
            ahead = len(verdict.recorded) + sum(key in booked for key in keys)
            missing = [key for key in keys if key not in booked]
            wanted += [
                (ahead + at, made.key.stage, verdict.pairing.key.table, key)
                for at, key in enumerate(missing)
            ]
    return [key for *_, key in sorted(wanted, key=lambda one: one[:3])]


def open_verdicts(tournament: Tournament, state: State) -> list[tuple[Round, tuple[Verdict, ...]]]:
    """Return the verdicts on rounds that may have pairings to decide.

    Earlier rounds are included while a replay of one of their blocks is under way.
    """
    replayed = [
        made for made in state.rounds() if any(pairing.takes for pairing in made.pairings.values())
    ]
    rounds = {made.key: made for made in [*open_rounds(state), *replayed]}
    if not rounds:
        return []
    results = journal.results_of(tournament, list(rounds))
    return [(made, verdicts_of(state, made, results)) for made in rounds.values()]


def unsettled_blocks(tournament: Tournament) -> dict[BlockKey, int]:
    """Return the blocks of the tournament that have no result yet, by key."""
    rows = PairingBlock.objects.filter(tournament=tournament)
    unsettled = rows.filter(result=None)  # also blocks that are recorded, but not settled yet
    found = unsettled.select_related("pairing__round__stage")
    return {key_of(one): one.block_id for one in found}


def board_of(tournament: Tournament, state: State, key: BlockKey, now: datetime) -> str:
    """Return the board of a block, which is the same at all tables of the round."""
    text = f"damrak-board/1 {key.stage} {key.round} {key.number} {key.take}".encode()
    digest = hashlib.sha256(bytes(tournament.secret) + text).digest()
    chance = int.from_bytes(digest[:6], "big") / (1 << 48)
    return board_from(list(state.rules.boards), f"t-{tournament.slug}", now, chance)


def settle_tournament(block: Block, now: datetime) -> None:
    """Append the result of a recorded block to its tournament.

    Must run in the caller's transaction, in which this block is settled. The next round is paired
    later, by an idempotent duty.
    """
    row = PairingBlock.objects.filter(block=block).first()
    if row is None:
        return
    BlockResult.objects.create(
        pairing_block=row, attempt=block.attempt, games=_games(block), at=block.finished or now
    )


def unsettle_tournament(block: Block, now: datetime) -> None:
    """Remove the result of a block that is being withdrawn, so that it is played again.

    Must run in the caller's transaction.

    Raises:
        Refused: later rounds rest on the result; an organiser has to order a replay.
    """
    row = PairingBlock.objects.select_related("pairing__round__stage").filter(block=block).first()
    if row is None:
        return
    tournament = Tournament.objects.select_for_update(no_key=True).get(
        pk=row.pairing.round.stage.tournament_id
    )
    state = journal.state_of(tournament)
    key = key_of(row)
    if state.counts(key) and rests_on(state, key):
        raise Refused(codes.LaterRounds(), codes.ReplayBlock())
    BlockResult.objects.filter(pairing_block=row).delete()


def rests_on(state: State, key: BlockKey) -> bool:
    """Return whether something else follows from this block already."""
    if state.phase not in (Phase.RUNNING, Phase.PAUSED):
        return True
    current = pairing_of(state, key.pairing).key.round_key
    return state.round_phase(current, is_complete=True) == "closed"


def _games(block: Block) -> list[dict[str, list[object]]]:
    """Return places, points and faults of each game, in the order of the pairing's entrants."""
    rows = SeatResult.objects.filter(seat__match__block=block).order_by(
        "seat__match__number", "seat__number"
    )
    by_match: dict[int, dict[int, tuple[int, int, str]]] = {}
    order: list[int] = []
    columns = ("seat__match__number", "seat__version", "place", "points", "fault")
    for match, version, place, points, fault in rows.values_list(*columns):
        if match == 0:
            order.append(version)
        by_match.setdefault(match, {})[version] = (place, points, fault)
    return [
        {
            "places": [by_match[match][version][0] for version in order],
            "points": [by_match[match][version][1] for version in order],
            "faults": [by_match[match][version][2] for version in order],
        }
        for match in sorted(by_match)
    ]


def _remote_blocks(tournament: Tournament) -> Counter[int]:
    """Return the number of waiting and running blocks of each remote version."""
    seats = Match.objects.filter(
        number=0,
        block__pairing_block__tournament=tournament,
        block__state__in=(BlockState.WAITING, BlockState.RUNNING),
        seats__version__kind=Kind.REMOTE,
    )
    return Counter(seats.values_list("seats__version", flat=True))


def _games_since(tournament: Tournament, now: datetime) -> int:
    """Return the number of games booked within the last minute."""
    return Match.objects.filter(
        block__pairing_block__tournament=tournament,
        block__created__gt=now - timedelta(minutes=1),
    ).count()

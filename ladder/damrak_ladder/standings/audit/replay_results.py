"""Outcomes of blocks, from their replays alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from typing import Final

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Match
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.signatures import PlatformKey, platform_key
from damrak_ladder.replays.storage import load
from damrak_ladder.standings.audit.replay_reader import Said, read
from damrak_ladder.standings.packed_blocks import Came, Outcome, outcome_of

_A_TIME: Final = 100  # number of blocks in memory

Versions = Mapping[tuple[str, str], int]
"""Keys of versions by the slug of the bot and the number, as in replays."""


class Unfounded(Exception):
    """The replays of a block do not confirm it; the message names the replay and the reason."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A block, and its outcome or the reason why it is unknown."""

    block: int
    outcome: Outcome | None
    problem: str = ""


def replayed(blocks: Iterable[int], jobs: int = 1) -> Iterator[Replayed]:
    """Yield the outcome of each of these blocks, in their order.

    Each replay is fetched from the store, its signature is checked, and it is reproduced from its
    seed; `jobs` is the number of processes.
    """
    key = platform_key()
    versions = {
        (slug, str(number)): pk
        for pk, slug, number in Version.objects.values_list("pk", "bot__slug", "number")
    }
    with ExitStack() as stack:
        pool: Executor | None = None
        if jobs > 1:
            # Not forked: a copy of this process would share its connection to the database.
            context = get_context("spawn")
            pool = stack.enter_context(ProcessPoolExecutor(jobs, mp_context=context))
        source = iter(blocks)
        while some := list(islice(source, _A_TIME)):
            yield from _replayed(some, key, versions, pool)


def _replayed(
    blocks: list[int], key: PlatformKey, versions: Versions, pool: Executor | None
) -> Iterator[Replayed]:
    matches: dict[int, list[Match]] = {block: [] for block in blocks}
    for match in Match.objects.filter(block__in=blocks).order_by("block", "number"):
        matches[match.block_id].append(match)
    waiting = {match.pk: _read(match.replay, pool) for block in blocks for match in matches[block]}
    for block in blocks:
        try:
            games = [_game(match, waiting[match.pk](), key, versions) for match in matches[block]]
            yield Replayed(block, outcome_of(games))
        except (Unfounded, ReplayStoreError, ValueError) as problem:
            yield Replayed(block, None, str(problem))


def _read(hash_: str, pool: Executor | None) -> Callable[[], Said | str]:
    """Begin to read a replay, and return a function that returns the result."""
    try:
        data = load(hash_)
    except ReplayStoreError as problem:
        why = str(problem)
        return lambda: why
    if pool is None:
        return lambda: read(data)
    return pool.submit(read, data).result


def _game(match: Match, said: Said | str, key: PlatformKey, versions: Versions) -> list[Came]:
    if isinstance(said, str):
        raise Unfounded(f"match {match.pk}: {said}")
    if (said.match, said.block) != (str(match.pk), str(match.block_id)):
        raise Unfounded(f"match {match.pk}: has a replay of match {said.match}, {said.block}")
    if said.signature is None or not key.has_signed(said.hash, said.signature):
        raise Unfounded(f"match {match.pk}: its replay is not signed by this platform")
    game = []
    for seat in said.seats:
        version = versions.get((seat.bot, seat.version))
        if version is None:
            raise Unfounded(f"match {match.pk}: there is no version {seat.version} of {seat.bot}")
        game.append(Came(version, seat.turn, seat.place, seat.points, bool(seat.fault)))
    return game

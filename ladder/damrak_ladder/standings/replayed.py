"""What blocks came to, from their replays alone."""

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
from damrak_ladder.replays.keeping import load
from damrak_ladder.replays.signing import PlatformKey, platform_key
from damrak_ladder.standings.packing import Came, Outcome, outcome_of
from damrak_ladder.standings.reading import Said, read

_A_TIME: Final = 100  # blocks in memory at once

Versions = Mapping[tuple[str, str], int]
"""Keys of versions by the slug of the bot and the number, as replays name them."""


class Unfounded(Exception):
    """The replays of a block do not bear out that it counts; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A block, and what it came to or why nobody can tell."""

    block: int
    outcome: Outcome | None
    problem: str = ""


def replayed(blocks: Iterable[int], jobs: int = 1) -> Iterator[Replayed]:
    """What each of these blocks came to, in their order.

    Each replay is fetched from the store, its signature checked, and played again from its seed;
    with several jobs in as many processes.
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
    """Begin to read a replay; what gives the answer."""
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

"""Replays for tests, in the form that a referee reports them: complete, and not signed."""

from __future__ import annotations

import random

from damrak_engine import scoring
from damrak_engine.boards import load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.events import Event
from damrak_engine.options import DEFAULTS
from damrak_engine.replay import Played, Player, record, to_bytes
from damrak_engine.rules import rules_for
from damrak_ladder.matches.models import Match
from damrak_wire.orders import BlockOrder, MatchOrder

PLAYED = Played("2026-11-18T09:00:00Z", "2026-11-18T09:00:01.5Z", "damrak 0.1.0", "a")


def replay_bytes(
    match: str,
    block: str,
    seats: int = 2,
    number: int = 0,
    players: tuple[Player, ...] = (),
    play: int | None = None,
) -> bytes:
    """Return a match of random play, in which the last seat leaves.

    `number` determines the cards, and the moves unless `play` is given.
    """
    rng = random.Random(number)
    board = load_board("practice")
    seed = rng.randbytes(32)
    if play is not None:
        rng = random.Random(play)
    dice = SeedDice(seed)
    log: list[Event] = []
    state = new_game(rules_for(board, seats, DEFAULTS), dice, log)
    while not state.is_over:
        if len(log) > 20 and state.actor == seats - 1:
            state.leave(state.actor, "crash", "made for a test", dice)
        else:
            state.apply(state.random_action(rng.random), dice)
    return to_bytes(
        record(
            board=board,
            options=DEFAULTS,
            seats=players or tuple(Player(f"bot-{seat}", "1", "ann") for seat in range(seats)),
            seed=seed,
            events=log,
            result=scoring.result(state, dice),
            played=PLAYED,
            match=match,
            block=block,
            ladder="amsterdam",
        )
    )


def replay_as_ordered(block: BlockOrder, order: MatchOrder) -> bytes:
    """Return the replay of a referee that follows its order."""
    rng = random.Random(0)
    rules, dice = block.rules(order), SeedDice(order.seed)
    log: list[Event] = []
    state = new_game(rules, dice, log, order.first)
    while not state.is_over:
        state.apply(state.random_action(rng.random), dice)
    return to_bytes(
        record(
            board=rules.board,
            options=rules.options,
            seats=tuple(Player(seat.bot, seat.version, seat.owner) for seat in order.seats),
            seed=order.seed,
            events=log,
            result=scoring.result(state, dice),
            played=PLAYED,
            match=order.match,
            block=block.block,
            ladder=block.ladder or None,
        )
    )


def replay_of(match: Match, number: int = 0) -> bytes:
    """Return a replay that belongs to this match."""
    seats = match.seats.count()
    return replay_bytes(str(match.pk), str(match.block_id), seats, number)


def true_replay_of(match: Match, number: int = 0) -> bytes:
    """Return a replay that belongs to this match, and names its players."""
    seats = match.seats.order_by("number").select_related("version__bot__owner")
    players = tuple(
        Player(seat.version.bot.slug, str(seat.version.number), seat.version.bot.owner.username)
        for seat in seats
    )
    return replay_bytes(str(match.pk), str(match.block_id), len(players), number, players)

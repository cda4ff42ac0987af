"""Recorded matches for tests of the viewer."""

from __future__ import annotations

import random
from datetime import datetime

from damrak_engine import scoring
from damrak_engine.boards import board_names, load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.events import Decision, Event, stamp
from damrak_engine.options import DEFAULTS
from damrak_engine.replay import Player, Replay, record, to_bytes
from damrak_engine.rules import rules_for
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.boards import board_of
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import Match, Purpose
from damrak_ladder.matches.record import Report, record as record_block
from damrak_ladder.replays.storage import keep
from ladder.bot_versions import some_bot, some_version
from ladder.games import PLAYED
from ladder.people import NOW
from ladder.tables import PATIENCE


def film(
    seats: int,
    number: int,
    *,
    leaver: int | None = None,
    names: tuple[str, ...] = (),
    match: str = "1",
    block: str = "1",
    board: str = "practice",
) -> Replay:
    """Return a game of random play with thinking times and notes, in which one seat may leave."""
    rng = random.Random(number)
    seed = rng.randbytes(32)
    dice = SeedDice(seed)
    log: list[Event] = []
    played = load_board(board) if board in board_names() else board_of(board)
    state = new_game(rules_for(played, seats, DEFAULTS), dice, log)
    while not state.is_over:
        before = len(log)
        if len(log) > 30 and state.actor == leaver:
            state.leave(state.actor, "crash", "a secret of the bot", dice)
        else:
            state.apply(state.random_action(rng.random), dice)
        for event in log[before:]:
            if isinstance(event, Decision):
                stamp(event, len(log), f"a note of seat {event.seat}")
    return record(
        board=played,
        options=DEFAULTS,
        seats=tuple(
            Player(names[seat] if names else f"bot-{seat}", "1", "ann") for seat in range(seats)
        ),
        seed=seed,
        events=log,
        result=scoring.result(state, dice),
        played=PLAYED,
        match=match,
        block=block,
        ladder="practice",
    )


def recorded_films(
    seats: int = 2,
    leaver: int | None = None,
    board: str = "practice",
    now: datetime = NOW,
    prefix: str = "bot",
) -> list[Match]:
    """Return the matches of a block that was played and recorded by new bots."""
    slugs = [f"{prefix}-{seat}" for seat in range(seats)]
    versions = tuple(some_version(some_bot(slug)) for slug in slugs)
    block = book(Table(versions, board, Purpose.LADDER, "ladder:x"), bytes(range(32)), now)
    assert start(block.pk, 0, "worker", now, PATIENCE)
    outcomes = []
    for match in block.matches.order_by("number"):
        order = match.seats.order_by("number").select_related("version__bot")
        names = tuple(seat.version.bot.slug for seat in order)
        place = {"match": str(match.pk), "block": str(block.pk), "board": board}
        played = film(seats, match.number, leaver=leaver, names=names, **place)
        outcomes.append(keep(to_bytes(played)))
    record_block(Report(block.pk, 1, tuple(outcomes)), now)
    return list(block.matches.order_by("number"))

"""Running games of one person, who has been told what a replay says."""

from __future__ import annotations

from damrak_engine.clock import TimeControl
from damrak_engine.dice import bot_seed
from damrak_engine.effects import Ask
from damrak_engine.replay import Replay
from damrak_engine.rules import rules_for
from damrak_engine.seat_history import history_of
from damrak_ladder.bots.house import house_version
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.play import mailbox
from damrak_ladder.play.mailbox import Letter
from damrak_ladder.play.models import Game
from damrak_ladder.play.tables import Wish, create
from damrak_wire.orders import Ticket
from damrak_wire.table import Welcome, event_bytes, question, welcome
from ladder.people import NOW

CONTROL = TimeControl(decision_ms=None, bank_ms=3_600_000)


def asked_in(replay: Replay, seat: int, asks: int) -> list[tuple[int | None, bytes]]:
    """Return what the referee sends to a seat until it has asked so often, with the decisions."""
    rules = rules_for(replay.board, len(replay.seats), replay.options)
    seed = bot_seed(replay.seed, seat)
    first = welcome(Welcome("m", seat, rules, CONTROL, seed, "0" * 64))
    sent: list[tuple[int | None, bytes]] = [(None, first)]
    told = 0
    for one in history_of(replay, seat, CONTROL).asked[:asks]:
        ask: Ask = one.question
        data = question(ask, told, [event_bytes(event) for event in one.news])
        sent.append((ask.decision, data))
        told += len(one.news)
    return sent


def seated_at(replay: Replay, seat: int, asks: int, key: str) -> Game:
    """Return a running game whose person sits at this seat and has been told all this."""
    bots = tuple(house_version("greedy", NOW) for _ in replay.seats[1:])
    game = create(Wish(bots, 1, "practice", "calm"), key, "", NOW)
    own = game.chairs.get(is_person=True)
    if own.number != seat:  # seats are drawn: exchange them
        game.chairs.filter(pk=own.pk).update(number=9)
        game.chairs.filter(number=seat).update(number=own.number)
        game.chairs.filter(pk=own.pk).update(number=seat)
    game.refresh_from_db()
    Block.objects.filter(pk=game.block_id).update(
        state=BlockState.RUNNING, attempt=1, lease_until=NOW
    )
    assert game.block_id is not None
    mailbox.keep_tickets(game.block_id, 1, [Ticket("m", seat, "", "t")])
    (held,) = mailbox.seats_to_hold([game.block_id])
    for number, (decision, data) in enumerate(asked_in(replay, seat, asks)):
        mailbox.keep([Letter(held, number, data, NOW, asks=decision)])
    return game

"""Tables of people: chairs, limits, the mailbox, and what is forgotten."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client, override_settings

from damrak_ladder.bots.house import house_version
from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Bot, Kind
from damrak_ladder.matches.models import Attempt, Block, BlockState, Host, Purpose
from damrak_ladder.message_codes.block_codes import BotNotConnected
from damrak_ladder.pipeline.attempt.order import order_of
from damrak_ladder.pipeline.queue.waiting_blocks import lines
from damrak_ladder.play import mailbox
from damrak_ladder.play.advice import Wish as AdviceWish, keep
from damrak_ladder.play.answers import answer, ask_advice, take_back
from damrak_ladder.play.errors import BadChoice, BotAway, TableFull, TooManyGames
from damrak_ladder.play.mailbox import Held, Letter
from damrak_ladder.play.models import Chair, Game, Heard
from damrak_ladder.play.opponents import open_opponents, set_open, versions_of
from damrak_ladder.play.tables import Wish, create, join
from damrak_ladder.play.take_backs import fulfil
from damrak_wire.orders import Ticket
from ladder.bot_versions import some_bot, some_version
from ladder.flow import some_host
from ladder.people import NOW
from ladder.tables import some_block

pytestmark = pytest.mark.usefixtures("database")


def new_game(people: int = 1, key: str = "a", address: str = "192.0.2.1") -> Game:
    wish = Wish((house_version("greedy", NOW),), people, "practice", "calm")
    game = create(wish, key, address, NOW)
    game.refresh_from_db()
    return game


def test_a_game_of_one_person_is_a_block_that_only_the_relay_plays() -> None:
    block = new_game().block
    assert block is not None
    assert (block.purpose, block.ladder, block.is_mirrored) == (Purpose.PLAY, None, True)
    assert block.matches.count() == 1
    assert not lines(NOW, 10, ())
    assert mailbox.due(NOW, 10) == [(block.pk, 0)]


def test_bots_play_with_people_at_low_priority_and_with_bots_at_the_usual_one() -> None:
    block = new_game().block
    assert block is not None
    for one, is_low in ((block, True), (some_block(), False)):
        Block.objects.filter(pk=one.pk).update(attempt=1)
        one.refresh_from_db()
        assert order_of(one, 0).order.low_priority is is_low


def test_a_game_begins_when_the_last_person_sits_down_and_each_browser_has_one_chair() -> None:
    game = new_game(people=2)
    assert game.block is None
    assert join(game, "a", NOW).number == join(game, "a", NOW).number
    assert join(game, "b", NOW).number != join(game, "a", NOW).number
    game.refresh_from_db()
    assert game.block is not None
    with pytest.raises(TableFull):
        join(game, "c", NOW)


def test_games_have_different_cards() -> None:
    new_game()
    new_game()
    assert len({bytes(block.seed) for block in Block.objects.all()}) == 2


@override_settings(DAMRAK_PEOPLE_GAMES_PER_ADDRESS=1)
def test_an_address_has_a_limit_until_its_games_end() -> None:
    game = new_game()
    assert "192.0.2.1" not in game.source
    with pytest.raises(TooManyGames):
        new_game()
    new_game(address="192.0.2.2")
    Block.objects.filter(pk=game.block_id).update(state=BlockState.DEAD)
    assert mailbox.tidy(NOW) == 1
    game.refresh_from_db()
    assert (game.over, game.source) == (NOW, "")
    new_game()


@pytest.mark.parametrize(("people", "pace"), [(4, "calm"), (0, "calm"), (1, "endless")])
def test_impossible_games_are_refused(people: int, pace: str) -> None:
    with pytest.raises(BadChoice):
        create(Wish((house_version("greedy", NOW),), people, "practice", pace), "a", "", NOW)


def test_an_answer_counts_once_and_only_for_the_open_question() -> None:
    held = seated()
    mailbox.keep([Letter(held, 0, b"", NOW), Letter(held, 1, b"?", NOW, asks=7)])
    assert not said(held, 6, 0)
    assert said(held, 7, 3)
    assert not said(held, 7, 4)
    (left,) = mailbox.answers([held.chair])
    assert (left.decision, left.action) == (7, 3)
    mailbox.keep([Letter(held, 2, b"?", NOW, asks=7)])  # repeated after a lost connection
    assert [one.action for one in mailbox.answers([held.chair])] == [3]
    mailbox.keep([Letter(held, 3, b"?", NOW, asks=8)])
    assert not mailbox.answers([held.chair])
    assert said(held, 8, 0)
    mailbox.keep([Letter(held, 4, b"!", NOW, is_refusal=True)])
    assert said(held, 8, 1)


def said(held: Held, decision: int, action: int) -> bool:
    return answer(Chair.objects.get(pk=held.chair), decision, action)


def test_a_take_back_repeats_all_answers_but_the_last() -> None:
    held = seated()
    chair = Chair.objects.get(pk=held.chair)
    running(held, 1)
    assert not take_back(chair)  # nothing has been answered
    for number, decision in enumerate((1, 4, 6)):
        mailbox.keep([Letter(held, number, b"?", NOW, asks=decision)])
        assert said(held, decision, 10 * decision)
    mailbox.keep([Letter(held, 3, b"?", NOW, asks=9)])
    chair.refresh_from_db()
    with override_settings(DAMRAK_PEOPLE_TAKE_BACKS=0):
        assert not take_back(chair)
    assert take_back(chair)
    assert [one.takes_back for one in mailbox.answers([held.chair])] == [True]
    assert fulfil(held.chair, NOW) == (held.block, 1)
    assert fulfil(held.chair, NOW) is None  # a wish counts once
    block = Block.objects.get(pk=held.block)
    assert (block.state, block.tries) == (BlockState.WAITING, 0)
    running(held, 2)
    mailbox.keep_tickets(held.block, 2, [Ticket("m", seat_of(held), "", "second")])
    (again,) = mailbox.seats_to_hold([held.block])
    assert (again.script, again.backs) == ({"1": 10, "4": 40}, {"6": 1})
    # The referee restarts before all answers are repeated: none of them is lost.
    mailbox.keep([Letter(again, 0, b"?", NOW, asks=1, repeated=10)])
    assert Chair.objects.get(pk=held.chair).asked is None
    mailbox.keep_tickets(held.block, 3, [Ticket("m", seat_of(held), "", "third")])
    (third,) = mailbox.seats_to_hold([held.block])
    assert third.script == {"1": 10, "4": 40}


def test_moves_are_not_taken_back_from_people() -> None:
    game = new_game(people=2)
    join(game, "b", NOW)
    game.refresh_from_db()
    chair = game.chairs.filter(is_person=True)[0]
    assert chair.game.block is not None
    assert not chair.game.block.is_mirrored
    Heard.objects.create(chair=chair, attempt=0, number=0, data=b"?", at=NOW, asks=1, answer=2)
    Block.objects.update(state=BlockState.RUNNING, lease_until=NOW)
    assert not take_back(chair)


def test_advice_is_limited_and_on_the_open_question_only() -> None:
    held = seated()
    mailbox.keep([Letter(held, 0, b"?", NOW, asks=7)])
    assert not ask_advice(held.chair, 6, "hint")
    assert ask_advice(held.chair, 7, "hint")
    assert ask_advice(held.chair, 7, "hint")  # the same wish
    wish = AdviceWish(held.chair, 7, "hint", {})
    keep(wish, 5)
    assert Chair.objects.get(pk=held.chair).advice == 5
    mailbox.keep([Letter(held, 1, b"?", NOW, asks=8)])
    assert Chair.objects.get(pk=held.chair).advice is None
    keep(wish, 5)  # it came too late
    assert Chair.objects.get(pk=held.chair).advice is None
    assert ask_advice(held.chair, 8, "planner")
    Chair.objects.update(advices=settings.DAMRAK_PEOPLE_HINTS)
    assert not ask_advice(held.chair, 8, "hint")
    with override_settings(DAMRAK_PEOPLE_HINTS=settings.DAMRAK_PEOPLE_HINTS + 1):
        assert ask_advice(held.chair, 8, "hint")


def running(held: Held, attempt: int) -> None:
    Block.objects.filter(pk=held.block).update(
        state=BlockState.RUNNING, attempt=attempt, tries=1, lease_until=NOW
    )
    Attempt.objects.create(block_id=held.block, number=attempt, owner="relay", started=NOW)


def test_a_new_attempt_begins_with_an_empty_mailbox() -> None:
    held = seated()
    mailbox.keep([Letter(held, 0, b"?", NOW, ticket="next", asks=1)])
    mailbox.keep_tickets(held.block, 2, [Ticket("m", seat_of(held), "", "second")])
    mailbox.keep([Letter(held, 1, b"late", NOW, asks=2)])  # of the earlier attempt
    chair = Chair.objects.get(pk=held.chair)
    assert (chair.attempt, chair.ticket, chair.heard, chair.asked) == (2, "second", 0, None)


def test_what_is_no_longer_needed_is_forgotten() -> None:
    held = seated()
    mailbox.keep([Letter(held, 0, b"?", NOW, asks=1)])
    waiting = new_game(people=2)
    Block.objects.filter(pk=held.block).update(state=BlockState.DEAD, lease_until=None)
    mailbox.tidy(NOW)
    assert Heard.objects.exists()
    mailbox.tidy(NOW + timedelta(hours=2))
    assert not Heard.objects.exists()
    assert Game.objects.filter(pk=waiting.pk).exists()
    mailbox.tidy(NOW + timedelta(days=8))
    assert not Game.objects.exists()
    assert Block.objects.filter(pk=held.block).exists()


def test_a_remote_bot_is_offered_only_while_it_is_connected_and_its_author_allows_it() -> None:
    some_host(settings.DAMRAK_HOST)
    bot = remote_bot()
    assert not open_opponents(NOW)
    set_open(bot, is_to_be_open=True, now=NOW)
    assert not open_opponents(NOW)
    with pytest.raises(BotAway):
        versions_of(["bot-rita"], NOW)
    Host.objects.update(waiting=["rita"])
    assert [one.value for one in open_opponents(NOW)] == ["bot-rita"]
    assert versions_of(["bot-rita"], NOW) == [bot.live]
    some_version(bot, "newer", Kind.REMOTE)  # another version waits in its name
    assert not open_opponents(NOW)
    set_open(bot, is_to_be_open=False, now=NOW)
    with pytest.raises(BadChoice):
        versions_of(["bot-rita"], NOW)


def test_a_game_waits_for_a_remote_bot_and_is_called_off_if_it_does_not_come_back() -> None:
    some_host(settings.DAMRAK_HOST)
    bot = remote_bot()
    assert bot.live is not None
    game = create(Wish((bot.live,), 1, "practice", "calm"), "a", "", NOW)
    game.refresh_from_db()
    block = game.block
    assert block is not None
    assert not block.is_mirrored  # a remote bot remembers the cards of an attempt
    assert not mailbox.due(NOW, 10)
    Host.objects.update(waiting=["rita"])
    assert mailbox.due(NOW, 10) == [(block.pk, 0)]
    with override_settings(DAMRAK_HOST="elsewhere"):
        assert not mailbox.due(NOW, 10)
    late = NOW + timedelta(seconds=mailbox.AWAY_S + 1)
    Host.objects.update(last_seen=late)
    assert not mailbox.call_off(late)
    Host.objects.update(waiting=[])
    assert not mailbox.call_off(late - timedelta(seconds=2))
    assert mailbox.call_off(late) == 1
    assert mailbox.call_off(late) == 0
    block.refresh_from_db()
    assert (block.state, block.trouble) == (BlockState.DEAD, BotNotConnected("rita"))
    assert mailbox.tidy(late) == 1
    page = Client().get(f"/en/play/{game.code}/")
    assert "rita was not connected" in page.content.decode()


def remote_bot() -> Bot:
    """Return a bot whose live version is a remote one."""
    bot = some_bot("rita")
    promote(bot.pk, None, some_version(bot, "remote", Kind.REMOTE).pk, NOW)
    bot.refresh_from_db()
    return bot


def seated() -> Held:
    """Return the seat of a person at a table that has begun."""
    game = new_game()
    chair = game.chairs.get(is_person=True)
    assert game.block_id is not None
    mailbox.keep_tickets(game.block_id, 1, [Ticket("m", chair.number, "", "first")])
    (held,) = mailbox.seats_to_hold([game.block_id])
    assert held == Held(chair.pk, game.block_id, 1, "first", 0)
    return held


def seat_of(held: Held) -> int:
    return Chair.objects.get(pk=held.chair).number

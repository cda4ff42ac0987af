"""A person plays at a real referee; relays are killed in the middle of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from processes import descendants, low_niceness, niceness

if TYPE_CHECKING:
    from system.plant import Plant


def test_a_game_goes_on_although_its_relay_is_killed(plant: Plant) -> None:
    from damrak_ladder.bots.house import house_version
    from damrak_ladder.matches.models import BlockState, SeatResult
    from damrak_ladder.play.answers import answer
    from damrak_ladder.play.models import Heard
    from damrak_ladder.play.tables import Wish, create
    from damrak_ladder.replays.storage import load
    from damrak_ladder.web.play.chairs import Sitting, tale_of
    from system.plant import Process, now, wait_until

    log = plant.folder / "relay.log"
    relay = Process(log, plant.machine.variables, "relay")
    wish = Wish((house_version("greedy", now()),), 1, "practice", "calm")
    game = create(wish, "key", "", now())
    game.refresh_from_db()
    block = game.block
    assert block is not None
    chairs = tuple(game.chairs.order_by("number").select_related("version__bot__owner"))
    own = next(chair for chair in chairs if chair.is_person)

    def goes_on() -> bool:
        own.refresh_from_db()
        block.refresh_from_db()
        return block.state == BlockState.RECORDED or (
            own.asked is not None and own.choice is None and own.asked not in answered
        )

    referee = plant.machine.referee.process.pid
    answered: set[int] = set()
    while True:
        wait_until(goes_on, log.read_text)
        if block.state == BlockState.RECORDED:
            break
        question = tale_of(Sitting(game, chairs, own), own).question
        assert question is not None
        assert own.asked is not None
        if not answered:  # its opponent runs at low priority
            seen = {niceness(process) for process in descendants(referee)}
            assert low_niceness(niceness(referee)) in seen
        if len(answered) in (2, 7):
            relay.kill()
            if len(answered) == 7:  # an answer that no relay is there to pass on
                assert answer(own, own.asked, question.actions[-1][0])
                answered.add(own.asked)
            relay = Process(log, plant.machine.variables, "relay")
            if own.asked in answered:
                continue
        assert answer(own, own.asked, question.actions[-1][0])
        answered.add(own.asked)
    assert block.attempt == 1, "the game was not begun again"
    wait_until(lambda: not type(own).objects.get(pk=own.pk).ticket, log.read_text)
    assert relay.stop() == 0
    assert SeatResult.objects.filter(seat__match__block=block, fault="").count() == 2
    assert load(block.matches.get().replay)
    numbers = Heard.objects.filter(chair=own).order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(len(numbers)))

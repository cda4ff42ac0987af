"""The course for newcomers: its game is real, and its verdicts are those of the engine."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import override

from damrak_engine.cards import counts
from damrak_engine.dice import SeedDice
from damrak_engine.errors import IllegalAction
from damrak_engine.verify import fold
from damrak_ladder.web.learn.course import LEARNER, SEED, course, rules
from damrak_ladder.web.learn.lessons import lessons
from damrak_ladder.web.learn.steps import STEPS
from damrak_ladder.web.learn.verdicts import Allowed, Reason, Refused, of_payment, of_route

SLOWLY = 180  # words read per minute
USUALLY = 238  # the mean of adults who read English (Brysbaert 2019)


def test_the_game_of_the_course_is_a_valid_replay_that_the_learner_wins():
    replay = course().replay
    assert list(fold(replay))  # raises an error if an event contradicts the rules
    own, other = replay.result.seats
    assert own.place == 1
    assert own.total > other.total
    assert own.fulfilled
    assert own.goods > 0


def test_every_verdict_is_that_of_the_engine():
    for step in STEPS:
        state = course().positions[step.decision]
        assert state.actor == LEARNER
        for choice in step.choices:
            verdict = choice.judge(state)
            assert isinstance(verdict, Allowed) or not choice.is_good
        for route in rules().board.routes:
            claims = [claim.action for claim in state.rules.claims if claim.route == route.id]
            verdict = of_route(state, route.id)
            possible = set[int]()
            for action in claims:
                tried = state.copy()
                try:
                    tried.apply(action, SeedDice(SEED))
                except IllegalAction:
                    continue
                possible.add(action)
                if isinstance(verdict, Allowed) and verdict.action == action:
                    assert verdict.has_goods == (tried.goods > state.goods)
                    assert verdict.is_last_round == bool(tried.last_turns and not state.last_turns)
            assert isinstance(verdict, Allowed) == bool(possible)
            assert isinstance(verdict, Refused) or verdict.action in possible


def test_the_steps_teach_what_they_say():
    def verdicts(number: int) -> list[Allowed | Refused]:
        state = course().positions[STEPS[number].decision]
        return [choice.judge(state) for choice in STEPS[number].choices]

    fulfilling, twin, _other = verdicts(3)
    assert isinstance(fulfilling, Allowed)
    assert fulfilling.fulfilled
    assert twin == Refused(Reason.TWIN)
    paid, wrong, few = verdicts(4)
    assert isinstance(paid, Allowed)
    assert paid.has_goods
    assert paid.is_last_round
    assert wrong == few == Refused(Reason.CARDS, 3, 2)
    assert verdicts(5)[1] == Refused(Reason.OWN_TWIN)
    # Two wilds would be enough, but the hand has one.
    state = course().positions[STEPS[4].decision]
    assert counts(state.hands[LEARNER])[6] == 1
    assert isinstance(of_payment(state, 1, (5, 6, 6)), Refused)


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_the_course_is_short_and_complete_in_every_language(language: str):
    with override(language):
        shown = lessons()
        steps = " ".join(
            f"{one.title} {one.text} {one.question} " + " ".join(c.label for c in one.choices)
            for one in shown
        ).split()
        answers = " ".join(
            f"{c.says} {c.lesson}" for one in shown for c in one.choices if c.is_good
        ).split()
    assert len(shown) == 6
    minutes = 6 * 8 / 60  # 8 s for each decision
    assert len(steps) / SLOWLY + minutes < 3
    assert (len(steps) + len(answers)) / USUALLY + minutes < 3
    html = Client(HTTP_HOST="127.0.0.1").get(f"/{language}/learn/").content.decode()
    assert html.count("<details") == 6 * 3 + 6
    assert html.count("<defs>") == 1
    assert html.count('<svg class="damrak"') == 6

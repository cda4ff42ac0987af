"""The steps of the course for the page: drawn, and worded in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext as _

from damrak_engine.events import event_to_json
from damrak_ladder.web.learn.course import LEARNER, course, rules, values_at
from damrak_ladder.web.learn.picture import picture
from damrak_ladder.web.learn.steps import STEPS, Choice, Step
from damrak_ladder.web.learn.verdicts import Allowed, Reason, Refused, Verdict, of_route
from damrak_ladder.web.replays import panels
from damrak_ladder.web.replays.words import Speaker, deed, words

_ASIDE: Final = frozenset({"refill", "reshuffle", "flush"})  # events that are not told


@dataclass(frozen=True, slots=True)
class Tried:
    """A move to try, and the verdict on it."""

    number: int
    label: str
    cards: SafeString
    route: int
    is_allowed: bool
    is_good: bool
    says: str
    lesson: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """One step, ready to be shown."""

    number: int
    title: str
    text: str
    question: str
    board: SafeString
    row: SafeString
    hand: SafeString
    contracts: SafeString
    carts: str
    points: str
    choices: tuple[Tried, ...]
    routes: tuple[str, ...]  # the verdict on every route of the board, if all can be tried
    then: tuple[str, ...]  # what happens until the next step


def lessons() -> tuple[Lesson, ...]:
    """Return all steps in the language of this request."""
    return _lessons(get_language())


@lru_cache(maxsize=16)
def _lessons(_language: str) -> tuple[Lesson, ...]:
    names = (_("Yellow"), _("Purple"))
    shown = course().shown
    seats = [{**seat, "bot": name} for seat, name in zip(shown["seats"], names, strict=True)]
    speaker = Speaker(words(), {**shown, "seats": seats})
    ends = [step.decision for step in STEPS[1:]]
    return tuple(
        _lesson(speaker, number, step, end)
        for number, (step, end) in enumerate(zip(STEPS, [*ends, None], strict=True), 1)
    )


def _lesson(speaker: Speaker, number: int, step: Step, end: int | None) -> Lesson:
    state = course().positions[step.decision]
    moment = course().moments[step.decision]
    values = values_at(moment)
    board = rules().board
    verdicts = [choice.judge(state) for choice in step.choices]
    claims: dict[int, list[int]] = {}
    for at, verdict in enumerate(verdicts):
        if isinstance(verdict, Allowed) and "route" in event_to_json(verdict.event):
            claims.setdefault(event_to_json(verdict.event)["route"], []).append(at)
    owners = {
        route.id: seat
        for route in board.routes
        for seat, mask in enumerate(state.owned)
        if mask >> route.id & 1
    }
    return Lesson(
        number=number,
        title=str(step.title),
        text=str(step.text),
        question=str(step.question),
        board=picture(board, owners, claims, LEARNER, f"board-{number}", is_first=number == 1),
        row=panels.row(speaker, values) if step.has_row else SafeString(""),
        hand=panels.hand(speaker, values, LEARNER),
        contracts=panels.contracts(speaker, values, LEARNER),
        carts=speaker.count("n_carts", values[f"k{LEARNER}"]),
        points=speaker.count("n_points", state.points[LEARNER]),
        choices=tuple(
            _tried(speaker, at, choice, verdict)
            for at, (choice, verdict) in enumerate(zip(step.choices, verdicts, strict=True))
        ),
        routes=tuple(_said(speaker, of_route(state, route.id)) for route in board.routes)
        if step.is_on_board
        else (),
        then=_told(speaker, moment + 1, None if end is None else course().moments[end] + 1),
    )


def _tried(speaker: Speaker, number: int, choice: Choice, verdict: Verdict) -> Tried:
    if choice.route >= 0:
        label = speaker.route(choice.route)
    elif isinstance(verdict, Allowed) and not choice.cards:
        label = deed(speaker.words, speaker.match, event_to_json(verdict.event))
    else:
        label = ""
    is_claim = choice.route >= 0 or bool(choice.cards)
    return Tried(
        number,
        label,
        panels.cards(speaker, choice.cards),
        choice.route,
        isinstance(verdict, Allowed),
        choice.is_good,
        _said(speaker, verdict) if is_claim else "",
        str(choice.lesson),
    )


def _said(speaker: Speaker, verdict: Verdict) -> str:
    """Return the verdict in words."""
    if isinstance(verdict, Refused):
        return _refused(speaker, verdict)
    said = [speaker.say(event_to_json(verdict.event), {})]
    for contract in verdict.fulfilled:
        contract_said = {"contract": speaker.contract(contract)}
        said.append(_("The contract %(contract)s is fulfilled.") % contract_said)
    return " ".join(said)


def _refused(speaker: Speaker, refused: Refused) -> str:
    match refused.reason:
        case Reason.TAKEN:
            return _("Not allowed: this route has already been built.")
        case Reason.TWIN:
            return _("Not allowed: the parallel route has been built, which closes this one.")
        case Reason.OWN_TWIN:
            return _("Not allowed: the parallel route is yours, which closes this one.")
        case Reason.CARTS:
            carts = speaker.count("n_carts", refused.held)
            return _("Not allowed: you have only %(carts)s left.") % {"carts": carts}
        case Reason.CARDS:
            counted = {"needed": refused.needed, "held": refused.held}
            return _("Not allowed: matching cards needed: %(needed)s, held: %(held)s.") % counted


def _told(speaker: Speaker, first: int, end: int | None) -> tuple[str, ...]:
    """Return the sentences of these moments, as the learner sees them."""
    moments: Sequence[Any] = course().shown["moments"]
    values = values_at(first - 1)
    told = []
    for event, changes in moments[first:end]:
        values |= changes
        if event["event"] not in _ASIDE:
            told.append(speaker.say(event, values))
    return tuple(told)

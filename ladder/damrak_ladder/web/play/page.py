"""The template context of a table, complete without a script."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from damrak_ladder.play.answers import may_take_back
from damrak_ladder.play.models import Chair
from damrak_ladder.web.play.chairs import Sitting, tale_of
from damrak_ladder.web.play.frames import advice_data, question_data
from damrak_ladder.web.play.seat_view import Tale
from damrak_ladder.web.play.texts import texts
from damrak_ladder.web.replays import panels
from damrak_ladder.web.replays.board_picture import owners_at, town
from damrak_ladder.web.replays.words import Speaker, words

LAST_EVENTS = 8


def table_context(sitting: Sitting, chair: Chair) -> dict[str, Any]:
    """Return what the page shows: everything that this seat has been told, and its question."""
    tale = tale_of(sitting, chair)
    board = tale.rules.board
    moments: Any = tale.moments
    owners = owners_at(moments, len(moments))
    shown: dict[str, Any] = {
        "town": SafeString(town(board, owners)),
        "board": board.name,
        "texts": texts(),
        "names": sitting.names,
        "seat": chair.number,
        "language": get_language(),
        "question": _question(tale, chair),
        "advice": _advice(tale, chair),
        "may_take_back": may_take_back(chair) and settings.DAMRAK_PEOPLE_TAKE_BACKS > 0,
        "has_hints": settings.DAMRAK_PEOPLE_HINTS > 0,
        "backs": sum(chair.backs.values()),
    }
    if tale.moments:
        speaker = Speaker(words(), tale.header)
        shown |= {
            "market": panels.market(speaker, tale.values),
            "seats": panels.seats(speaker, tale.values),
            "events": _told(tale, speaker),
        }
    return {"table": shown}


def _question(tale: Tale, chair: Chair) -> Any:
    question = tale.question
    if question is None or question.decision != chair.asked or chair.choice is not None:
        return None
    return question_data(tale, question, None, datetime.now(UTC))


def _advice(tale: Tale, chair: Chair) -> Any:
    question = tale.question
    if question is None or question.decision != chair.asked or not chair.wish:
        return None
    return advice_data(tale, question, chair.wish, chair.advice)


def _told(tale: Tale, speaker: Speaker) -> list[str]:
    values: dict[str, Any] = {}
    said = []
    for event, changes in tale.moments:
        values |= changes
        if event["event"] != "refill":
            said.append(speaker.say(event, values))
    return said[-LAST_EVENTS:][::-1]

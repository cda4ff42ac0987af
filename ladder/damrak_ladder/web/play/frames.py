"""Server-sent events of a table: the data of a page, in the reader's language."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from damrak_ladder.web.play.seat_view import Question, Tale
from damrak_ladder.web.replays.words import deed, words


def frame(name: str, data: Any, place: str = "") -> bytes:
    """Return an event; a page that reconnects sends the last `place`."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    at = f"id: {place}\n" if place else ""
    return f"{at}event: {name}\ndata: {text}\n\n".encode()


def moments_frame(tale: Tale, first: int, attempt: int) -> bytes:
    """Return the moments from this number on."""
    data = {"first": first, "moments": tale.moments[first:]}
    return frame("moments", data, f"{attempt}-{len(tale.moments)}")


def question_data(tale: Tale, question: Question, choice: int | None, now: datetime) -> Any:
    """Return the open question and its legal actions in words, for the page."""
    passed = max(0, round((now - question.at).total_seconds() * 1000))
    return {
        "decision": question.decision,
        "phase": question.phase,
        "chosen": choice,
        "left": max(0, question.bank_ms - passed),
        "refused": tale.refused,
        "actions": [
            {"id": number, "says": deed(words(), tale.header, form), **form}
            for number, form in question.actions
        ],
    }


def advice_data(tale: Tale, question: Question, kind: str, action: int | None) -> Any:
    """Return advice in words, for the page; without an action, it is still being thought about."""
    forms = dict(question.actions)
    is_given = action is not None and action in forms
    says = deed(words(), tale.header, forms[action]) if is_given and action is not None else ""
    return {"kind": kind, "action": action if is_given else None, "says": says}

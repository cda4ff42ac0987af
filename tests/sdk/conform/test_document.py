"""The limits in docs/protocol.md are those of the referee."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from damrak_engine.effects import DETAIL_LIMIT
from damrak_engine.events import NOTE_LIMIT
from damrak_referee.lobby.service import (
    ARRIVALS_PER_S,
    BURST,
    MESSAGES_PER_S,
    MOST_CONNECTIONS,
    MOST_UNSENT,
)
from damrak_referee.settings.table import TABLE
from damrak_referee.table.chair import COMPLAINTS, CONNECTIONS
from damrak_referee.table.link import SeatLimits
from damrak_wire.fields import NAME_LIMIT
from damrak_wire.lobby import MOST_GAMES
from damrak_wire.table.requests import TRACEBACK_LIMIT

DOCUMENT = Path(__file__).parents[3] / "docs" / "protocol.md"
SEAT = SeatLimits()
SETTINGS = {setting.name: setting.default for setting in TABLE}
LIMITS = {
    "a message of a client": [SEAT.message_bytes // 1024],
    "messages at a table beyond answers to questions": [SEAT.messages_per_s, SEAT.burst],
    "messages in the lobby; what comes faster waits": [MESSAGES_PER_S, BURST],
    "malformed messages in a match": [COMPLAINTS - 1],
    "connections to one seat in a match": [CONNECTIONS],
    "unread messages to a client": [SEAT.outbox, MOST_UNSENT],
    "time until `Join` or `Arrival`": [int(SEAT.join_s)],
    "a note, a bot's name": [NOTE_LIMIT, NAME_LIMIT],
    "a failure's detail, traceback": [DETAIL_LIMIT, TRACEBACK_LIMIT],
    "games at once of one connection": [MOST_GAMES],
    "lobby connections of one bot": [MOST_CONNECTIONS],
    "arrivals of one bot": [ARRIVALS_PER_S, MOST_CONNECTIONS],
    "refused tickets and tokens of one network address": [int(SETTINGS["joins_per_minute"] or 0)],
    "open calls of one network address": [int(SETTINGS["streams_per_peer"] or 0)],
}
ROWS = dict(
    re.findall(
        r"^\| (.+?) \| (.+?) \|$", DOCUMENT.read_text("utf-8").partition("## Limits")[2], re.M
    )
)


@pytest.mark.parametrize("what", LIMITS)
def test_a_limit_is_reported_unchanged(what: str) -> None:
    told = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", ROWS[what])]
    assert told == LIMITS[what]


def test_every_reported_limit_is_compared() -> None:
    assert set(ROWS) - {"what", "---"} == set(LIMITS)

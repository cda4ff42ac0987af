"""Messages have a JSON form that keeps the code and the parameters, and rejects all else."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.message_codes import bot_codes, journey_codes
from damrak_ladder.message_codes.block_codes import HostComparison, HostSlow
from damrak_ladder.message_codes.message import (
    TEXT_LENGTH,
    Message,
    StoredText,
    all_classes,
    message_of,
)
from ladder.message_codes.samples import CLASSES, sample


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.code)
def test_every_message_survives_its_json_form(kind: type[Message]):
    message = sample(kind)
    assert message_of(json.loads(json.dumps(message.to_json()))) == message
    assert message.to_json()["code"] == kind.code
    assert all_classes()[kind.code] is kind


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        "bot-limit",
        {},
        {"code": "no-such-code", "parameters": {}},
        {"code": ["bot-limit"], "parameters": {}},
        {"code": "bot-limit"},
        {"code": "bot-limit", "parameters": {}},
        {"code": "bot-limit", "parameters": {"limit": "5"}},
        {"code": "bot-limit", "parameters": {"limit": True}},
        {"code": "bot-limit", "parameters": {"limit": 5, "more": 1}},
        {"code": "not-qualified", "parameters": {"reason": {"code": "no-such-code"}}},
        {"code": "live-and-entered", "parameters": {"ladders": "Amsterdam"}},
        {"code": "live-and-entered", "parameters": {"ladders": [1]}},
    ],
)
def test_other_json_is_rejected(stored: object):
    with pytest.raises(ValueError, match=r"known message|parameters|type|list|argument"):
        message_of(stored)


def test_nested_messages_are_restored():
    failure = journey_codes.GameCrash(journey_codes.GamePlace(1, 20, 2), "ValueError: x")
    message = journey_codes.NotQualified(failure)
    assert message_of(message.to_json()) == message


def test_infinite_numbers_are_valid_json():
    message = HostSlow(math.inf, HostComparison(1, 0, 1e-9))
    text = json.dumps(message.to_json(), allow_nan=False)
    assert message_of(json.loads(text)) == message


@given(st.text())
def test_stored_texts_are_short_and_have_no_nul(text: str):
    stored = message_of(StoredText(text).to_json())
    assert isinstance(stored, StoredText)
    assert len(stored.text) <= TEXT_LENGTH
    assert stored.text == text.replace("\x00", "")[:TEXT_LENGTH]


def test_messages_are_values():
    assert bot_codes.BotLimit(3) == bot_codes.BotLimit(3)
    assert bot_codes.BotLimit(3) != bot_codes.BotLimit(4)
    with pytest.raises(AttributeError):
        bot_codes.BotLimit(3).limit = 4  # type: ignore[misc]


def test_a_code_cannot_be_used_twice():
    with pytest.raises(TypeError, match="bot-limit"):
        type("Again", (Message,), {}, code="bot-limit")

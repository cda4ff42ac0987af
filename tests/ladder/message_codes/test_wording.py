"""Texts follow the language of the reader: plural forms, numbers, lists and labels."""

from __future__ import annotations

import math

import pytest
from django.utils.translation import override

from damrak_ladder.message_codes import bot_codes, journey_codes, queue_codes
from damrak_ladder.message_codes.block_codes import HostComparison, HostSlow
from damrak_ladder.message_codes.bot_codes import BotLimit
from damrak_ladder.message_codes.errors import MessageError
from damrak_ladder.message_codes.message import StoredText
from damrak_ladder.message_codes.wording import english, text_of

SLOW = HostSlow(1.5, HostComparison(1234, 5, 3e-7))
FAULTY = journey_codes.TooManyFaults(3, 20, (journey_codes.FaultCount("timeout", 3),))


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (1, "You can have no more than 1 bot."),
        (3, "You can have no more than 3 bots."),
        (1234, "You can have no more than 1,234 bots."),
    ],
)
def test_plural_forms_in_english(limit: int, text: str):
    assert english(BotLimit(limit)) == text


def test_polish_has_three_plural_forms():
    with override("pl"):
        found = {text_of(queue_codes.RetriesIn(number)).split()[-1] for number in (1, 3, 5)}
        assert len(found) == 3
        assert text_of(queue_codes.RetriesIn(22)).split()[-1] in found


@pytest.mark.parametrize(
    ("language", "times", "count"),
    [("en", "1.50 ", "1,234 "), ("da", "1,50 ", "1.234 "), ("fi", "1,50 ", "1\u00a0234 ")],
)
def test_numbers_are_in_the_notation_of_the_language(language: str, times: str, count: str):
    with override(language):
        assert times in text_of(SLOW)
        assert count in text_of(SLOW)


def test_numbers_of_things_have_no_separator():
    assert "block 12345 " in english(journey_codes.Qualified(1000, 12345))


def test_infinite_numbers_are_shown():
    assert "∞ times" in english(HostSlow(math.inf, SLOW.comparison))


@pytest.mark.parametrize(
    ("language", "listed"), [("en", "greedy and random"), ("nl", "greedy en random")]
)
def test_lists_are_joined_in_the_language(language: str, listed: str):
    with override(language):
        assert listed in text_of(journey_codes.QueuedInSandbox(("greedy", "random"), "amsterdam"))


def test_labels_are_words_of_the_language():
    with override("nl"):
        assert "(tijd op: 3)" in text_of(FAULTY)
    assert "(out of time: 3)" in english(FAULTY)
    assert english(bot_codes.VersionState("new-state")).endswith("new-state.")


def test_details_are_appended_unchanged():
    place = journey_codes.GamePlace(1, 2, 3)
    with override("nl"):
        assert "100 % of %(x)s" in text_of(journey_codes.GameCrash(place, "100 % of %(x)s"))
        assert ": " not in text_of(journey_codes.GameCrash(place))
        assert text_of(StoredText("100 % of %(x)s")) == "100 % of %(x)s"


def test_errors_are_in_english_as_text():
    with override("nl"):
        assert str(MessageError(BotLimit(3))) == "You can have no more than 3 bots."
    assert english(None) == ""


def test_errors_need_a_message():
    with pytest.raises(TypeError):
        MessageError("no more than 3 bots")  # type: ignore[arg-type]

"""What lower layers say in English is said in the reader's language; the rest stays as it is."""

from __future__ import annotations

import pytest
from django.utils import translation

from damrak_ladder.account_data.deletion import REASON
from damrak_ladder.accounts.errors import TooManyTokens
from damrak_ladder.bots.errors import LimitReached, NotTaken
from damrak_ladder.notices.plain_words import in_words
from damrak_ladder.notices.sayings import SAID
from damrak_ladder.notices.wording import benched
from damrak_ladder.pipeline.failures import _WORDS, Failure
from damrak_ladder.trials.errors import TooManyTrials

SLOW = "bots think 1.50 times as long as elsewhere (40 against 200, chance of an accident 1e-05)"
RECEIVED = "12,345 bytes, SHA-256 0a"
FAULTY = "3 of its latest 20 games ended with a fault of its own (3 x timeout)"
KNOWN = [
    LimitReached("bots", 3),
    LimitReached("submissions an hour", 3),
    LimitReached("MB of archives", 3),
    TooManyTokens(5),
    TooManyTrials(2),
    NotTaken("the archive is larger than 50 MiB"),
    NotTaken("the archive is damaged or cut off: not a gzip file"),
    NotTaken("links are not taken: 'a'"),
    NotTaken("a name leads elsewhere: '../x'"),
    NotTaken("there is no bot.py and no damrak.json at its top"),
    "ann-3 is neither yours nor live",
    REASON,
    "ann-3 is failed; only what has qualified is tested",
    "Amsterdam is for: uploaded; ann is remote",
    "waits for tulip to connect",
    SLOW,
    "not better; the lead is about -12 Elo (between -30 and +2)",
    RECEIVED,
    FAULTY,
    "Qualified: it played all 4 games of block 7 without a fault.",
    "Live, and entered on Amsterdam, New boards.",
    "Queued again, because its connection broke: disconnect.",
    "Its block 7 could not be played. Staff has been told.",
    "No ladder is open to it, so it plays nowhere as a canary. Make it live at any time.",
    "As a canary on New boards it reached -12 Elo, between -90 and 66. "
    "Make it live if that pleases you.",
    *(
        f"Not qualified. {Failure(9, 0, 1, 1, reason, 'so it was', True, '', ()).text}"
        for reason in _WORDS
    ),
]


@pytest.mark.parametrize("language", ["da", "nb", "nl", "fi", "pl"])
def test_what_is_known_is_said_in_the_readers_language(language: str):
    with translation.override(language):
        for said in KNOWN:
            assert in_words(said) != str(said), said
        assert "so it was" in in_words(KNOWN[-1])  # what only the bot knows stays


def test_the_rest_stays_as_it_is():
    for said in ("", "it ended before it said hello", "100 % of nothing %(x)s"):
        assert in_words(said) == said


@pytest.mark.parametrize(
    ("language", "duration", "size"),
    [("en", "1.50 ", "12,345 "), ("da", "1,50 ", "12.345 "), ("fi", "1,50 ", "12\u00a0345 ")],
)
def test_numbers_are_written_as_the_reader_does(language: str, duration: str, size: str):
    with translation.override(language):
        assert duration in in_words(SLOW)
        assert in_words(RECEIVED).startswith(size)


def test_a_notice_is_told_in_the_readers_language_with_its_reason():
    _, text = benched("Tulip", 3, FAULTY)
    with translation.override("nl"):
        assert "eigen fout (tijd op: 3)" in str(text)


def test_places_of_texts_are_named_in_what_they_stand_for():
    for pattern, words in SAID:
        for name in ("%(" + part.split(")s")[0] + ")s" for part in str(words).split("%(")[1:]):
            assert f"(?P<{name[2:-2]}>" in pattern, words

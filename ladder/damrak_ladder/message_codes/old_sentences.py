"""The messages of sentences that earlier releases stored, for migrations.

A sentence that is not known becomes a `StoredText`, which keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from damrak_ladder.message_codes import block_codes, journey_codes
from damrak_ladder.message_codes.message import Message, StoredText
from damrak_ladder.message_codes.wording import english

_Parts = dict[str, str]

_LENGTH: Final = 500  # of the old columns
_BATCH: Final = 1000

_PLACE: Final = r" \(game (?P<game>\d+), match (?P<match>\d+), seat (?P<seat>\d+)\)\."
_COMPARISON: Final = (
    r" \((?P<here>\d+) against (?P<elsewhere>\d+), chance of an accident (?P<chance>\S+)\)"
)
_GAMES: Final[tuple[tuple[str, type[Message]], ...]] = (
    ("It took longer than its time control allows", journey_codes.GameTimeout),
    ("It crashed", journey_codes.GameCrash),
    ("Its connection was lost", journey_codes.GameDisconnect),
    ("It chose actions that are not legal too often", journey_codes.GameIllegal),
    ("It used more memory than the sandbox allows", journey_codes.GameMemory),
    ("It did not keep to the protocol", journey_codes.GameProtocol),
)


def message_of_sentence(sentence: str) -> Message | None:
    """Return the message of a stored sentence; None if it is empty."""
    if not sentence:
        return None
    for pattern, build in _PATTERNS:
        if found := pattern.fullmatch(sentence):
            try:
                return build(found.groupdict(default=""))
            except ValueError:  # a number that is none
                break
    return StoredText(sentence)


def convert(table: Any, sentences: str, messages: str) -> None:
    """Fill the column `messages` of all rows from the column `sentences`."""
    _rewrite(table.objects.exclude(**{sentences: ""}), sentences, messages, message_of_sentence)


def restore(table: Any, sentences: str, messages: str) -> None:
    """Fill the column `sentences` of all rows from the column `messages`, in English."""
    rows = table.objects.filter(**{f"{messages}__isnull": False})
    _rewrite(rows, messages, sentences, lambda message: english(message)[:_LENGTH])


def _rewrite(rows: Any, source: str, target: str, change: Callable[[Any], Any]) -> None:
    """Set one column from another, in batches, because a table may be large."""
    keys = rows.order_by("pk").values_list("pk", flat=True)
    latest = 0
    while batch := list(keys.filter(pk__gt=latest)[:_BATCH]):
        found = list(rows.model.objects.filter(pk__in=batch).only("pk", source))
        for row in found:
            setattr(row, target, change(getattr(row, source)))
        rows.model.objects.bulk_update(found, [target])
        latest = batch[-1]


def _inner(sentence: str) -> Message:
    return message_of_sentence(sentence) or StoredText("")


def _place(parts: _Parts) -> Message:
    return journey_codes.GamePlace(int(parts["game"]), int(parts["match"]), int(parts["seat"]))


def _game(kind: Any) -> Callable[[_Parts], Message]:
    return lambda parts: kind(_place(parts), parts["detail"])


def _comparison(parts: _Parts) -> Message:
    return block_codes.HostComparison(
        int(parts["here"]), int(parts["elsewhere"]), float(parts["chance"])
    )


def _host(kind: Any) -> Callable[[_Parts], Message]:
    return lambda parts: kind(float(parts["times"]), _comparison(parts))


def _too_many(parts: _Parts) -> Message:
    kinds = []
    for item in parts["kinds"].split(", "):
        count, _, fault = item.partition(" x ")
        kinds.append(journey_codes.FaultCount(fault, int(count)))
    return journey_codes.TooManyFaults(int(parts["faults"]), int(parts["games"]), tuple(kinds))


def _queued(kind: Any) -> Callable[[_Parts], Message]:
    return lambda parts: kind(tuple(parts["opponents"].split(" and ")), parts["board"])


def _names(kind: Any) -> Callable[[_Parts], Message]:
    return lambda parts: kind(tuple(parts["names"].split(", ")))


def _number(kind: Any) -> Callable[[_Parts], Message]:
    return lambda parts: kind(int(parts["number"]))


def _plain(kind: Any) -> Callable[[_Parts], Message]:
    return lambda _parts: kind()


_FAULTY: Final = (
    r"(?P<faults>\d+) of its latest (?P<games>\d+) games ended with a fault of its own"
    r" \((?P<kinds>.*)\)"
)
_SENTENCES: Final[tuple[tuple[str, Callable[[_Parts], Message]], ...]] = (
    (
        r"(?P<size>[\d,]+) bytes, SHA-256 (?P<digest>\w+)…?",
        lambda parts: journey_codes.ArchiveReceived(
            int(parts["size"].replace(",", "")), parts["digest"]
        ),
    ),
    (
        r"registered; it qualifies as soon as it is connected",
        _plain(journey_codes.RemoteRegistered),
    ),
    (
        r"a Python bot, (?P<number>\d+) files?",
        _number(journey_codes.PythonBotFound),
    ),
    (
        r"a Python bot, the class (?P<name>\S+), (?P<files>\d+) files?",
        lambda parts: journey_codes.PythonClassFound(parts["name"], int(parts["files"])),
    ),
    (
        r"a program in (?P<language>[^,]+), run as (?P<command>.*), (?P<files>\d+) files?",
        lambda parts: journey_codes.ProgramFound(
            parts["language"], parts["command"], int(parts["files"])
        ),
    ),
    (
        r"Queued: it plays (?P<opponents>.*) on (?P<board>\S+), in the sandbox\.",
        _queued(journey_codes.QueuedInSandbox),
    ),
    (
        r"Queued: it plays (?P<opponents>.*) on (?P<board>\S+), as soon as it is connected\.",
        _queued(journey_codes.QueuedForConnection),
    ),
    (
        r"Its qualification block (?P<number>\d+) is being played\.",
        _number(journey_codes.QualificationPlaying),
    ),
    (
        r"Its qualification block (?P<number>\d+) was played\.",
        _number(journey_codes.QualificationPlayed),
    ),
    (
        r"Qualified: it played all (?P<games>\d+) games of block (?P<block>\d+) without a fault\.",
        lambda parts: journey_codes.Qualified(int(parts["games"]), int(parts["block"])),
    ),
    (
        r"Version (?P<number>\d+) is newer and stays live\. Make this one live if you like\.",
        _number(journey_codes.NewerVersionLive),
    ),
    (r"Live, and entered on (?P<names>.*)\.", _names(journey_codes.LiveAndEntered)),
    (r"Live: it plays for its bot from now on\.", _plain(journey_codes.Live)),
    (
        r"A canary now on (?P<names>.*): shadow games that count for its own estimate only\.",
        _names(journey_codes.CanaryBegun),
    ),
    (
        r"No ladder is open to it, so it plays nowhere as a canary\. Make it live at any time\.",
        _plain(journey_codes.CanaryWithoutLadder),
    ),
    (
        r"As a canary on (?P<ladder>.+) it reached (?P<elo>-?\d+) Elo, between (?P<low>-?\d+)"
        r" and (?P<high>-?\d+)\. Make it live if that pleases you\.",
        lambda parts: journey_codes.CanaryEstimate(
            parts["ladder"], int(parts["elo"]), int(parts["low"]), int(parts["high"])
        ),
    ),
    (
        r"Queued again: the host that it failed on was not to be trusted\.",
        _plain(journey_codes.QueuedAfterUntrustedHost),
    ),
    (
        r"Queued again, because its connection broke: (?P<problem>.*)\.",
        lambda parts: journey_codes.QueuedAfterConnection(parts["problem"]),
    ),
    (
        r"Its block (?P<number>\d+) could not be played\. Staff has been told\.",
        _number(journey_codes.QualificationGivenUp),
    ),
    (
        r"Not qualified\. (?P<reason>.*)",
        lambda parts: journey_codes.NotQualified(_inner(parts["reason"])),
    ),
    (r"Version (?P<number>\d+) connects in its place\.", _number(journey_codes.Superseded)),
    (r"The account of its author was deleted\.", _plain(journey_codes.AuthorDeleted)),
    *((rf"{re.escape(words)}(?:: (?P<detail>.*))?{_PLACE}", _game(kind)) for words, kind in _GAMES),
    (
        rf"It failed \((?P<fault>[^)]*)\)(?:: (?P<detail>.*))?{_PLACE}",
        lambda parts: journey_codes.GameFault(parts["fault"], _place(parts), parts["detail"]),
    ),
    (_FAULTY, _too_many),
    (
        rf"Benched: {_FAULTY}\. A new version gets the bot back into play\.",
        lambda parts: journey_codes.Benched(_too_many(parts)),
    ),
    (r"Restored: .*", _plain(journey_codes.Restored)),
    (
        rf"version (?P<version>\d+) scores differently here than elsewhere{_COMPARISON}",
        lambda parts: block_codes.HostScores(int(parts["version"]), _comparison(parts)),
    ),
    (
        rf"results stray from what ratings foretell more than elsewhere{_COMPARISON}",
        lambda parts: block_codes.HostResults(_comparison(parts)),
    ),
    (
        rf"bots think (?P<times>\S+) times as long as elsewhere{_COMPARISON}",
        _host(block_codes.HostSlow),
    ),
    (
        rf"bots fail (?P<times>\S+) times as often as elsewhere{_COMPARISON}",
        _host(block_codes.HostBotFaults),
    ),
    (
        rf"attempts come to nothing (?P<times>\S+) times as often as elsewhere{_COMPARISON}",
        _host(block_codes.HostAttempts),
    ),
    (r"by an operator", _plain(block_codes.OperatorDecision)),
    (r"the worker fell silent", _plain(block_codes.WorkerSilent)),
    (r"the worker died", _plain(block_codes.WorkerEnded)),
    (
        r"host (?P<host>.+?) is in quarantine: (?P<reason>.*)",
        lambda parts: block_codes.HostQuarantined(parts["host"], _inner(parts["reason"])),
    ),
)
_PATTERNS: Final = tuple((re.compile(text, re.DOTALL), build) for text, build in _SENTENCES)

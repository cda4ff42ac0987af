"""Sentences of earlier releases become messages; unknown ones are kept."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.health.tables import difference
from damrak_ladder.message_codes.block_codes import (
    HostAttempts,
    HostBotFaults,
    HostComparison,
    HostQuarantined,
    HostResults,
    HostScores,
    HostSlow,
    OperatorDecision,
    WorkerEnded,
    WorkerSilent,
)
from damrak_ladder.message_codes.journey_codes import (
    ArchiveReceived,
    AuthorDeleted,
    Benched,
    CanaryBegun,
    CanaryEstimate,
    CanaryWithoutLadder,
    FaultCount,
    GameCrash,
    GameDisconnect,
    GameFault,
    GameIllegal,
    GameMemory,
    GamePlace,
    GameProtocol,
    GameTimeout,
    Live,
    LiveAndEntered,
    NewerVersionLive,
    NotQualified,
    ProgramFound,
    PythonBotFound,
    PythonClassFound,
    QualificationGivenUp,
    QualificationPlayed,
    QualificationPlaying,
    Qualified,
    QueuedAfterConnection,
    QueuedAfterUntrustedHost,
    QueuedForConnection,
    QueuedInSandbox,
    RemoteRegistered,
    Restored,
    Superseded,
    TooManyFaults,
)
from damrak_ladder.message_codes.message import Message, StoredText
from damrak_ladder.message_codes.old_sentences import message_of_sentence
from ladder.databases import migrate, original_executor, separate_database

PLACE = GamePlace(2, 77, 1)
WHERE = "(game 2, match 77, seat 1)."
FAULTY = TooManyFaults(4, 20, (FaultCount("timeout", 3), FaultCount("crash", 1)))
FAULTS = "4 of its latest 20 games ended with a fault of its own (3 x timeout, 1 x crash)"
OTHERS = "(40 against 200, chance of an accident 1e-05)"
COMPARED = HostComparison(40, 200, 1e-5)
SLOW = f"bots think 1.50 times as long as elsewhere {OTHERS}"

KNOWN: dict[str, Message] = {
    "12,345 bytes, SHA-256 0a1b2c3d4e5f…": ArchiveReceived(12345, "0a1b2c3d4e5f"),
    "registered; it qualifies as soon as it is connected": RemoteRegistered(),
    "a Python bot, 1 file": PythonBotFound(1),
    "a Python bot, the class Hare, 3 files": PythonClassFound("Hare", 3),
    "a program in C++, run as ./hare --fast, now, 12 files": ProgramFound(
        "C++", "./hare --fast, now", 12
    ),
    "Queued: it plays greedy and random on amsterdam, in the sandbox.": QueuedInSandbox(
        ("greedy", "random"), "amsterdam"
    ),
    "Queued: it plays greedy on amsterdam, as soon as it is connected.": QueuedForConnection(
        ("greedy",), "amsterdam"
    ),
    "Its qualification block 7 is being played.": QualificationPlaying(7),
    "Its qualification block 7 was played.": QualificationPlayed(7),
    "Qualified: it played all 4 games of block 7 without a fault.": Qualified(4, 7),
    "Version 9 is newer and stays live. Make this one live if you like.": NewerVersionLive(9),
    "Live: it plays for its bot from now on.": Live(),
    "Live, and entered on Amsterdam, New boards.": LiveAndEntered(("Amsterdam", "New boards")),
    "A canary now on Amsterdam: shadow games that count for its own estimate only.": CanaryBegun(
        ("Amsterdam",)
    ),
    "No ladder is open to it, so it plays nowhere as a canary. Make it live at any time.": (
        CanaryWithoutLadder()
    ),
    "As a canary on New boards it reached -12 Elo, between -90 and 66. "
    "Make it live if that pleases you.": CanaryEstimate("New boards", -12, -90, 66),
    "Queued again: the host that it failed on was not to be trusted.": QueuedAfterUntrustedHost(),
    "Queued again, because its connection broke: reset.": QueuedAfterConnection("reset"),
    "Its block 7 could not be played. Staff has been told.": QualificationGivenUp(7),
    "Version 4 connects in its place.": Superseded(4),
    "Not qualified. Version 4 connects in its place.": NotQualified(Superseded(4)),
    "Not qualified. The account of its author was deleted.": NotQualified(AuthorDeleted()),
    f"It took longer than its time control allows {WHERE}": GameTimeout(PLACE),
    f"It crashed: ValueError: (game 1, x) {WHERE}": GameCrash(PLACE, "ValueError: (game 1, x)"),
    f"Its connection was lost {WHERE}": GameDisconnect(PLACE),
    f"It chose actions that are not legal too often {WHERE}": GameIllegal(PLACE),
    f"It used more memory than the sandbox allows {WHERE}": GameMemory(PLACE),
    f"It did not keep to the protocol: two\nlines {WHERE}": GameProtocol(PLACE, "two\nlines"),
    f"It failed (strange): why {WHERE}": GameFault("strange", PLACE, "why"),
    FAULTS: FAULTY,
    f"Benched: {FAULTS}. A new version gets the bot back into play.": Benched(FAULTY),
    "Restored: games that it was benched for were played on a host that is not trusted.": (
        Restored()
    ),
    f"version 5 scores differently here than elsewhere {OTHERS}": HostScores(5, COMPARED),
    f"results stray from what ratings foretell more than elsewhere {OTHERS}": HostResults(COMPARED),
    SLOW: HostSlow(1.5, COMPARED),
    f"bots fail inf times as often as elsewhere {OTHERS}": HostBotFaults(math.inf, COMPARED),
    f"attempts come to nothing 2.0 times as often as elsewhere {OTHERS}": HostAttempts(
        2.0, COMPARED
    ),
    "by an operator": OperatorDecision(),
    "the worker fell silent": WorkerSilent(),
    "the worker died": WorkerEnded(),
    f"host attic is in quarantine: {SLOW}": HostQuarantined("attic", HostSlow(1.5, COMPARED)),
}


@pytest.mark.parametrize("sentence", KNOWN)
def test_known_sentences_become_messages(sentence: str):
    assert message_of_sentence(sentence) == KNOWN[sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "127.0.0.1:7000: Socket closed",
        "the games went wrong",
        f"bots think 1.x times as long as elsewhere {OTHERS}",
        "It crashed.",
    ],
)
def test_other_sentences_are_kept(sentence: str):
    assert message_of_sentence(sentence) == StoredText(sentence)


@given(st.text())
def test_any_text_has_a_message(text: str):
    found = message_of_sentence(text)
    assert (found is None) == (text == "")


BEFORE = [("bots", "0001_initial"), ("matches", "0005_ended_blocks")]


def models_before() -> Any:
    """Migrate to the release before, and return its models."""
    executor = original_executor()
    executor.migrate(BEFORE)
    return executor.loader.project_state(BEFORE).apps


@pytest.fixture
def earlier(committed: Any, tmp_path: Path) -> Iterator[Any]:
    """Yield the models of the release before, with their tables in a separate database."""
    with separate_database(tmp_path):
        yield models_before()


def test_stored_sentences_are_migrated(earlier: Any):
    now = "2026-01-01T00:00:00+00:00"
    user = earlier.get_model("accounts", "User").objects.create(username="ann", date_joined=now)
    bot = earlier.get_model("bots", "Bot").objects.create(owner=user, slug="hare", created=now)
    versions = earlier.get_model("bots", "Version").objects
    steps = earlier.get_model("bots", "Step").objects
    for number, reason in enumerate(["", FAULTS, "something else"], 1):
        version = versions.create(
            bot=bot, number=number, kind="uploaded", content=str(number), reason=reason,
            created=now, changed=now,
        )  # fmt: skip
        for text in KNOWN:
            steps.create(version=version, at=now, kind="queued", text=text)
    host = earlier.get_model("matches", "Host").objects.create(
        name="attic", reason=SLOW, first_seen=now, last_seen=now
    )
    block = earlier.get_model("matches", "Block").objects.create(
        purpose="ladder", board="amsterdam", is_mirrored=True, seed=b"0" * 32, flow="x",
        created=now, due=now, trouble="the worker died", host=host,
    )  # fmt: skip
    attempts = earlier.get_model("matches", "Attempt").objects
    for number, detail in enumerate(["", "the worker died", "attic: Socket closed"], 1):
        attempts.create(block=block, number=number, owner="x", started=now, detail=detail)

    migrate()
    assert difference() is None

    bots = import_module("damrak_ladder.bots.models")
    matches = import_module("damrak_ladder.matches.models")
    reasons = bots.Version.objects.order_by("number").values_list("reason", flat=True)
    assert list(reasons) == [None, FAULTY, StoredText("something else")]
    for version in bots.Version.objects.all():
        assert [step.message for step in version.steps.all()] == list(KNOWN.values())
    assert matches.Host.objects.get().reason == HostSlow(1.5, COMPARED)
    assert matches.Block.objects.get().trouble == WorkerEnded()
    details = matches.Attempt.objects.order_by("number").values_list("detail", flat=True)
    assert list(details) == [None, WorkerEnded(), StoredText("attic: Socket closed")]

    before = models_before()
    texts = before.get_model("bots", "Step").objects.values_list("text", flat=True)
    assert all(texts)
    assert before.get_model("matches", "Block").objects.get().trouble == "The worker process ended."

"""Valid messages of a child process; all others are rejected."""

import json

import pytest

from damrak.hosting.faults import BotFault, Chosen, Nonsense
from damrak.hosting.messages import (
    Decided,
    Done,
    Message,
    Printed,
    ProtocolError,
    Ready,
    answer_to,
    line_of,
    parse_line,
)

MESSAGES: list[Message] = [
    Ready("Jan"),
    Decided(3, Chosen(12, None)),
    Decided(3, Chosen(12, "“why”")),
    Decided(4, Nonsense("None is no action")),
    BotFault("crash", "ValueError: x", "Traceback …\n"),
    Printed("it printed 'hm'", "Printed from\n"),
    Done(),
]


@pytest.mark.parametrize("message", MESSAGES)
def test_message_comes_back_from_its_one_line(message: Message) -> None:
    line = line_of(message)
    assert line.count(b"\n") == 1
    assert parse_line(line.rstrip(b"\n")) == message


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff",
        b"null",
        b"[]",
        b"{}",
        b"[" * 50_000,
        b"1" * 10_000,
        b"NaN",
        b'{"done": 1}',
        b'{"done": false}',
        b'{"ready": 5}',
        json.dumps({"ready": "x" * 65}).encode(),
        b'{"ready": "\\ud800"}',
        b'{"decision": 1, "action": 1}',
        b'{"decision": 1, "action": 1, "note": null, "more": 1}',
        b'{"decision": 1, "action": true, "note": null}',
        b'{"decision": 1, "action": 1.0, "note": null}',
        b'{"decision": 1, "action": -1, "note": null}',
        b'{"decision": 1, "action": "1", "note": null}',
        b'{"decision": 1, "action": 99999999999999999999, "note": null}',
        json.dumps({"decision": 1, "action": 1, "note": "x" * 281}).encode(),
        b'{"decision": 1, "action": 1, "note": "\\udfff"}',
        b'{"reason": "timeout", "detail": "", "traceback": ""}',
        b'{"reason": ["crash"], "detail": "", "traceback": ""}',
        b'{"reason": "crash", "detail": null, "traceback": ""}',
    ],
)
def test_any_other_line_is_refused_in_one_line(line: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_line(line)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_answer_to_another_question_is_refused() -> None:
    line = line_of(Decided(3, Chosen(12, None))).strip()
    assert answer_to(3, line) == Chosen(12, None)
    with pytest.raises(ProtocolError):
        answer_to(4, line)


def test_message_that_answers_nothing_is_refused() -> None:
    with pytest.raises(ProtocolError):
        answer_to(1, line_of(Done()).strip())

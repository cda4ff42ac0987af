"""Outboxes and the writes that they combine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from damrak_referee.table.outbox import Departures, Outbox

NEVER = 3_600_000_000_000
AT_ONCE = 0


class Streams:
    """Streams that write immediately into one list, as (name, message)."""

    def __init__(self, patience_ns: int) -> None:
        self.written: list[tuple[str, bytes]] = []
        self._departures = Departures(asyncio.get_running_loop(), patience_ns)

    def outbox(self, name: str) -> Outbox:
        async def write(data: bytes) -> None:
            self.written.append((name, data))

        return Outbox(write, _nothing, _nothing, 10, self._departures)


def _nothing() -> None:
    pass


def in_a_loop(check: Callable[[Streams], None], patience_ns: int) -> Streams:
    """Call `check` in an event loop, and return the streams after its next pass."""

    async def run() -> Streams:
        streams = Streams(patience_ns)
        check(streams)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return streams

    return asyncio.run(run())


def test_questions_of_one_pass_leave_together_but_the_first_at_once() -> None:
    def check(streams: Streams) -> None:
        boxes = [streams.outbox(name) for name in "abc"]
        for box in boxes:
            box.put_question(b"?")
        assert streams.written == [("a", b"?")]
        assert [len(box) for box in boxes] == [0, 1, 1]
        assert boxes[0].asked_ns
        assert not boxes[1].asked_ns

    streams = in_a_loop(check, NEVER)
    assert streams.written == [("a", b"?"), ("b", b"?"), ("c", b"?")]


def test_no_question_waits_for_longer_than_it_may() -> None:
    def check(streams: Streams) -> None:
        for name in "abc":
            streams.outbox(name).put_question(b"?")
        assert streams.written == [("a", b"?"), ("b", b"?"), ("c", b"?")]

    in_a_loop(check, AT_ONCE)


def test_nothing_overtakes_a_question_that_waits() -> None:
    def check(streams: Streams) -> None:
        streams.outbox("a").put_question(b"?")
        box = streams.outbox("b")
        box.put_question(b"?")
        box.put(b"news")
        assert streams.written == [("a", b"?"), ("b", b"?"), ("b", b"news")]
        assert box.asked_ns

    assert len(in_a_loop(check, NEVER).written) == 3


def test_cleared_messages_are_not_sent() -> None:
    def check(streams: Streams) -> None:
        streams.outbox("a").put_question(b"?")
        box = streams.outbox("b")
        box.put_question(b"?")
        box.clear()
        assert not len(box)

    assert in_a_loop(check, NEVER).written == [("a", b"?")]


def test_the_next_pass_starts_over() -> None:
    async def run() -> None:
        streams = Streams(NEVER)
        box = streams.outbox("a")
        for number in range(3):
            box.put_question(b"%d" % number)
            assert streams.written[-1] == ("a", b"%d" % number)
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    asyncio.run(run())


def test_unread_messages_finally_overflow() -> None:
    async def run() -> None:
        overflowed: list[bool] = []

        async def write(data: bytes) -> None:
            await asyncio.Event().wait()

        departures = Departures(asyncio.get_running_loop(), NEVER)
        box = Outbox(write, _nothing, lambda: overflowed.append(True), 10, departures)
        for _ in range(11):  # one more is being written
            box.put(b"news")
        assert not overflowed
        box.put(b"news")
        assert overflowed

    asyncio.run(run())

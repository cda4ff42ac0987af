"""Bytes that were once written are understood for ever, and today's say what they are meant to."""

from __future__ import annotations

import pytest

from wire_golden import OLDER, TODAY, Golden, kinds, read, said_today, text_of

KINDS = kinds()
WRITTEN = [*read(TODAY), *read(OLDER)]


@pytest.mark.parametrize("golden", WRITTEN, ids=lambda golden: golden.name)
def test_old_bytes_are_understood(golden: Golden) -> None:
    kind, parse = KINDS[golden.name]
    assert text_of(kind, golden.data) == golden.text
    assert parse(golden.data) is not None


def test_today_says_what_is_written() -> None:
    assert {golden.name: golden.text for golden in said_today()} == {
        golden.name: golden.text for golden in read(TODAY)
    }

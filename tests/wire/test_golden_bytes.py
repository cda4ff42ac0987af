"""Messages of older versions can still be parsed, and current ones have the expected text."""

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


def test_todays_table_matches_the_stored_one() -> None:
    assert {golden.name: golden.text for golden in said_today()} == {
        golden.name: golden.text for golden in read(TODAY)
    }

"""The ports of a platform and its referee."""

from __future__ import annotations

import sys

import pytest

from damrak_ladder.embedded.ports import lobby_address


@pytest.mark.skipif(sys.platform != "linux", reason="others cannot do that")
def test_platforms_that_start_at_once_have_lobbies_of_their_own() -> None:
    lobbies = [lobby_address("127.0.0.1") for _ in range(3)]
    assert len(set(lobbies)) == 3

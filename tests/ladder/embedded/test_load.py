"""The load of the machine: measured, and limited to a share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from damrak_ladder.embedded.load import Governor, seconds_of_tree
from damrak_ladder.embedded.plans import Size
from damrak_ladder.installation.pace import LONGEST_REST_S, ask_for_rest, book_games


@pytest.mark.process
def test_time_of_children_that_have_ended_counts() -> None:
    before = seconds_of_tree(os.getpid())
    code = "import time\nwhile time.process_time() < 0.4: pass"
    subprocess.run([sys.executable, "-c", code], check=True)
    after = seconds_of_tree(os.getpid())
    assert before is not None
    assert after is not None
    assert after - before >= 0.3


def test_rests_keep_the_share_over_time() -> None:
    governor = Governor(share=0.5, processors=4)
    now, used, working = 0.0, 0.0, 0.0
    rests_until = governor.rest_until(used, now)
    while now < 1000.0:
        if now >= rests_until:  # a block that takes three processors for two seconds
            used, working, now = used + 6.0, working + 2.0, now + 2.0
        else:
            now = rests_until
        rests_until = governor.rest_until(used, now)
    assert 0.49 < used / (now * 4) <= 0.51


def test_a_quiet_hour_does_not_allow_a_busy_one() -> None:
    governor = Governor(share=0.5, processors=2)
    governor.rest_until(0.0, 0.0)
    governor.rest_until(0.0, 3600.0)
    assert governor.rest_until(20.0, 3610.0) == 3610.0 + 10.0


def test_size_leaves_room_by_default() -> None:
    for processors in (1, 2, 4, 16, 64):
        usual = Size.of(processors, None, None)
        assert usual.share is not None
        assert usual.share < 0.6
        assert usual.games <= max(2, 0.6 * processors)
    assert Size.of(4, 8, None).share is None
    assert Size.of(4, 8, None).blocks == 8


def test_games_are_spread_over_the_minute(tmp_path: Path) -> None:
    assert book_games(tmp_path, 2, 12, 1000.0) == 0.0
    assert book_games(tmp_path, 2, 12, 1000.0) == 10.0
    assert book_games(tmp_path, 4, 12, 1000.0) == 20.0
    assert book_games(tmp_path, 2, 12, 2000.0) == 0.0  # a pause earns no credit
    assert book_games(tmp_path, 2, 12, 2001.0) == 9.0


def test_rests_are_waited_for_unless_the_clock_was_set_back(tmp_path: Path) -> None:
    ask_for_rest(tmp_path, 1007.0)
    assert book_games(tmp_path, 4, None, 1000.0) == 7.0
    assert book_games(tmp_path, 4, None, 1008.0) == 0.0
    assert book_games(tmp_path, 4, None, 1007.0 - LONGEST_REST_S - 1) == 0.0

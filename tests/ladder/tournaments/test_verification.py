"""Results of tournaments are verified from replays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from damrak_ladder.command_line import main
from damrak_ladder.matches.models import Block, Match
from damrak_ladder.matches.record import MatchOutcome, Report
from damrak_ladder.replays.storage import keep
from damrak_ladder.tournaments.models import BlockResult, Tournament
from damrak_ladder.tournaments.verification import verified
from ladder import flow
from ladder.games import true_replay_of
from ladder.tournaments.cups import play, started

pytestmark = pytest.mark.usefixtures("database")


class Referee(flow.Player):
    """A player whose games have real replays."""

    def report(self, block: Block) -> Report:
        """Return the results of the stored replays."""
        outcomes: list[MatchOutcome] = [
            keep(true_replay_of(match, match.pk)) for match in block.matches.order_by("number")
        ]
        return Report(block.pk, block.attempt, tuple(outcomes))


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Tournament:
    """A finished round robin of three with real replays."""
    monkeypatch.setattr("ladder.tournaments.cups.Player", Referee)
    tournament, _ = started(3)
    play(tournament)
    return tournament


def verify(capsys: pytest.CaptureFixture[str], code: int) -> Any:
    assert main(["tournaments", "verify", "cup", "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_every_result_is_confirmed_by_its_replays(
    played: Tournament, capsys: pytest.CaptureFixture[str]
) -> None:
    said = verify(capsys, 0)
    assert (said["blocks"], said["games"], said["confirmed"], said["problems"]) == (3, 6, 3, [])
    first, *rest = verified(played)
    assert [one.block for one in verified(played, after=first.block)] == [one.block for one in rest]
    assert len(list(verified(played, limit=2))) == 2


def test_changed_results_lost_and_foreign_replays_are_found(
    played: Tournament, capsys: pytest.CaptureFixture[str]
) -> None:
    changed, lost, foreign = BlockResult.objects.order_by("pairing_block__block")
    changed.games[1]["places"].reverse()
    changed.save()
    of_block = {
        one: Match.objects.filter(block=one.pairing_block.block_id) for one in (lost, foreign)
    }
    of_block[lost].update(replay="f" * 64)
    replay = of_block[foreign].order_by("number")[0].replay
    of_block[foreign].filter(number=1).update(replay=replay)
    problems = [one["problem"] for one in verify(capsys, 1)["problems"]]
    assert "game 1: places" in problems[0]
    assert "ffff" in problems[1]
    assert "has a replay of match" in problems[2]

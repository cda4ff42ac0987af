"""`damrak tournaments`, `damrak standings` and `damrak results` on a real site."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli import COMMAND
from sdk.sites import SECONDS, Site, running_site

pytestmark = pytest.mark.process

TESTS = Path(__file__).parents[2]
PLAYED = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from ladder.tournaments.cups import play, started
play(started(4, "swiss", rounds=2)[0])
started(4, slug="other", reveal="hidden")
"""

RUNNING = """
from ladder.tournaments.cups import started
started(4, "swiss", slug="live", rounds=2)
"""
THE_REST = """
from damrak_ladder.tournaments.models import Tournament
from ladder.tournaments.cups import play
play(Tournament.objects.get(slug="live"))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("home")) as made:
        made.say(PLAYED)
        yield made


def said(site: Site, tmp_path: Path, *arguments: str) -> str:
    done = site.damrak(*arguments, "--to", site.url, config=tmp_path)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_tournaments_are_listed_and_their_tables_shown(site: Site, tmp_path: Path) -> None:
    listed = said(site, tmp_path, "tournaments")
    assert "cup" in listed
    assert "over" in listed
    names = [one["slug"] for one in json.loads(said(site, tmp_path, "tournaments", "--json"))]
    assert names == ["other", "cup"]
    table = said(site, tmp_path, "standings", "cup")
    assert table.splitlines()[1].split()[:2] == ["1", "cup-1"]
    rows = json.loads(said(site, tmp_path, "standings", "cup", "--json"))["stages"][0]["rows"]
    assert [row["place"] for row in rows] == [1, 2, 3, 4]


def test_results_are_watched_to_the_end(site: Site, tmp_path: Path) -> None:
    lines = said(site, tmp_path, "results", "cup", "--watch").splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("round 1, table 1: cup-1 1 - cup-")
    hidden = said(site, tmp_path, "results", "other").splitlines()
    assert [line.endswith("(hidden)") for line in hidden] == [True, True]


def test_unknown_tournament_is_one_line(site: Site, tmp_path: Path) -> None:
    done = site.damrak("standings", "atlantis", "--to", site.url, config=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "atlantis" in done.stderr


def test_results_are_printed_as_they_come(site: Site, tmp_path: Path) -> None:
    site.say(RUNNING)
    with subprocess.Popen(
        [*COMMAND, "results", "live", "--watch", "--to", site.url],
        env=site.for_damrak(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    ) as watch:
        assert watch.stdout is not None
        first = [watch.stdout.readline() for _ in range(2)]
        assert [line.endswith("(open)\n") for line in first] == [True, True]
        site.say(THE_REST)
        lines = watch.communicate(timeout=SECONDS)[0].splitlines()
    assert watch.returncode == 0
    assert sum(line.startswith("round 1, ") for line in lines) == 2
    assert sum(line.startswith("round 2, ") for line in lines) >= 2
    assert not lines[-1].endswith("(open)")

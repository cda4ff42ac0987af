"""`damrak trial` prints the expected duration of a test, and faster alternatives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdk.sites import Site, running_site

pytestmark = pytest.mark.process

TESTS = Path(__file__).parents[2]
SOME_BOT = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from damrak_ladder.bots.models import Kind
from ladder.ladders import some_ladder
from ladder.bot_versions import some_bot, some_version
bot = some_bot("stan", "ann")
for spec in ("one", "two"):
    some_version(bot, spec, Kind.UPLOADED)
some_ladder("amsterdam", house=["random", "greedy"], rotations=2)
"""
SOME_BLOCKS = """
from datetime import timedelta
from damrak_ladder.matches.entries import seat_house
from damrak_ladder.matches.models import Host, Ladder
from ladder.flow import Player, rounds, some_host
seat_house(Ladder.objects.get(), now)
some_host(workers=2, now=now)
rounds(Player(takes=timedelta(seconds=40)), 3, now)
Host.objects.update(last_seen=now + timedelta(hours=1))
"""
FASTER = "faster on your own machine: damrak play NEW OLD --sprt 0 30"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("home")) as made:
        made.say(SOME_BOT)
        yield made


def test_duration_is_stated_once_there_is_something_to_go_by(site: Site, tmp_path: Path) -> None:
    token = site.token_of("ann")

    def trial(*arguments: str) -> str:
        said = site.damrak(
            "trial", *arguments, "--to", site.url, config=tmp_path, DAMRAK_API_TOKEN=token
        )
        assert said.returncode == 0, said.stderr
        return str(said.stdout)

    fresh = trial("stan", "2", "1", "--ladder", "amsterdam", "--no-wait")
    assert "its duration cannot be estimated yet" in fresh
    assert FASTER in fresh
    number = fresh.split("test ")[-1].split()[0]
    assert json.loads(trial("--watch", number, "--no-wait", "--json"))["expected"] is None

    site.say(SOME_BLOCKS)
    told = trial("--watch", number, "--no-wait")
    assert "expected to take " in told
    assert "more blocks of 40 s, with 33% of the capacity" in told
    assert FASTER in told
    expected = json.loads(trial("--watch", number, "--no-wait", "--json"))["expected"]
    assert expected["blocks_low"] < expected["blocks_high"]
    assert expected["seconds_per_block"] == pytest.approx(40)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("trial", "--watch", "999"), "no test 999 of yours: your dashboard lists your tests"),
        (("live", "nobody", "1"), "no bot nobody: damrak submit creates it with its first version"),
        (("versions", "nobody"), "no bot nobody: damrak ratings LADDER lists the bots of a ladder"),
        (("standings", "nothing"), "no tournament nothing: damrak tournaments lists those there"),
    ],
)
def test_advice_of_refusals_names_commands(
    site: Site, tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    token = site.token_of("ann")
    said = site.damrak(*arguments, "--to", site.url, config=tmp_path, DAMRAK_API_TOKEN=token)
    assert said.returncode == 2
    assert problem in said.stderr

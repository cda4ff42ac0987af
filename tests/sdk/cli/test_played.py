"""`damrak matches`, `download`, `ratings` and `queue` on a site with matches."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from damrak.cli.played import FAULTS
from damrak_engine import events
from sdk.sites import Site, running_site

pytestmark = pytest.mark.process

SOME_MATCHES = """
import sys
sys.path.insert(0, {tests!r})
from ladder.sites import fill
fill(now, blocks=6, replays=2)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("home")) as made:
        made.say(SOME_MATCHES.format(tests=str(Path(__file__).parents[2])))
        yield made


def test_faults_are_those_of_the_engine() -> None:
    assert set(FAULTS) == {"any", "none", *events.FAULTS}


def run(site: Site, tmp_path: Path, *arguments: str | Path, code: int = 0) -> str:
    done = site.damrak(*arguments, "--to", site.url, config=tmp_path)
    assert done.returncode == code, done.stderr
    return str(done.stdout if code != 2 else done.stderr)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_matches_are_listed_by_filters(site: Site, tmp_path: Path) -> None:
    every = lines(run(site, tmp_path, "matches", "--ndjson"))
    assert len({match["id"] for match in every}) == len(every) >= 12
    some = json.loads(run(site, tmp_path, "matches", "--ladder", "amsterdam", "--json"))
    assert some
    assert {match["ladder"] for match in some} == {"amsterdam"}
    bot = some[0]["seats"][0]["bot"]
    text = run(site, tmp_path, "matches", "--bot", bot, "--limit", "1")
    assert bot in text
    assert len(text.splitlines()) == 1
    assert "no matches" in run(site, tmp_path, "matches", "--board", "nowhere")
    said = run(site, tmp_path, "matches", "--ladder", "nowhere", code=2)
    assert "no ladder nowhere: see the page /ladders/ of the site" in said
    said = run(site, tmp_path, "matches", "--since", "yesterday", code=2)
    assert "since: it is not in ISO 8601 format" in said
    assert "--help describes the options" in said
    for unknown in ("bot", "opponent", "owner"):
        said = run(site, tmp_path, "matches", f"--{unknown}", "nowhere", code=2)
        assert "nowhere" in said
        assert "/api/v1/" not in said
    assert "999" in run(site, tmp_path, "matches", "--version", "999", code=2)
    run(site, tmp_path, "download", "--bot", "nowhere", code=2)
    for command in ("download", "watch"):
        said = run(site, tmp_path, command, "999", code=2)
        assert said.endswith("there is no match 999: damrak matches lists those there are\n")


def test_replays_are_downloaded_once_and_verified(site: Site, tmp_path: Path) -> None:
    newest = lines(run(site, tmp_path, "matches", "--ndjson", "--limit", "2"))
    ids = [str(match["id"]) for match in newest]
    folder = tmp_path / "replays"
    said = json.loads(run(site, tmp_path, "download", *ids, "--into", folder, "--json"))
    assert [(one["match"], one["new"], one["problem"]) for one in said] == [
        (int(number), True, "") for number in ids
    ]
    done = site.damrak("verify", *(one["file"] for one in said), config=tmp_path)
    assert done.returncode == 0, done.stderr
    damaged = Path(said[0]["file"])
    damaged.write_bytes(damaged.read_bytes()[:-9])
    again = lines(run(site, tmp_path, "download", *ids, "--into", folder, "--ndjson"))
    assert [one["new"] for one in again] == [True, False]
    waiting = lines(run(site, tmp_path, "matches", "--state", "waiting", "--ndjson"))[0]["id"]
    said = json.loads(run(site, tmp_path, "download", str(waiting), "--json", code=1))
    assert "no replay" in said[0]["problem"]
    assert said[0]["file"] is None
    assert "by filters" in run(site, tmp_path, "download", code=2)


def test_ratings_and_the_queue(site: Site, tmp_path: Path) -> None:
    table = json.loads(run(site, tmp_path, "ratings", "amsterdam", "--json"))
    assert [row["rank"] for row in table] == sorted(row["rank"] for row in table)
    assert lines(run(site, tmp_path, "ratings", "amsterdam", "--ndjson")) == table
    assert table[0]["bot"] in run(site, tmp_path, "ratings", "amsterdam", "--limit", "1")
    assert "nowhere" in run(site, tmp_path, "ratings", "nowhere", code=2)
    queue = json.loads(run(site, tmp_path, "queue", "--json"))
    assert queue["running_count"] + queue["waiting_count"] >= 1
    rows = lines(run(site, tmp_path, "queue", "--ndjson"))
    assert {row["state"] for row in rows} <= {"running", "waiting"}
    assert "running" in run(site, tmp_path, "queue")
    assert "nowhere" in run(site, tmp_path, "queue", "--bot", "nowhere", code=2)


def test_a_recorded_match_is_watched_from_its_beginning(site: Site, tmp_path: Path) -> None:
    for newest in lines(run(site, tmp_path, "matches", "--ndjson", "--limit", "10")):
        number = str(newest["id"])
        first, *rows, last = lines(run(site, tmp_path, "watch", number, "--ndjson"))
        claims = [row for row in rows if row["event"]["event"] == "claim"]
        if claims:  # a game that ends early by a fault may have none
            break
    assert len(first["seats"]) == len(newest["seats"])
    assert [row["number"] for row in rows] == list(range(len(rows)))
    assert rows[0]["event"]["event"] == "deal"
    assert None in rows[0]["event"]["hands"][0]  # as the public sees it
    assert last["match"]["replay"] == newest["replay"]
    whole = json.loads(run(site, tmp_path, "watch", number, "--json"))
    assert [one["event"] for one in whole["events"]] == [row["event"] for row in rows]
    text = run(site, tmp_path, "watch", number)
    assert text.count(" claims ") == len(claims) > 0
    last_claims = {row["event"]["route"]: row["event"]["seat"] for row in claims}
    board = text[text.rindex("row: ") :]
    for seat, one in enumerate(newest["seats"]):
        name = re.escape(first["seats"][seat]["bot"])
        routes = re.findall(rf"^{name}(?: \(left\))?: (.*)$", board, re.MULTILINE)
        mine = sum(owner == seat for owner in last_claims.values())
        assert sum(line.count(" - ") for line in routes) == mine, board
        assert re.search(rf"^[> ] {name}(?: \(left\))? +{one['points']} ", board, re.MULTILINE), (
            board
        )
    assert f"1. {min(newest['seats'], key=lambda one: one['place'])['bot']}" in text
    dead = json.loads(run(site, tmp_path, "matches", "--state", "dead", "--json"))[0]["id"]
    run(site, tmp_path, "watch", str(dead), code=1)
    assert "no match" in run(site, tmp_path, "watch", "999999", code=2)

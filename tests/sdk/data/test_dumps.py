"""`damrak.data` reads dumps of open data, from a folder and from a site."""

from __future__ import annotations

import functools
import json
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from damrak import data
from damrak.cli import main
from sample_dump import sample

pytestmark = pytest.mark.process  # `damrak play` starts processes


class Handler(SimpleHTTPRequestHandler):
    """A site whose dump is at /data/."""

    def log_message(self, format: str, *args: object) -> None:
        """Ignore requests."""


@pytest.fixture(scope="module")
def places() -> tuple[Path, Path]:
    """Return a dump and the folder with the same games."""
    return sample()


@pytest.fixture
def site(places: tuple[Path, Path]) -> Iterator[str]:
    handler = functools.partial(Handler, directory=str(places[0].parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_dump_gives_the_same_matches_and_decisions_as_its_replays(
    places: tuple[Path, Path], site: str
) -> None:
    dump, games = places
    expected = [(it.header.seed, it.bots, it.totals, it.places) for it in data.matches(games)]
    arrays = list(data.decisions(games))
    for source in (dump, str(dump), site, f"{site}/data/", f"{site}/data/index.json"):
        found = [(it.header.seed, it.bots, it.totals, it.places) for it in data.matches(source)]
        assert found == expected
        for batch, other in zip(data.decisions(source), arrays, strict=True):
            assert np.array_equal(batch.observations, other.observations)
            assert np.array_equal(batch.actions, other.actions)
    assert len(list(data.matches([dump, games]))) == 2 * len(expected)
    assert len(list(data.rows(site, "matches"))) == len(expected)


def test_ratings_select_matches_and_decisions(places: tuple[Path, Path]) -> None:
    dump, games = places
    assert {rating for it in data.matches(dump) for rating in it.ratings} == {1500.0, 1200.0}
    strong = sum(len(batch) for batch in data.decisions(dump, rating=(1400, None)))
    assert strong == sum(len(batch) for batch in data.decisions(dump, bot="planner"))
    weak = list(data.matches(dump, seat=0, rating=(None, 1400)))
    assert weak
    assert {it.bots[0] for it in weak} == {"greedy"}
    assert not list(data.matches(dump, bot="planner", rating=(None, 1400)))
    with pytest.raises(ValueError, match="only dumps have ratings"):
        list(data.matches(games, rating=(1400, None)))
    with pytest.raises(ValueError, match="the lower bound 2000 is above"):
        list(data.matches(dump, rating=(2000, 1000)))


def test_damaged_files_are_named_with_cause_and_cure(
    places: tuple[Path, Path], tmp_path: Path
) -> None:
    def damaged(message: str) -> None:
        with pytest.raises(data.DamagedFile, match=message):
            list(data.matches(tmp_path / "dump"))
        shutil.rmtree(tmp_path / "dump")

    def copy() -> Path:
        shutil.copytree(places[0], tmp_path / "dump")
        return next(iter((tmp_path / "dump" / "replays").glob("*.gz")))

    file = copy()
    file.write_bytes(file.read_bytes()[:-9])
    damaged(r"replays/2026.*: has .* bytes instead of .*download it again")
    file = copy()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    damaged(r"replays/2026.*: has the SHA-256 .* instead of .*download it again")
    copy().unlink()
    damaged(r"replays/2026.*: this file of the dump is missing .*download it again")
    for text in ("", "{}", "[]", '{"format": "damrak-dump/1", "files": [{"format": "ndjson"}]}'):
        copy()
        (tmp_path / "dump" / "index.json").write_text(text)
        damaged(r"index\.json: .*download it again")
    copy()
    index = json.loads((tmp_path / "dump" / "index.json").read_text())
    for listed in index["files"]:
        listed["path"] = "../../etc/passwd"
    (tmp_path / "dump" / "index.json").write_text(json.dumps(index))
    damaged("is not the path of a file")


def test_a_board_inside_something_else_is_not_taken_for_the_board_of_the_replay(
    places: tuple[Path, Path], tmp_path: Path
) -> None:
    good = sorted(places[1].glob("*.json"))[0].read_bytes()
    replay = json.loads(good)
    board = replay.pop("board")
    hidden = json.dumps(
        {**replay, "aside": {"board": board}}, separators=(",", ":"), sort_keys=True
    )
    path = tmp_path / "two.ndjson"
    path.write_bytes(good + hidden.encode() + b"\n")
    with pytest.raises(data.DamagedFile, match=r"line 2: .*'board'"):
        list(data.matches(path))


def test_sites_that_do_not_answer_are_named(site: str) -> None:
    with pytest.raises(data.SiteUnreachable, match=r"/nothing/index\.json: 404"):
        list(data.matches(f"{site}/nothing/index.json"))
    with pytest.raises(data.SiteUnreachable, match=r"http://127\.0\.0\.1:1/data/index\.json: "):
        list(data.matches("http://127.0.0.1:1"))


def test_the_command_reads_dumps(
    places: tuple[Path, Path], site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "strong.parquet"
    assert main(["data", "decisions", site, "--rating", "1400:", "--out", str(out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["rows"] == sum(len(batch) for batch in data.decisions(places[0], bot="planner"))
    assert main(["data", "decisions", site, "--rating", "strong", "--out", str(out)]) == 2
    assert "'strong' is not a range such as 1500:1800" in capsys.readouterr().err
    arguments = [str(places[1]), "--rating", ":1400", "--out", str(tmp_path / "none.parquet")]
    assert main(["data", "decisions", *arguments]) == 2
    assert "only dumps have ratings" in capsys.readouterr().err

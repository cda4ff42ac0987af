"""`damrak.data` reads the replays of `damrak play --save` as arrays of `damrak.env`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from damrak import data
from damrak.cli import main
from damrak.data.decision_arrays import Decisions
from damrak.env import Encoder
from damrak_engine.events import Decision
from damrak_engine.observation import observe
from damrak_engine.replay import parse_replay
from damrak_engine.verify import action_of, fold

pytestmark = pytest.mark.process

CRASH = """
from damrak import Bot


class Crash(Bot):
    name = "crash"

    def choose(self, view):
        if view.turns > 5:
            raise RuntimeError("as expected")
        return view.legal[0]
"""


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with games of two and three house bots on two boards."""
    folder = tmp_path_factory.mktemp("games")
    for number, given in enumerate(
        (
            ["greedy", "random", "--games", "4"],
            ["random", "random", "greedy", "--games", "3"],
            ["random", "greedy", "--games", "2", "--options", "returned_order=shuffled"],
        )
    ):
        assert main(["play", *given, "--seed", "5", "--save", str(folder / str(number))]) == 0
    return folder


def folders(games: Path) -> list[Path]:
    return sorted(games.iterdir())


def rows_of(batches: Iterator[Decisions]) -> Iterator[tuple[str, int, int, bytes, bytes, float]]:
    for batch in batches:
        for i in range(len(batch)):
            yield (
                batch.matches[batch.of_match[i]].name,
                int(batch.seats[i]),
                int(batch.actions[i]),
                batch.observations[i].tobytes(),
                batch.masks[i].tobytes(),
                float(batch.rewards[i]),
            )


def test_every_row_equals_that_of_the_engine_in_lock_step(games: Path) -> None:
    rows = rows_of(data.decisions(folders(games), rows=50))
    for match in data.matches(folders(games)):
        replay = parse_replay(Path(match.name).read_bytes())
        encoder = Encoder(match.rules)
        for count, state in fold(replay):
            if state.is_over:
                break
            event = next(it for it in replay.events[count:] if it.kind != "reshuffle")
            actor, legal = state.actor, state.legal_mask()
            seen = encoder.encode(observe(state, actor)).tobytes()
            places = [seat.place for seat in replay.result.seats]
            beaten = sum(it > places[actor] for it in places)
            ahead = sum(it < places[actor] for it in places)
            expected = (
                match.name,
                actor,
                action_of(event, state),
                seen,
                encoder.mask(legal).tobytes(),
                float(np.float32((beaten - ahead) / (len(places) - 1))),
            )
            assert next(rows) == expected
    assert next(rows, None) is None


def test_core_and_engine_agree(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = list(rows_of(data.decisions(folders(games))))
    monkeypatch.setattr("damrak.data.native.has_core", lambda: False)
    assert list(rows_of(data.decisions(folders(games)))) == fast


def test_matches_with_faults_are_read(tmp_path: Path) -> None:
    bot = tmp_path / "crash.py"
    bot.write_text(CRASH)
    games = tmp_path / "games"
    main(["play", str(bot), "greedy", "random", "--games", "2", "--save", str(games)])
    replays = [parse_replay(file.read_bytes()) for file in sorted(games.glob("*.json"))]
    assert all(any(event.kind == "fault" for event in it.events) for it in replays)
    [batch] = data.decisions(games)
    made = [event for it in replays for event in it.events if isinstance(event, Decision)]
    assert batch.seats.tolist() == [event.seat for event in made]


def test_batches_do_not_change_the_rows(games: Path) -> None:
    few, many = (list(rows_of(data.decisions(folders(games), rows=n))) for n in (1, 10_000))
    assert few == many


def test_filters_select_decisions(games: Path) -> None:
    everything = list(data.decisions(folders(games)))
    greedy = list(data.decisions(folders(games), bot="greedy", seat=1, board="amsterdam"))
    expected = [
        (batch.matches[batch.of_match[i]].name, int(batch.actions[i]))
        for batch in everything
        for i in range(len(batch))
        if batch.seats[i] == 1 and batch.matches[batch.of_match[i]].bots[1] == "greedy"
    ]
    assert expected
    assert [(row[0], row[2]) for row in rows_of(iter(greedy))] == expected
    assert list(data.decisions(folders(games), board="elsewhere")) == []
    assert list(data.matches(folders(games), bot="stranger")) == []


def test_lines_are_read_like_files(games: Path, tmp_path: Path) -> None:
    files = sorted((games / "0").glob("*.json"))
    content = b"".join(file.read_bytes() for file in files)
    (tmp_path / "all.ndjson").write_bytes(content)
    (tmp_path / "all.ndjson.gz").write_bytes(gzip.compress(content))
    expected = [row[1:] for row in rows_of(data.decisions(files))]
    for name in ("all.ndjson", "all.ndjson.gz"):
        assert [row[1:] for row in rows_of(data.decisions(tmp_path / name))] == expected


def test_damaged_files_are_named(games: Path, tmp_path: Path) -> None:
    good = sorted((games / "0").glob("*.json"))[0].read_bytes()
    replay = json.loads(good)
    events = replay["events"]
    moves = [i for i, event in enumerate(events) if "seat" in event]
    without_one = {**replay, "events": events[: moves[5]] + events[moves[5] + 1 :]}
    unfinished = {**replay, "events": events[:-5]}
    strange = {**replay, "events": [[], *events]}
    other_seed = {**replay, "seed": "00" * 32}
    wrong = json.loads(good)
    wrong["result"]["seats"][0]["total"] += 1
    path = tmp_path / "bad.json"
    for content in (b"", b"{}", b"\xff", good[:-100], *map(dumped, (without_one, unfinished))):
        path.write_bytes(content)
        with pytest.raises(data.DamagedFile, match=r"bad\.json: "):
            list(data.decisions(path))
    for changed in (strange, other_seed, wrong):
        path.write_bytes(dumped(changed))
        with pytest.raises(data.DamagedFile, match=r"bad\.json: "):
            list(data.decisions(path))
    lines = tmp_path / "bad.ndjson.gz"
    lines.write_bytes(gzip.compress(good + b"{}\n"))
    with pytest.raises(data.DamagedFile, match=r"bad\.ndjson\.gz, line 2: "):
        list(data.decisions(lines))
    lines.write_bytes(gzip.compress(good)[:-20])
    with pytest.raises(data.DamagedFile, match="decompressed"):
        list(data.decisions(lines))


def dumped(value: object) -> bytes:
    return json.dumps(value).encode()


def test_wrong_sources_are_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(data.matches(tmp_path / "missing.json"))
    with pytest.raises(data.DamagedFile, match="no replays"):
        list(data.matches(tmp_path))
    (tmp_path / "notes.txt").touch()
    with pytest.raises(data.DamagedFile, match=r"expected a file \*\.json"):
        list(data.matches(tmp_path / "notes.txt"))


def test_command_writes_parquet(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "decisions.parquet"
    files = [str(folder) for folder in folders(games)]
    assert main(["data", "decisions", *files, "--out", str(out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    table = parquet.read_table(out)
    batches = list(data.decisions(folders(games)))
    assert report["rows"] == table.num_rows == sum(map(len, batches))
    assert report["seconds"] >= 0
    rows = table.to_pylist()
    for batch in batches:
        for i in range(len(batch)):
            row, rows = rows[0], rows[1:]
            assert row["bot"] == batch.matches[batch.of_match[i]].bots[row["seat"]]
            assert (row["seat"], row["action"]) == (batch.seats[i], batch.actions[i])
            assert np.array_equal(np.float32(row["observation"]), batch.observations[i])
            assert np.array_equal(row["mask"], batch.masks[i])


def test_command_writes_nothing_from_a_damaged_file(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    out = tmp_path / "decisions.parquet"
    assert main(["data", "decisions", str(games / "0"), str(bad), "--out", str(out)]) == 2
    assert "bad.json" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [bad]

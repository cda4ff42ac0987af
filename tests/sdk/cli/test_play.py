"""`damrak play`: its JSON output, its exit, and its protection from bots."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli import COMMAND, damrak, started
from damrak.cli.play import JOBS_A_CORE, jobs_here
from damrak.cores import cores
from positions import SMALL

BOT_NAMES = {
    "name",
    "games",
    "wins",
    "shared",
    "score_mean",
    "elo",
    "elo_low",
    "elo_high",
    "faults",
}
HOSTILE = {
    "raises": "raise ArithmeticError('boo')",
    "exits": "raise SystemExit(0)",
    "dies": "import os; os._exit(3)",
    "babbles": "print('x' * 10_000); return 'nonsense'",
    "hangs": "\n        while True:\n            pass",
}


def played(*arguments: str | Path, cwd: Path | None = None) -> Any:
    """Return the object that `damrak play … --json` prints."""
    run = damrak("play", *arguments, "--json", cwd=cwd)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.process
def test_json_has_the_names_others_rely_on_and_adds_up() -> None:
    report = played("greedy", "random", "--games", "10", "--seed", "7")
    assert report["games"] == 10
    assert report["blocks"] == 5
    assert report["seconds"] > 0
    assert [bot["name"] for bot in report["bots"]] == ["greedy", "random"]
    for bot in report["bots"]:
        assert bot.keys() >= BOT_NAMES
        assert bot["games"] == 10
        assert bot["elo_low"] < bot["elo"] < bot["elo_high"]
        assert bot["faults"] == 0
        assert bot["places"][0] == bot["wins"] + bot["shared"]
        points = bot["points"]
        assert bot["score_mean"] == pytest.approx(sum(points.values()), abs=0.01)
    greedy, random = report["bots"]
    assert greedy["wins"] + random["wins"] + greedy["shared"] == 10
    assert greedy["elo"] == -random["elo"]
    assert greedy["elo_low"] == -random["elo_high"]
    assert greedy["elo"] > 0


@pytest.mark.process
def test_score_mean_is_the_mean_of_totals_in_the_saved_replays(tmp_path: Path) -> None:
    report = played("greedy", "random", "--games", "4", "--save", tmp_path / "games")
    totals: dict[str, list[int]] = {"greedy": [], "random": []}
    for file in (tmp_path / "games").glob("*.json"):
        replay = json.loads(file.read_text("utf-8"))
        for seat, result in zip(replay["seats"], replay["result"]["seats"], strict=True):
            totals[seat["bot"]].append(result["total"])
    for bot in report["bots"]:
        assert bot["score_mean"] == sum(totals[bot["name"]]) / 4


@pytest.mark.process
def test_games_are_rounded_up_to_whole_blocks_with_a_note() -> None:
    run = damrak("play", "random", "random", "random", "--games", "4", "--json")
    assert json.loads(run.stdout)["games"] == 6
    assert json.loads(run.stdout)["blocks"] == 2
    assert run.stderr == "6 games: 2 whole blocks of 3\n"


@pytest.mark.process
def test_not_mirrored_any_number_of_games_will_do() -> None:
    report = played("random", "greedy", "--games", "3", "--no-mirror")
    assert (report["games"], report["blocks"]) == (3, 3)


@pytest.mark.process
def test_a_bot_against_itself_gets_two_names() -> None:
    report = played("greedy", "greedy", "--games", "2")
    assert [bot["name"] for bot in report["bots"]] == ["greedy", "greedy#2"]


@pytest.mark.process
def test_a_seed_brings_the_same_games_again() -> None:
    reports = [
        played("greedy", "random", "random", "greedy", "--games", "8", "--seed", "x", "--jobs", j)
        for j in ("1", "2")
    ]
    for report in reports:
        del report["seconds"], report["jobs"]
        for bot in report["bots"]:
            del bot["seconds"]
    assert reports[0] == reports[1]


@pytest.mark.process
def test_the_random_seed_of_a_series_is_printed() -> None:
    seed = played("random", "greedy", "--games", "2")["seed"]
    text = damrak("play", "random", "greedy", "--games", "2", "--seed", seed).stdout
    assert f"seed {seed}" in text


@pytest.mark.process
def test_table_names_every_figure() -> None:
    run = damrak("play", "greedy", "random", "--games", "4", "--seed", "1")
    rows = [line.strip() for line in run.stdout.splitlines()]
    for label in (
        "score",
        "wins",
        "shared wins",
        "place 1",
        "place 2",
        "points a game",
        "routes",
        "contracts",
        "goods",
        "seconds a game",
        "faults",
        "Elo difference",
        "95 % interval",
    ):
        assert any(row.startswith(label) for row in rows), label
    assert "4 games in 2 mirrored blocks on amsterdam" in run.stdout
    assert "\x1b" not in run.stdout


@pytest.mark.process
def test_board_options_and_time_are_accepted(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(SMALL))
    settings = ["--options", "second_card=optional", "first_player=seat 0", "--save", "games"]
    times = ["--bank", "5", "--increment", "0.25", "--decision", "none"]
    report = played(
        "random", "random", "--games", "2", "--board", file, *settings, *times, cwd=tmp_path
    )
    assert report["board"] == SMALL["id"]
    assert report["options"] == {"second_card": "optional", "first_player": "seat 0"}
    replay = json.loads((tmp_path / "games" / "000000-0.json").read_text("utf-8"))
    assert replay["board"] == SMALL
    assert replay["events"][0]["first"] == 0


@pytest.mark.process
def test_sequential_test_stops_by_itself(tmp_path: Path) -> None:
    report = played("greedy", "random", "--sprt", "0", "150", "--seed", "1", "--save", tmp_path)
    assert len(list(tmp_path.iterdir())) == report["games"]
    test = report["sprt"]
    assert test["verdict"] == "H1"
    assert test["llr"] >= test["upper"]
    assert report["games"] < 200
    again = played("random", "greedy", "--sprt", "0", "150", "--seed", "1", "--jobs", "1")
    assert again["sprt"]["verdict"] == "H0"


@pytest.mark.process
def test_undecided_sequential_test_is_reported() -> None:
    run = damrak("play", "random", "random", "--games", "2", "--sprt", "-1", "1")
    assert run.returncode == 0
    assert "not decided yet" in run.stdout


@pytest.mark.process
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_bot_is_survived_and_counted(kind: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        f"from damrak import Bot\n\nclass Hostile(Bot):\n"
        f"    def choose(self, view):\n        {HOSTILE[kind]}\n"
    )
    clock = ("--decision", "3") if kind == "hangs" else ()  # sufficient for the other bot
    run = damrak("play", "./bot.py", "random", "--games", "2", *clock, "--json", cwd=tmp_path)
    assert run.returncode == 1, run.stderr
    assert "Traceback" not in run.stderr
    report = json.loads(run.stdout)
    assert report["ok"] is False
    assert [bot["faults"] for bot in report["bots"]] == [2, 0]
    assert report["bots"][1]["wins"] == 2
    bundles = sorted((tmp_path / "damrak-faults").iterdir())
    assert len(bundles) == 2


@pytest.mark.process
def test_output_of_the_first_game_is_shown(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "from damrak import Bot\n\nclass Chatty(Bot):\n"
        "    def choose(self, view):\n"
        "        print(f'turn {view.turns}: \\x1b[2J')\n        return view.legal[-1]\n"
    )
    run = damrak("play", "./bot.py", "random", "--games", "4", "--jobs", "1", cwd=tmp_path)
    story = run.stdout.partition(f"{tmp_path.name} printed in the first game, at the end:\n")[2]
    lines = [line for line in story.splitlines() if line.startswith("  turn ")]
    assert len(lines) == 10
    assert all(line.endswith(": \N{REPLACEMENT CHARACTER}[2J") for line in lines)


@pytest.mark.process
def test_printing_is_a_fault_that_changes_nothing(tmp_path: Path) -> None:
    bot = tmp_path / "chatty.py"
    bot.write_text(
        "import sys\nfrom damrak import Bot\n\nclass Chatty(Bot):\n"
        "    def choose(self, view):\n"
        "        print('aside', file=sys.stderr)\n"
        "        return self.first(view)\n"
        "    def first(self, view):\n"
        "        print('hm')\n"
        "        return view.legal[0]\n"
    )
    quiet = tmp_path / "quiet.py"
    quiet.write_text(bot.read_text().replace("print('hm')", "pass"))
    report = played(bot, quiet, "--games", "4", "--seed", "3", cwd=tmp_path)
    assert [side["faults"] for side in report["bots"]] == [4, 0]
    assert [side["fault_reasons"] for side in report["bots"]] == [{"output": 4}, {}]
    assert [side["share"] for side in report["bots"]] == [0.5, 0.5]  # they play identically
    assert report["ends"].keys() == {"carts"}
    run = damrak("play", bot, quiet, "--games", "2", cwd=tmp_path)
    assert "chatty had a fault that did not affect the match: output: it printed 'hm'" in run.stdout
    assert 'chatty.py", line 9, in first' in run.stdout
    found = re.search(r"damrak repro (\S+)", run.stdout)
    assert found is not None
    again = damrak("repro", found[1], cwd=tmp_path)
    assert again.returncode == 1
    assert "fails again: output: it printed 'hm'" in again.stdout
    assert 'chatty.py", line 9, in first' in again.stdout
    stopped = damrak("repro", found[1], "--debug", cwd=tmp_path, input="p view.seat\nq\n")
    # Python 3.13 and later stop at the line that printed, earlier versions after it.
    assert re.search(r"chatty\.py\((9|10)\)first\(\)", stopped.stdout)
    mended = damrak("repro", found[1], "--bot", quiet, cwd=tmp_path)
    assert mended.returncode == 0, mended.stderr


@pytest.mark.process
def test_failure_is_shown_with_what_to_do_next(tmp_path: Path) -> None:
    bot = tmp_path / "clumsy.py"
    bot.write_text("from damrak import Bot\n\nclass C(Bot):\n    def choose(self, view): 1 / 0\n")
    run = damrak("play", bot, "random", "--games", "2", cwd=tmp_path)
    assert "clumsy left the table: crash: ZeroDivisionError" in run.stdout
    assert 'clumsy.py", line 4, in choose' in run.stdout
    found = re.search(r"damrak repro (\S+)", run.stdout)
    assert found is not None
    again = damrak("repro", found[1], cwd=tmp_path)
    assert again.returncode == 1
    assert "fails again: crash: ZeroDivisionError" in again.stdout
    report = json.loads(damrak("repro", found[1], "--json", cwd=tmp_path).stdout)
    assert (report["ok"], report["repeats"]) == (False, True)
    assert "1 / 0" in report["now"]["traceback"]
    bot.write_text(bot.read_text().replace("1 / 0", "return view.legal[0]"))
    mended = damrak("repro", found[1], cwd=tmp_path)
    assert mended.returncode == 0, mended.stderr
    assert "no longer fails" in mended.stdout


BROKEN_STARTS = {
    "import": "import no_such_module\n",
    "syntax": "def choose(:\n",
    "constructor": "from damrak import Bot\n\nclass B(Bot):\n    def __init__(self): 1 / 0\n",
    "start": "from damrak import Bot\n\nclass B(Bot):\n    def start(self, match): 1 / 0\n",
}


@pytest.mark.process
@pytest.mark.parametrize("kind", BROKEN_STARTS)
def test_bot_that_cannot_start_stops_the_series(kind: str, tmp_path: Path) -> None:
    bot = tmp_path / "broken.py"
    bot.write_text(BROKEN_STARTS[kind])
    run = damrak("play", "greedy", bot, "--games", "100000", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (1, "")
    assert "cannot start: crash: " in run.stdout
    assert 'broken.py", line' in run.stdout
    assert "no game was played" in run.stdout
    found = re.search(r"damrak repro (\S+)", run.stdout)
    assert found is not None
    assert damrak("repro", found[1], cwd=tmp_path).returncode == 1


@pytest.mark.process
def test_bot_that_cannot_start_is_reported_as_json(tmp_path: Path) -> None:
    bot = tmp_path / "broken.py"
    bot.write_text(BROKEN_STARTS["import"])
    run = damrak("play", bot, "greedy", "--games", "100000", "--json", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (1, "")
    report = json.loads(run.stdout)
    assert (report["ok"], report["games"]) == (False, 0)
    failure = report["start_failure"]
    assert failure["detail"] == "ModuleNotFoundError: No module named 'no_such_module'"
    assert "import no_such_module" in failure["traceback"]
    assert (tmp_path / failure["bundle"]).is_file()


@pytest.mark.process
def test_exit_code_is_1_only_if_a_bot_failed_in_every_game(tmp_path: Path) -> None:
    bot = tmp_path / "sometimes.py"
    bot.write_text(
        "from damrak import Bot\n\nclass Sometimes(Bot):\n    def choose(self, view):\n"
        "        assert view.seat\n        return view.legal[0]\n"
    )
    report = played(bot, "random", "--games", "4", cwd=tmp_path)
    assert report["ok"] is True
    assert report["bots"][0]["faults"] == 2
    bot.write_text(bot.read_text().replace("assert view.seat", "assert False"))
    run = damrak("play", bot, "random", "--games", "4", cwd=tmp_path)
    assert run.returncode == 1
    assert "sometimes failed in every game (4 of 4)" in run.stdout


@pytest.mark.process
def test_version_of_a_folder_is_recognised_until_a_file_in_it_changes(tmp_path: Path) -> None:
    bot = tmp_path / "clumsy"
    bot.mkdir()
    (bot / "bot.py").write_text(
        "from damrak import Bot\n\nclass C(Bot):\n    def choose(self, view): 1 / 0\n"
    )
    (bot / "table.txt").write_text("1")
    damrak("play", bot, "random", "--games", "2", cwd=tmp_path)
    (bundle, *_) = sorted((tmp_path / "damrak-faults").iterdir())
    other = "clumsy is not the version that failed"
    for given in ((), ("--bot", bot), ("--bot", bot / "bot.py")):
        same = damrak("repro", bundle, *given, cwd=tmp_path)
        assert same.returncode == 1
        assert other not in same.stdout
        assert "fails again" in same.stdout
    (bot / "table.txt").write_text("2")
    assert other in damrak("repro", bundle, cwd=tmp_path).stdout


@pytest.mark.process
def test_failure_where_no_bundle_can_be_written_ends_no_series(tmp_path: Path) -> None:
    bot = tmp_path / "clumsy.py"
    bot.write_text("from damrak import Bot\n\nclass C(Bot):\n    def choose(self, view): 1 / 0\n")
    (tmp_path / "damrak-faults").touch()
    run = damrak("play", bot, "random", "--games", "2", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (1, "")
    assert 'clumsy.py", line 4, in choose' in run.stdout
    assert "no repro bundle: cannot write to damrak-faults" in run.stdout


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="Windows tells no other process")
@pytest.mark.parametrize("whole_group", [True, False], ids=["terminal", "kill"])
def test_ctrl_c_shows_the_whole_blocks_played_so_far(whole_group: bool, tmp_path: Path) -> None:
    games = tmp_path / "games"
    process = started(*("play", "greedy", "random", "--games", "100000", "--save", games, "--json"))
    while not games.is_dir() or not list(games.glob("000001-1.json")):
        time.sleep(0.05)
        assert process.poll() is None
    if whole_group:
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 130
    assert errors == ""
    report = json.loads(output)
    assert report["interrupted"] is True
    assert report["games"] == 2 * report["blocks"] > 0
    assert len(list(games.iterdir())) == report["games"]
    assert damrak("verify", games).returncode == 0


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="where the children stand in /proc")
def test_crash_of_a_worker_is_reported_with_the_results(tmp_path: Path) -> None:
    games = tmp_path / "games"
    process = started(*("play", "greedy", "random", "--games", "100000", "--save", games, "--json"))
    while not list(games.glob("000003-1.json")):
        time.sleep(0.05)
        assert process.poll() is None
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    workers = [
        child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    os.kill(int(workers[-1]), signal.SIGKILL)
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 2
    assert errors == "damrak: a worker process died (exit code -9)\n"
    assert json.loads(output)["interrupted"] is True


def test_too_many_processes_are_not_started(capsys: Any) -> None:
    assert jobs_here(None) == cores()
    assert jobs_here(8) == 8
    most = jobs_here(5000)
    assert most == max(8, JOBS_A_CORE * cores())
    assert capsys.readouterr().err.startswith(f"--jobs 5000: limited to {most}")


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="another shell")
def test_closing_the_output_is_not_an_error() -> None:
    line = f"{shlex.join(COMMAND)} bots >&- 2>&-"
    assert subprocess.run(line, shell=True, check=False).returncode == 0

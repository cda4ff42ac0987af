"""The commands on replays and bots: verify, show, new, check, bots, completion."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli import COMMAND, damrak
from damrak.cli import main
from damrak_engine.replay import hash_of


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with four replays of three seats each."""
    folder = tmp_path_factory.mktemp("saved") / "games"
    run = damrak(
        *("play", "greedy", "random", "greedy", "--games", "6", "--seed", "3", "--save", folder)
    )
    assert run.returncode == 0, run.stderr
    return folder


def tampered(source: Path, target: Path) -> int:
    """Write a replay in which one card has changed; return the number of the event."""
    replay = json.loads(source.read_text("utf-8"))
    for number, event in enumerate(replay["events"]):
        if event["event"] == "refill":
            event["card"] = "pink" if event["card"] != "pink" else "blue"
            target.write_text(json.dumps(replay))
            return number
    raise AssertionError("a match without a refill")


# ---- verify ------------------------------------------------------------------------------------


@pytest.mark.process
def test_saved_replays_are_valid(games: Path) -> None:
    files = sorted(games.glob("*.json"))
    assert [file.name for file in files] == [
        f"{block:06}-{game}.json" for block in range(2) for game in range(3)
    ]
    run = damrak("verify", *files, "--json")
    report = json.loads(run.stdout)
    assert run.returncode == 0
    assert (report["ok"], report["wrong"]) == (6, 0)
    assert report["files"] == [
        {"file": str(file), "ok": True, "event": None, "expected": None, "signature": "none"}
        for file in files
    ]


@pytest.mark.process
def test_tampered_file_is_named_with_its_event(games: Path, tmp_path: Path) -> None:
    wrong, right = tmp_path / "wrong.json", games / "000000-0.json"
    number = tampered(right, wrong)
    run = damrak("verify", right, wrong, "--json")
    report = json.loads(run.stdout)
    assert run.returncode == 1
    assert (report["ok"], report["wrong"]) == (1, 1)
    assert [entry["ok"] for entry in report["files"]] == [True, False]
    assert report["files"][1]["event"] == f"event {number}"
    assert json.loads(report["files"][1]["expected"])["event"] == "refill"
    text = damrak("verify", right, wrong)
    assert text.returncode == 1
    assert f"{wrong}: wrong at event {number}: expected" in text.stdout
    assert "1 of 2 replays are valid" in text.stdout


def test_a_file_that_is_not_a_replay_is_invalid(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "other.json"
    file.write_text("[]")
    assert main(["verify", str(file), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["files"][0]["event"] == "header"


@pytest.mark.process
def test_missing_file_is_reported_with_the_others(games: Path, tmp_path: Path, capsys: Any) -> None:
    (file, *_) = sorted(games.glob("*.json"))
    missing = tmp_path / "missing.json"
    assert main(["verify", str(file), str(missing), str(file)]) == 1
    printed = capsys.readouterr().out
    assert "missing.json: no such file\n" in printed
    assert "2 of 3 replays are valid" in printed
    assert main(["verify", str(file), str(missing), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["ok"], report["wrong"]) == (1, 1)
    assert report["files"][1]["expected"] == "no such file"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such file")
def test_an_endless_file_is_not_read_completely(capsys: Any) -> None:
    assert main(["verify", "/dev/zero"]) == 1
    assert "at most 16,777,216 bytes" in capsys.readouterr().out
    assert main(["show", "/dev/zero"]) == 2
    assert "at most 16,777,216 bytes" in capsys.readouterr().err


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_name_of_a_file_need_not_be_text(games: Path, tmp_path: Path) -> None:
    file = tmp_path / "odd\udcff.json"
    file.write_bytes((games / "000000-0.json").read_bytes()[:-2])
    report = json.loads(damrak("verify", file, "--json").stdout)
    assert report["files"][0]["file"] == str(file)
    run = damrak("verify", file, encoding="ascii", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert run.returncode == 1
    assert "odd\\udcff.json: wrong at header" in run.stdout


@pytest.mark.process
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such file")
def test_full_disk_is_reported_in_one_line(games: Path) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run([*COMMAND, "verify", games], stdout=full, stderr=subprocess.PIPE)
    assert (run.returncode, run.stderr) == (2, b"damrak: no space left on device\n")


@pytest.mark.process
def test_a_folder_means_all_its_files(games: Path, capsys: Any) -> None:
    assert main(["verify", str(games)]) == 0
    assert capsys.readouterr().out == "6 of 6 replays are valid\n"


@pytest.mark.process
def test_many_files_are_verified_by_several_processes(games: Path, tmp_path: Path) -> None:
    data = (games / "000000-0.json").read_bytes()
    for number in range(420):
        (tmp_path / f"{number:03}.json").write_bytes(data)
    number = tampered(games / "000000-0.json", tmp_path / "300.json")
    report = json.loads(damrak("verify", tmp_path, "--json").stdout)
    assert (report["ok"], report["wrong"]) == (419, 1)
    assert report["files"][300]["event"] == f"event {number}"


# ---- show --------------------------------------------------------------------------------------


@pytest.mark.process
def test_replay_is_shown_in_words(games: Path, capsys: Any) -> None:
    file = games / "000000-0.json"
    assert main(["show", str(file)]) == 0
    told = capsys.readouterr().out
    events = json.loads(file.read_text("utf-8"))["events"]
    for number in range(len(events)):
        assert f"\n{number:4}  " in told
    for word in (" claims ", " points", " keeps ", " takes ", "the game is over", "place", "total"):
        assert word in told


@pytest.mark.process
def test_hidden_information_is_a_question_mark(games: Path, capsys: Any) -> None:
    file = games / "000000-0.json"
    deal = json.loads(file.read_text("utf-8"))["events"][0]
    main(["show", str(file), "--seat", "1"])
    dealt = [line for line in capsys.readouterr().out.splitlines() if "is dealt" in line]
    assert [line.partition(" is dealt ")[2].partition(";")[0] for line in dealt] == [
        "?, ?",
        ", ".join(deal["hands"][1]),
        "?, ?",
    ]
    assert dealt[0].endswith("may keep ? or ?")


@pytest.mark.process
def test_show_gives_programs_what_a_seat_may_see(games: Path, capsys: Any) -> None:
    file = games / "000000-0.json"
    replay = json.loads(file.read_text("utf-8"))
    main(["show", str(file), "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert [entry["event"] for entry in shown["events"]] == replay["events"]
    assert shown["result"] == replay["result"]
    main(["show", str(file), "--json", "--seat", "0"])
    deal = json.loads(capsys.readouterr().out)["events"][0]["event"]
    assert deal["hands"] == [replay["events"][0]["hands"][0], [None, None], [None, None]]


@pytest.mark.process
def test_show_may_begin_later(games: Path, capsys: Any) -> None:
    main(["show", str(games / "000000-0.json"), "--from", "20"])
    told = capsys.readouterr().out
    assert "\n   1  " not in told
    assert "\n  20  " in told


@pytest.mark.process
def test_invalid_replay_is_shown_up_to_the_error(games: Path, tmp_path: Path) -> None:
    number = tampered(games / "000000-0.json", tmp_path / "wrong.json")
    run = damrak("show", tmp_path / "wrong.json")
    assert run.returncode == 1
    assert f"wrong at event {number}: expected" in run.stdout


@pytest.mark.process
def test_false_result_is_not_shown(games: Path, tmp_path: Path, capsys: Any) -> None:
    replay = json.loads((games / "000000-0.json").read_text("utf-8"))
    replay["result"]["seats"][0]["failed"] = [10**20]
    (tmp_path / "wrong.json").write_text(json.dumps(replay))
    assert main(["show", str(tmp_path / "wrong.json")]) == 1
    told = capsys.readouterr().out
    assert "This replay is wrong at result: expected" in told
    assert "carts left" not in told


@pytest.mark.process
def test_foreign_text_does_not_control_the_terminal_or_forge_lines(
    games: Path, tmp_path: Path, capsys: Any
) -> None:
    replay = json.loads((games / "000000-0.json").read_text("utf-8"))
    replay["seats"][0]["bot"] = "good\n9999  \x1b[31mname"
    replay["events"][1]["note"] = "first\x1b[2J\n9999  second"
    replay["hash"] = hash_of(replay)
    (tmp_path / "odd.json").write_text(json.dumps(replay))
    assert main(["show", str(tmp_path / "odd.json")]) == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "note: first\N{REPLACEMENT CHARACTER}[2J\n" in told
    assert not any(line.startswith("9999") for line in told.splitlines())


@pytest.mark.process
def test_show_goes_step_by_step_on_a_terminal(
    games: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    answers = iter(["", "n", "p", "j 40", "what", "q"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["show", str(games / "000000-0.json")]) == 0
    told = capsys.readouterr().out
    assert next(answers, None) is None
    assert "  40  " in told
    assert "Unknown command 'what'" in told
    assert "pile" in told


# ---- new and check -----------------------------------------------------------------------------


@pytest.mark.process
def test_new_bot_plays_beats_random_and_passes_its_own_test(tmp_path: Path) -> None:
    run = damrak("new", "my_bot", cwd=tmp_path)
    assert run.returncode == 0
    folder = tmp_path / "my_bot"
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "bot.py", "test_bot.py"]
    assert (folder / "README.md").read_text("utf-8").startswith("# my_bot\n")
    report = json.loads(
        damrak("play", "my_bot", "random", "--games", "40", "--json", cwd=tmp_path).stdout
    )
    assert report["bots"][0]["name"] == "my_bot"
    assert report["bots"][0]["elo_low"] > 0
    test = subprocess.run(
        [sys.executable, "-m", "unittest"], cwd=folder, capture_output=True, text=True
    )
    assert test.returncode == 0, test.stderr
    assert "Ran 0 tests" not in test.stderr


def test_new_overwrites_nothing(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "bot.py").write_text("precious")
    assert main(["new", str(tmp_path)]) == 2
    assert "was not overwritten" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["bot.py"]
    assert main(["new", str(tmp_path / "bot.py")]) == 2


@pytest.mark.process
def test_good_bot_passes_every_check(tmp_path: Path) -> None:
    assert damrak("new", tmp_path / "good").returncode == 0
    run = damrak("check", tmp_path / "good", "--json")
    report = json.loads(run.stdout)
    assert run.returncode == 0
    assert report["ok"] is True
    assert {row["level"] for row in report["findings"]} == {"ok"}
    checks = " ".join(row["check"] for row in report["findings"])
    for word in ("first contracts", "second card", "pass", "last contract", "last round"):
        assert word in checks
    for seats in (2, 3, 4):
        assert f"a game on amsterdam, {seats} seats" in checks
    assert 0 <= report["decision_ms"]["p50"] <= report["decision_ms"]["max"]
    assert report["memory_bytes"] is None or report["memory_bytes"] > 2**20


@pytest.mark.process
def test_bad_bot_fails_with_a_cure(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "import os\nfrom damrak import Bot\n\nclass Bad(Bot):\n"
        "    def choose(self, view):\n"
        "        print('hm')\n"
        "        if view.legal == [10]:\n"
        "            return 0\n"
        "        return view.legal[os.urandom(1)[0] % len(view.legal)]\n"
        "    def finish(self, result):\n"
        "        raise KeyError('too late')\n"
    )
    run = damrak("check", "bad.py", cwd=tmp_path)
    assert run.returncode == 1
    lines = run.stdout.splitlines()
    failed = lines.index(
        "fail  nothing to do but pass: illegal: it wants to draw blind, which is not legal"
    )
    assert lines[failed + 1].startswith("      choose an action from view.legal")
    warned = [line for line in lines if line.startswith("warn")]
    assert any("does the same thing twice" in line for line in warned)
    assert any("prints nothing: output: it printed 'hm'" in line for line in warned)
    assert any("ends well: crash: KeyError" in line for line in warned)
    assert "bad is not ready for matches" in lines[-1]


@pytest.mark.process
def test_bot_that_fails_everywhere_is_not_asked_everywhere(tmp_path: Path) -> None:
    (tmp_path / "lost.py").write_text(
        "from damrak import Bot\n\nclass Lost(Bot):\n    def choose(self, view): view.leagl\n"
    )
    run = damrak("check", "lost.py", cwd=tmp_path)
    assert run.returncode == 1
    assert sum(line.startswith("fail") for line in run.stdout.splitlines()) == 5
    assert run.stdout.count('lost.py", line 4, in choose') == 1  # the traceback, once
    assert "the other checks were skipped" in run.stdout
    assert "damrak repro damrak-faults/lost-check-" in run.stdout

    shutil.rmtree(tmp_path / "damrak-faults")
    (tmp_path / "damrak-faults").touch()
    bare = damrak("check", "lost.py", cwd=tmp_path)
    assert bare.returncode == 1
    assert sum(line.startswith("fail") for line in bare.stdout.splitlines()) == 5
    assert bare.stderr == "no repro bundle: cannot write to damrak-faults\n"
    assert "damrak repro" not in bare.stdout


@pytest.mark.process
def test_bot_that_cannot_start_fails_at_once(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import nowhere\n")
    run = damrak("check", "broken.py", "--json", cwd=tmp_path)
    report = json.loads(run.stdout)
    assert run.returncode == 1
    assert [row["check"] for row in report["findings"]] == ["starts"]
    assert "ModuleNotFoundError" in report["findings"][0]["detail"]


# ---- other commands ------------------------------------------------------------------------------


def test_bots_are_listed(capsys: Any) -> None:
    main(["bots", "--json"])
    listed = json.loads(capsys.readouterr().out)["bots"]
    assert [bot["name"] for bot in listed][:2] == ["random", "greedy"]
    assert all(bot["about"].endswith(".") for bot in listed)
    main(["bots"])
    told = capsys.readouterr().out
    assert all(bot["name"] in told for bot in listed)


@pytest.mark.process
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("veri", "verify"),
        ("play --sp", "--sprt"),
        ("verify to", "town.json"),
        ("board ch", "check"),
        ("board check to", "town.json"),
        ("play random --board to", "town.json"),
    ],
)
def test_bash_completes(typed: str, offered: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "town.json").touch()
    main(["completion", "bash"])
    script = f"""
        eval "$(cat)"
        COMP_WORDS=(damrak {typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        found=$(complete -p damrak); found=${{found##*-F }}; ${{found%% *}}
        echo "${{COMPREPLY[@]}}"
    """
    run = subprocess.run(
        ["bash", "-c", script],
        input=capsys.readouterr().out,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (run.stdout, run.stderr) == (f"{offered}\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_commands(shell: str, capsys: Any) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "verify" in script
    assert "--sprt" in script or "sprt" in script


@pytest.mark.process
def test_a_reader_that_disconnects_is_not_an_error(games: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)  # before anything is written
    run = subprocess.run(
        [*COMMAND, "show", str(games / "000000-0.json")], stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    assert run.stderr == b""
    assert run.returncode == 141

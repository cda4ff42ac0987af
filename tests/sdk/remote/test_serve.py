"""`damrak serve`: a private referee and its guests."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from cli import COMMAND, damrak
from damrak.cli import main
from damrak_engine.replay import parse_replay
from sdk.hostile import eventually

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

PATIENCE_S = 600  # a safety net; nothing here measures time
QUICK = ("--board", "practice", "--listen", "127.0.0.1:0")


class Processes:
    """Running commands, which are stopped in any case."""

    def __init__(self) -> None:
        self._scratch = tempfile.mkdtemp(prefix="dmk")  # paths of sockets must be short
        self._all: list[tuple[subprocess.Popen[str], Timer]] = []

    def start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "XDG_CONFIG_HOME": "/nowhere",
                "TMPDIR": self._scratch,
                **environment,
            },
            start_new_session=True,
        )
        watchdog = Timer(PATIENCE_S, process.kill)
        watchdog.start()
        self._all.append((process, watchdog))
        return process

    def accept(self, invitation: str, bot: str) -> subprocess.Popen[str]:
        """Run the command of an invitation."""
        words = shlex.split(invitation)
        variable, token = words[0].split("=", 1)
        assert words[1:3] == ["damrak", "connect"]
        rest = [bot if word == "BOT" else word for word in words[2:]]
        return self.start(*COMMAND, *rest, **{variable: token})

    def end(self) -> None:
        for process, watchdog in self._all:
            watchdog.cancel()
            process.kill()
            process.communicate()
        shutil.rmtree(self._scratch, ignore_errors=True)


@pytest.fixture
def processes() -> Iterator[Processes]:
    made = Processes()
    yield made
    made.end()


def invitations(stream: Any, count: int) -> dict[str, str]:
    """Return the printed invitations."""
    found = {}
    for line in stream:
        if said := re.match(r"  (\S+): (DAMRAK_TOKEN=.*)", line):
            found[said[1]] = said[2]
        if len(found) == count:
            return found
    raise AssertionError("no invitations")


@pytest.mark.process
def test_guests_play_blocks(processes: Processes, tmp_path: Path) -> None:
    save = tmp_path / "games"
    serve = processes.start(
        *COMMAND, "serve", "anna", "bert", *QUICK, "--games", "5", "--json", "--save", str(save)
    )
    assert serve.stdout is not None
    handed_out = invitations(serve.stderr, 2)
    processes.accept(handed_out["anna"], "greedy")
    processes.accept(handed_out["bert"], "random")
    told = json.loads(serve.stdout.read())
    assert serve.wait(PATIENCE_S) == 0
    assert (told["games"], told["blocks"], told["interrupted"]) == (6, 3, False)
    assert [bot["name"] for bot in told["bots"]] == ["anna", "bert"]
    assert [bot["faults"] for bot in told["bots"]] == [0, 0]
    ahead = {how: told["bots"][0][how] - told["bots"][1][how] for how in ("wins", "elo")}
    assert (ahead["elo"] > 0) == (ahead["wins"] > 0)  # greedy loses about one game in twenty
    assert told["bots"][0]["elo_low"] <= told["bots"][0]["elo"] <= told["bots"][0]["elo_high"]
    replays = [parse_replay(path.read_bytes()) for path in sorted(save.glob("*.json"))]
    assert len(replays) == 6
    assert len({replay.seed for replay in replays}) == 6
    assert [replay.seats[0].bot for replay in replays] == ["anna", "bert"] * 3
    assert damrak("verify", save).returncode == 0


@pytest.mark.process
def test_house_bots_fill_the_table(processes: Processes) -> None:
    serve = processes.start(
        *(*COMMAND, "serve", "--guests", "1", "--with", "random", "--with", "random"),
        *(*QUICK, "--games", "3"),
    )
    assert serve.stdout is not None
    handed_out = invitations(serve.stdout, 1)
    connect = processes.accept(handed_out["guest1"], "greedy")
    printed = serve.stdout.read()
    assert serve.wait(PATIENCE_S) == 0
    told, _ = connect.communicate(timeout=PATIENCE_S)
    assert connect.returncode == 0
    assert "the referee has shut down permanently" in told
    assert "3 games played" in told
    assert "random#2" in printed
    assert "3 games in 1 block on practice" in printed
    assert "95 % interval" in printed


@pytest.mark.process
def test_more_bots_than_seats_play_all_combinations(processes: Processes, tmp_path: Path) -> None:
    serve = processes.start(
        *(*COMMAND, "serve", "anna", "bert", "--with", "greedy", "--with", "random"),
        *(*QUICK, "--seats", "2", "--games", "12", "--json", "--save", str(tmp_path)),
    )
    assert serve.stdout is not None
    handed_out = invitations(serve.stderr, 2)
    processes.accept(handed_out["anna"], "planner")
    processes.accept(handed_out["bert"], "random")
    told = json.loads(serve.stdout.read())
    assert serve.wait(PATIENCE_S) == 0
    assert (told["games"], told["blocks"]) == (12, 6)
    assert [bot["games"] for bot in told["bots"]] == [6, 6, 6, 6]
    replays = [parse_replay(path.read_bytes()) for path in tmp_path.glob("*.json")]
    met = {tuple(seat.bot for seat in replay.seats) for replay in replays}
    assert len(met) == 12
    for bot in told["bots"]:
        wins = sum(
            replay.seats[seat].bot == bot["name"] and row.place == 1
            for replay in replays
            for seat, row in enumerate(replay.result.seats)
        )
        assert bot["places"][0] == wins


@pytest.mark.process
def test_interrupt_shows_what_was_played(processes: Processes, tmp_path: Path) -> None:
    save = tmp_path / "games"
    serve = processes.start(
        *(*COMMAND, "serve", "anna", "--with", "greedy", *QUICK, "--games", "100000", "--json"),
        *("--save", str(save)),
    )
    assert serve.stdout is not None
    processes.accept(invitations(serve.stderr, 1)["anna"], "random")
    assert eventually(lambda: len(list(save.glob("*.json"))) >= 2, PATIENCE_S)
    serve.send_signal(signal.SIGINT)
    told = json.loads(serve.stdout.read())
    assert serve.wait(PATIENCE_S) == 130
    assert told["interrupted"]
    assert told["games"] >= 2


@pytest.mark.process
def test_interrupt_while_waiting_is_quiet(processes: Processes) -> None:
    serve = processes.start(*COMMAND, "serve", "anna", "bert", *QUICK)
    assert serve.stdout is not None
    invitations(serve.stdout, 2)
    serve.send_signal(signal.SIGINT)
    printed = serve.stdout.read()
    assert serve.wait(PATIENCE_S) == 130
    assert "interrupted: 0 of 20 games were played" in printed
    assert "Traceback" not in printed


@pytest.mark.process
def test_bot_that_leaves_the_table_does_not_end_the_games(processes: Processes) -> None:
    bots = Path(__file__).parents[1] / "bots"
    serve = processes.start(
        *COMMAND, "serve", "anna", "--with", "random", *QUICK, "--games", "4", "--json"
    )
    assert serve.stdout is not None
    processes.accept(invitations(serve.stderr, 1)["anna"], f"{bots}/raises.py:InChoose")
    told = json.loads(serve.stdout.read())
    assert serve.wait(PATIENCE_S) == 0
    assert told["bots"][0]["fault_reasons"] == {"crash": 4}


@pytest.mark.process
def test_referee_ends_with_its_host(processes: Processes) -> None:
    if sys.platform != "linux":
        pytest.skip("needs PR_SET_PDEATHSIG")
    serve = processes.start(*COMMAND, "serve", "anna", "bert", *QUICK)
    invitations(serve.stdout, 2)
    children = Path(f"/proc/{serve.pid}/task/{serve.pid}/children").read_text().split()
    assert children
    serve.kill()
    assert eventually(lambda: not any(_is_alive(child) for child in children), PATIENCE_S)


def _is_alive(pid: str) -> bool:
    status = Path(f"/proc/{pid}/status")
    try:
        return "State:\tZ" not in status.read_text()
    except OSError:
        return False


@pytest.mark.process
def test_tokens_can_be_kept(processes: Processes, tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    seen = []
    for _ in range(2):
        serve = processes.start(*COMMAND, "serve", "anna", "bert", *QUICK, "--tokens", str(file))
        handed_out = invitations(serve.stdout, 2)
        seen.append({name: text.split()[0] for name, text in handed_out.items()})
        serve.send_signal(signal.SIGINT)
        serve.communicate()
    assert seen[0] == seen[1]
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.process
def test_address_in_use_is_reported_in_one_line(processes: Processes) -> None:
    first = processes.start(*COMMAND, "serve", "anna", "bert", *QUICK)
    address = invitations(first.stdout, 2)["anna"].split("--to ")[1].split()[0]
    run = damrak("serve", "anna", "bert", "--board", "practice", "--listen", address)
    assert run.returncode == 2
    assert run.stderr.startswith("damrak: the referee did not start: ")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("serve", "give the names of the players"),
        ("serve anna", "at least two players"),
        ("serve a b --seats 3", "too few for a table of 3"),
        ("serve a b --seats 5", "invalid choice"),
        ("serve anna anna", "the names of the players must differ"),
        ("serve anna/x bert", "a name may have up to 40 letters"),
        ("serve anna --with gredy", "did you mean greedy?"),
        ("serve anna bert --tls-cert x", "must be given together"),
        ("serve anna bert --board nowhere", "no such file"),
        ("connect greedy --to nowhere", "write HOST:PORT"),
        ("connect greedy --to a.example.org:1 --insecure --tls-ca x", "cannot be combined"),
        ("connect greedy --to a.example.org:1", "no token for a.example.org:1"),
        ("connect --to a.example.org:1 --token x", "BOT is missing"),
        ("connect gredy --to a.example.org:1 --token x", "did you mean greedy?"),
    ],
)
def test_misuse_is_reported_in_one_line(
    line: str, complaint: str, capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("DAMRAK_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith("damrak: ")
    assert complaint in said[-1]


def test_saved_token_is_used_without_being_named_again(
    capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("DAMRAK_TOKEN", "dmk_secret")
    assert main(["connect", "--to", "referee.example.org:7171", "--save-token"]) == 0
    monkeypatch.delenv("DAMRAK_TOKEN")
    assert main(["connect", "--to", "referee.example.org:7171"]) == 2
    assert "BOT is missing" in capsys.readouterr().err
    kept = (tmp_path / "damrak" / "credentials.toml").read_text()
    assert kept == '["referee.example.org:7171"]\ntoken = "dmk_secret"\n\n'

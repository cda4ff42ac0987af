"""A correct client passes every scenario, and a client with a fault fails the matching ones."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli import damrak, started
from damrak.cli import main
from damrak.conform.suite import scenarios

HERE = Path(__file__).parent
CLIENT = (sys.executable, str(HERE / "client.py"))
DOCUMENT = HERE.parents[2] / "docs" / "protocol.md"
ANYWHERE = "127.0.0.1:0"

# The scenarios that faults of the test client fail. Some faults are combined to save time.
FAULTS = {
    "version-ignorant": {"arrival"},
    "wrong-ids": {"decision-ids"},
    "glutton": {"capacity"},
    "stubborn": {"rejection"},
    "unknown-kind-hater": {"unknown-kinds"},
    "old-ticket": {"many-events", "rejoin", "rejoin-owing", "rejoin-early", "cut"},
    "chatterbox boaster forgetful homebody": {"note", "think-time", "lobby-lost", "elsewhere"},
}
# The same for runs of these scenarios only, because the clients cause waiting, or cannot continue.
FAULTS_OF_SOME = {
    "no-rejoin": {"rejoin"},
    "ready-once lingerer": {"rejoin-early", "leaving"},
    "answers-once hammer": {"rejoin-owing", "newer-referee"},
    "stale-hater impatient": {"stale", "closing"},
    "dead-ticket-lover": {"dead-tickets"},
}
# Left out of other runs, because they take time.
SLOW = {"closing", "newer-referee", "restart", "slow-network", "three-seats"}


def report_on(*command: str, only: tuple[str, ...] = (), patience: int = 60) -> Any:
    """Return the report of `damrak conform --json` about the client that this command starts."""
    chosen = [f"--only={name}" for name in only]
    done = damrak(
        "conform", ANYWHERE, "--json", f"--timeout={patience}", *chosen, "--", *command, timeout=900
    )
    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    assert report["ok"] is (done.returncode == 0)
    return report


def failed(report: Any) -> dict[str, str]:
    return {s["name"]: s["problem"] for s in report["scenarios"] if not s["ok"]}


@pytest.mark.process
def test_correct_client_passes_every_scenario() -> None:
    report = report_on(*CLIENT)
    assert failed(report) == {}
    assert report["client"] == "test-client"
    assert [s["name"] for s in report["scenarios"]] == [s.name for s in scenarios()]


@pytest.mark.process
def test_the_sdk_speaks_the_protocol() -> None:
    report = report_on(sys.executable, "-m", "damrak", "connect", "greedy", "--to", "{address}")
    assert failed(report) == {}
    assert report["client"].startswith("damrak-python/")


@pytest.mark.process
@pytest.mark.parametrize("faults", FAULTS)
def test_a_fault_is_shown_at_its_place(faults: str) -> None:
    names = tuple(s.name for s in scenarios() if s.name not in SLOW)
    report = report_on(*CLIENT, *faults.split(), only=names)
    assert failed(report).keys() == FAULTS[faults], failed(report)


@pytest.mark.process
@pytest.mark.parametrize("faults", FAULTS_OF_SOME)
def test_a_slow_fault_is_shown_at_its_place(faults: str) -> None:
    names = ("two-seats", *FAULTS_OF_SOME[faults])
    report = report_on(*CLIENT, *faults.split(), only=names, patience=20)
    assert failed(report).keys() == FAULTS_OF_SOME[faults], failed(report)


@pytest.mark.process
def test_a_client_may_come_by_itself(tmp_path: Path) -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "damrak", "conform", f"unix:{tmp_path}/s", "--only=two-seats"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    address, token = _invitation(run.stdout.readline())
    environment = {"DAMRAK_ADDRESS": address, "DAMRAK_TOKEN": token}
    client = subprocess.Popen(CLIENT, env=environment, stderr=subprocess.DEVNULL)
    try:
        text, _ = run.communicate(timeout=600)
    finally:
        client.kill()
        client.wait()
    assert run.returncode == 0
    assert "ok    two-seats: plays games of two" in text
    assert "test-client implements the protocol: 1 of 1 scenarios passed" in text


def _invitation(line: str) -> tuple[str, str]:
    found = re.fullmatch(r"Start the client now: address (\S+), token (\S+)\n", line)
    assert found, line
    return found[1], found[2]


@pytest.mark.process
def test_a_failure_is_explained() -> None:
    done = damrak("conform", ANYWHERE, "--only=note", "--", *CLIENT, "chatterbox")
    assert done.returncode == 1
    assert "fail  note: it sent a note of 281 characters" in done.stdout
    assert "read: docs/protocol.md, “Questions and answers”" in done.stdout


@pytest.mark.process
def test_a_program_that_ends_at_once_is_reported() -> None:
    report = report_on(sys.executable, "-c", "raise SystemExit('no such thing')")
    problem = failed(report)["arrival"]
    assert problem == "the client's program ended with code 1: no such thing"
    assert failed(report)["newer-referee"] == "not tried: the client is gone"


@pytest.mark.process
def test_ctrl_c_ends_the_client_too(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    waits = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    run = started("conform", ANYWHERE, "--", sys.executable, "-c", waits)
    while not note.exists() or not note.read_text():
        assert run.poll() is None
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    _, complaint = run.communicate(timeout=600)
    assert run.returncode == 130, complaint
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("nowhere",), "'nowhere' is not an address"),
        ((ANYWHERE, "--only=nothing"), "no scenario 'nothing'"),
        ((ANYWHERE, "--one-seat"), "--one-seat starts the client itself"),
        ((ANYWHERE, "--", "/no/such/program"), "cannot start /no/such/program"),
        (("192.0.2.1:1",), "cannot"),
    ],
)
def test_misuse_is_reported_in_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    done = damrak("conform", *arguments)
    assert done.returncode in (1, 2)
    assert complaint in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_every_scenario_names_a_heading_of_the_document() -> None:
    headings = re.findall(r"^#+ (.+)$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    for scenario in scenarios():
        assert scenario.see in headings, scenario.name


def test_scenarios_have_names_of_their_own() -> None:
    names = [scenario.name for scenario in scenarios()]
    assert len(set(names)) == len(names)


def test_scenarios_are_listed_for_programs_too(capsys: Any) -> None:
    assert main(["conform", ANYWHERE, "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["scenarios"]
    assert {"name": "two-seats", "tells": "plays games of two"} in listed

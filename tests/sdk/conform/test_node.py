"""The bot in Node.js, which was written from the .proto files alone."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from cli import damrak
from damrak.conform.suite import scenarios
from sdk.conform import node

pytestmark = [pytest.mark.process, pytest.mark.node]


@pytest.fixture(scope="module")
def bot() -> tuple[str, ...]:
    return (str(node.NODE), str(node.installed() / "bot.js"))


def test_it_speaks_the_protocol(bot: tuple[str, ...]) -> None:
    done = damrak(
        "conform", "127.0.0.1:0", "--json", "--timeout=60", "--", *bot, "--quiet", timeout=900
    )
    report = json.loads(done.stdout)
    assert report["ok"], [s for s in report["scenarios"] if not s["ok"]]
    assert report["client"].startswith("damrak-example-node/")


def test_it_speaks_it_over_a_unix_socket(bot: tuple[str, ...], tmp_path: Path) -> None:
    arguments = (
        "conform",
        f"unix:{tmp_path}/s",
        "--only=four-seats",
        "--only=rejoin",
        "--timeout=60",
    )
    assert damrak(*arguments, "--", *bot, timeout=900).returncode == 0


def test_it_plays_a_seat_as_in_the_sandbox(bot: tuple[str, ...], tmp_path: Path) -> None:
    done = damrak(
        "conform",
        f"unix:{tmp_path}/s",
        "--one-seat",
        "--json",
        "--timeout=60",
        "--",
        *bot,
        timeout=900,
    )
    report = json.loads(done.stdout)
    assert report["ok"], [s for s in report["scenarios"] if not s["ok"]]
    assert len(report["scenarios"]) == len(scenarios(one_seat=True))


def test_it_can_leave_the_checkout(bot: tuple[str, ...], tmp_path: Path) -> None:
    away = tmp_path / "bot"
    shutil.copytree(node.EXAMPLE, away, ignore=shutil.ignore_patterns("node_modules", "proto"))
    (away / "node_modules").symlink_to(node.EXAMPLE / "node_modules")
    alone = (bot[0], str(away / "bot.js"))
    lost = subprocess.run([*alone, "--to", "nowhere:1"], capture_output=True, text=True)
    assert lost.returncode == 1
    assert "use --protos DIR" in lost.stderr
    assert "damrak proto proto" in lost.stderr
    assert damrak("proto", "proto", cwd=away).returncode == 0
    assert damrak("conform", "127.0.0.1:0", "--only=two-seats", "--", *alone).returncode == 0


def test_it_explains_itself(bot: tuple[str, ...]) -> None:
    done = subprocess.run([*bot, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: node bot.js")


def test_it_names_what_is_missing(bot: tuple[str, ...]) -> None:
    done = subprocess.run(bot, capture_output=True, text=True, env={})
    assert done.returncode == 1
    assert done.stderr == "bot.js: where to? --to HOST:PORT, or DAMRAK_ADDRESS\n"


def test_its_lock_file_names_no_registry() -> None:
    assert "resolved" not in (node.EXAMPLE / "package-lock.json").read_text()

"""From `damrak new` to a rating, on a platform that `damrak-ladder up` runs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from cli import COMMAND, damrak
from ladder.embedded.platforms import (
    NEEDS_LINUX,
    PATIENCE,
    Browser,
    Platform,
    new_home,
    run as run_command,
    wait_for,
)
from ports import free_port

pytestmark = NEEDS_LINUX

CRASHING = """
from damrak import Bot

class Crashing(Bot):
    asked = 0

    def choose(self, view):
        self.asked += 1
        if self.asked == 4:
            print("about to divide")
            return view.legal[1 // 0]
        return view.legal[0]
"""


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    with new_home() as home:
        made = Platform(home, free_port(), "--workers", "2")
        try:
            yield made.wait_until_up()
        finally:
            made.stop()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path


def url(platform: Platform) -> str:
    return f"http://127.0.0.1:{platform.port}"


def run(here: Path, *arguments: str | Path) -> Any:
    return damrak(*arguments, cwd=here, env=environment(here), timeout=PATIENCE)


def environment(here: Path) -> dict[str, str]:
    return {**os.environ, "XDG_CONFIG_HOME": str(here / "config"), "NO_COLOR": "1"}


def answer(platform: Platform, path: str) -> Any:
    with urlopen(f"{url(platform)}/api/v1/{path}", timeout=PATIENCE) as heard:
        return json.load(heard)


def is_rated(platform: Platform, name: str) -> bool:
    rows = answer(platform, "ladders/amsterdam/ratings")
    return any(row["bot"] == name and row["games"] > 0 for row in rows)


@pytest.mark.parametrize("template", ["basic", "onnx"])
def test_a_new_bot_is_submitted_qualifies_and_is_rated(
    platform: Platform, here: Path, template: str
) -> None:
    assert run(here, "new", "my_bot", "--template", template).returncode == 0
    name = f"my-{template}"
    sent = run(here, "submit", "my_bot", "--bot", name, "--to", url(platform))
    assert sent.returncode == 0, sent.stdout + sent.stderr + platform.logs()
    assert "version 1 is live" in sent.stdout
    wait_for(lambda: is_rated(platform, name))
    # Its matches are public, so that all users can verify them.
    played = answer(platform, f"bots/{name}")
    assert "amsterdam" in played["ladders"]
    assert played["live"] == 1


def test_a_bot_that_always_crashes_is_not_sent(platform: Platform, here: Path) -> None:
    (here / "broken.py").write_text(CRASHING.replace("== 4", ">= 1"))
    sent = run(here, "submit", "broken.py", "--bot", "broken", "--to", url(platform))
    assert sent.returncode == 1, sent.stdout + sent.stderr
    *failed, last = sent.stdout.splitlines()
    assert len(failed) == 3
    assert all("ZeroDivisionError" in line for line in failed)
    assert last.startswith("not submitted")


def test_a_bot_that_crashes_is_shown_how(platform: Platform, here: Path) -> None:
    (here / "crashing").mkdir()
    (here / "crashing" / "bot.py").write_text(CRASHING)
    sent = run(here, "submit", "crashing", "--bot", "crashing", "--no-check", "--to", url(platform))
    assert sent.returncode == 1, sent.stdout + sent.stderr + platform.logs()
    assert "ZeroDivisionError" in sent.stdout
    assert "about to divide" in sent.stdout
    (again,) = [line for line in sent.stdout.splitlines() if line.startswith("again: ")]
    repeated = run(here, *again.removeprefix("again: damrak ").split(), "--json")
    assert repeated.returncode == 1, repeated.stdout + repeated.stderr
    assert json.loads(repeated.stdout)["repeats"]


def test_a_bot_that_runs_here_qualifies_and_plays(platform: Platform, here: Path) -> None:
    assert run(here, "new", "far").returncode == 0
    connected = subprocess.Popen(
        [*COMMAND, "connect", "far", "--ladder", url(platform), "--bot", "far", "--json"],
        cwd=here,
        env=environment(here),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(lambda: connected.poll() is not None or is_live(platform, "far"))
        assert connected.poll() is None, connected.communicate()
        versions = answer(platform, "bots/far/versions")
        assert [(row["kind"], row["state"]) for row in versions] == [("remote", "qualified")]
        play_against(platform, "far")
    finally:
        connected.send_signal(signal.SIGINT)
        said, trouble = connected.communicate(timeout=PATIENCE)
    assert connected.returncode == 0, trouble
    events = [json.loads(line)["event"] for line in said.splitlines()]
    assert events.count("over") >= 2


def play_against(platform: Platform, slug: str) -> None:
    """Play a whole game as a person without JavaScript, who always chooses the first action."""
    allow = f"""
from django.utils import timezone
from damrak_ladder.bots.models import Bot
from damrak_ladder.play.opponents import set_open
set_open(Bot.objects.get(slug={slug!r}), is_to_be_open=True, now=timezone.now())
"""
    assert run_command(platform.home, platform.port, "manage", "shell", "-c", allow).returncode == 0
    person = Browser(platform.port)
    wait_for(lambda: f'value="bot-{slug}"' in person.get("/en/play/")[1])
    _, page = person.post("/en/play/", second=f"bot-{slug}", board="practice", pace="calm")
    (path,) = re.findall(r'data-answer="([^"]+)answer/"', page)
    while 'id="viewer"' not in page:
        assert 'id="table"' in page, page
        asked = re.search(
            r'name="decision" value="([0-9]+)"><button[^>]+name="action" value="([0-9]+)"', page
        )
        if asked is not None:
            person.post(f"{path}answer/", decision=asked[1], action=asked[2])
        _, page = person.get(path)
    assert slug in page
    assert "Guest" in page


def is_live(platform: Platform, name: str) -> bool:
    return bool(
        platform.count(
            f"SELECT COUNT(*) FROM bots_bot WHERE slug = '{name}' AND live_id IS NOT NULL"
        )
    )


def test_platform_publishes_what_uploaded_bots_get(platform: Platform, here: Path) -> None:
    wait_for(lambda: answer(platform, "runtime")["common"] is not None)
    found = answer(platform, "runtime")
    assert found["differences"] == []
    assert "python3" in {one["name"] for one in found["common"]["interpreters"]}
    assert {"damrak", "numpy"} <= {one["name"] for one in found["common"]["packages"]}
    (here / "wishful").mkdir()
    (here / "wishful" / "bot.py").write_text("import absent_package\n")
    checked = run(here, "check", "wishful", "--like", url(platform))
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert "the module 'absent_package' is not available" in checked.stdout
    assert "numpy " in checked.stdout

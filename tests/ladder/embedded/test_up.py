"""`damrak-ladder up`: the whole platform with one command, and its robustness."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import urllib.request
from collections.abc import Iterator

import pytest

from ladder.embedded.platforms import (
    PATIENCE,
    PROCESSES,
    Browser,
    Platform,
    new_home,
    run,
    wait_for,
)
from ports import free_port
from processes import descendants, is_alive

pytestmark = pytest.mark.process

ALL = PROCESSES | {"broker", "referee"}


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    """Yield one platform for all tests of this module; the last of them kills it."""
    with new_home() as home, Platform(home, free_port()) as running:
        yield running.wait_until_up()


def test_tells_where_it_is_and_what_to_do(platform: Platform) -> None:
    assert f"Damrak is at http://127.0.0.1:{platform.port}\n" in platform.said
    assert "damrak submit" in platform.said
    assert (platform.home / "admin-password").read_text().strip() in platform.said


def test_all_parts_are_well(platform: Platform) -> None:
    wait_for(lambda: set(platform.health()[1].values()) == {"well"})
    wait_for(lambda: set(platform.parts()) == ALL)


def test_house_bots_play_on_both_ladders(platform: Platform) -> None:
    played = (
        "SELECT COUNT(DISTINCT ladder_id) FROM matches_block "
        "WHERE state = 'recorded' AND purpose = 'ladder'"
    )
    wait_for(lambda: platform.count(played) == 2)


def test_administrator_logs_in(platform: Platform) -> None:
    browser = Browser(platform.port)
    status, page = browser.get("/en/accounts/login/")
    assert status == 200
    password = (platform.home / "admin-password").read_text().strip()
    status, page = browser.post("/en/accounts/login/", login=platform.admin, password=password)
    assert status == 200, page
    assert "/accounts/logout/" in page


def test_this_machine_needs_no_login_to_submit(platform: Platform) -> None:
    token = platform.home / "local-token"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    request = urllib.request.Request(
        f"http://127.0.0.1:{platform.port}/api/v1/me",
        headers={"Authorization": f"Bearer {token.read_text().strip()}"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        assert platform.admin in answer.read().decode()


def test_second_one_is_refused_with_the_running_process(platform: Platform) -> None:
    done = run(platform.home, free_port(), "up")
    assert done.returncode == 2
    assert f"process {platform.process.pid}" in done.stderr


def test_port_in_use_names_the_cure(platform: Platform) -> None:
    with new_home() as home:
        done = run(home, platform.port, "up")
    assert done.returncode == 2
    assert re.fullmatch(
        rf"damrak-ladder: port {platform.port} is in use .* DAMRAK_PORT=\d+\n", done.stderr
    )


def test_restore_is_refused_while_it_runs(platform: Platform) -> None:
    done = run(platform.home, platform.port, "restore", "any.damrak")
    assert done.returncode == 2
    assert "stop it first" in done.stderr


def test_second_host_is_refused(platform: Platform) -> None:
    done = run(platform.home, platform.port, "worker", "--with-referee")
    assert done.returncode == 2
    assert "of its own" in done.stderr


def test_part_that_hangs_is_named(platform: Platform) -> None:
    broker = platform.parts()["broker"]
    os.kill(broker, signal.SIGSTOP)
    try:
        wait_for(lambda: platform.health()[1].get("broker", "").startswith("does not answer"))
        assert platform.health()[0] == 503
        done = run(platform.home, platform.port, "doctor", "--json")
    finally:
        os.kill(broker, signal.SIGCONT)
    assert done.returncode == 1, done.stderr
    found = {finding["part"]: finding for finding in json.loads(done.stdout)}
    assert found["broker"]["verdict"] == "wrong"
    assert found["referee"]["verdict"] == "well"
    wait_for(lambda: platform.health()[0] == 200)


def test_parts_that_crash_are_restarted(platform: Platform) -> None:
    before = platform.all_parts(ALL)
    killed = ("broker", "clerk", "site")
    for part in killed:
        os.kill(before[part], signal.SIGKILL)

    def are_new() -> bool:
        now = platform.parts()
        # Process ids start again from the beginning when they run out: a newer one may be smaller.
        return all(now.get(part, before[part]) != before[part] for part in killed)

    wait_for(are_new)
    assert platform.all_parts(ALL)["worker"] == before["worker"]
    wait_for(lambda: platform.health()[0] == 200)


def test_killed_it_leaves_nothing_and_goes_on_where_it_was(platform: Platform) -> None:
    home, port = platform.home, platform.port
    wait_for(platform.recorded)
    below = descendants(platform.process.pid)
    platform.stop(signal.SIGKILL)
    wait_for(lambda: not any(map(is_alive, below)))
    recorded = platform.recorded()
    password = (home / "admin-password").read_text()
    with Platform(home, port, "--games-per-minute", "600").wait_until_up() as second:
        assert (home / "admin-password").read_text() == password
        wait_for(lambda: second.recorded() > recorded)
        below = descendants(second.process.pid)
        assert second.stop(signal.SIGINT) == 0
    wait_for(lambda: not any(map(is_alive, below)))

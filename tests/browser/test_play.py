"""A person plays a whole game on a phone, against a bot at a real referee."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import new_context, watch
from browser.sites import Site, running_site, seeded
from referee_process import RefereeProcess, short_folder

ASKED = "#table[data-decision]:not([data-decision=''])"
PHONE = {"width": 360, "height": 740}


@contextmanager
def relay(home: Path, referee: RefereeProcess) -> Iterator[None]:
    """Run a relay for this referee."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith("DAMRAK_LADDER_")
    }
    variables |= {
        "DAMRAK_HOME": str(home),
        "DAMRAK_LADDER_REFEREE": referee.control_address,
    }
    with (home / "relay.log").open("ab") as log:
        command = [sys.executable, "-m", "damrak_ladder", "relay"]
        process = subprocess.Popen(command, env=variables, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield a site with a relay and a referee."""
    with short_folder() as folder:
        home = folder / "home"
        seeded(folder, blocks=0).rename(home)
        with (
            RefereeProcess(folder) as referee,
            running_site(home) as site,
            relay(home, referee),
        ):
            yield site


def test_a_phone_plays_a_whole_game_with_a_reload_in_the_middle(
    browser: Browser, playground: Site, shots: Path
) -> None:
    complaints: list[str] = []
    context = new_context(browser, viewport=PHONE, has_touch=True, locale="en-GB")
    page = context.new_page()
    watch(page, complaints)
    page.goto(f"{playground.url}/en/play/")
    page.select_option("#board", "practice")
    page.get_by_role("button", name="Play").click()
    decisions = answer(page, 6)
    expect(page.locator("[data-goals] li").first).to_have_text(
        re.compile(r"spaces? to go|fulfilled")
    )
    dashes = "ways => ways.map((way) => getComputedStyle(way).strokeDasharray)"
    missing = page.locator(".ways .way:not(.way--own)").evaluate_all(dashes)
    assert missing
    assert "none" not in missing
    page.screenshot(path=shots / "play-phone.png", full_page=True)
    expect(page.locator(ASKED)).to_be_visible()  # greedy has moved
    before = page.locator("[data-events] li").first.inner_text()
    page.reload()
    expect(page.locator("#table:not([data-decision=''])[data-decision]")).to_be_visible()
    assert page.locator("[data-decision]").get_attribute("data-decision") not in decisions
    expect(page.locator("[data-events] li").first).to_have_text(before)
    page.locator(".hit:not(.hit--lit)").first.dispatch_event("click")
    expect(page.locator("[data-why]")).not_to_be_empty()
    get_advice(page)
    take_back(page)
    answer(page, 500)
    result = page.locator("[data-result]")
    expect(result.locator("[data-own]")).to_contain_text("Guest")
    page.screenshot(path=shots / "play-result.png")
    with page.expect_download() as download:
        result.get_by_role("link", name="Save as a bot log").click()
    log = json.loads(download.value.path().read_text())
    assert log["format"] == "damrak-repro/1"
    assert all(step["answer"]["action"] in step["legal"] for step in log["steps"])
    result.get_by_role("link", name="Replay and analysis").click()
    expect(page.locator("#viewer")).to_be_visible()
    expect(page.get_by_text("Moves taken back here: 1").first).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    context.close()
    assert not complaints


def test_two_people_play_a_whole_game_by_invitation(browser: Browser, playground: Site) -> None:
    complaints: list[str] = []
    contexts = [new_context(browser, viewport=PHONE, locale="en-GB") for _ in range(2)]
    host, guest = pages = [context.new_page() for context in contexts]
    for page in pages:
        watch(page, complaints)
    host.goto(f"{playground.url}/en/play/")
    host.select_option("#board", "practice")
    host.select_option("#second", "person")
    host.get_by_role("button", name="Play").click()
    guest.goto(host.get_by_label("Link to invite others").input_value())
    guest.get_by_role("button", name="Sit down").click()
    expect(guest.locator("#table")).to_be_visible()
    expect(host.locator("#table")).to_be_visible()
    expect(host.get_by_role("button", name="Take back the last move")).to_have_count(0)
    while not any(page.locator("[data-result][open]").is_visible() for page in pages):
        asked = [page for page in pages if page.locator(ASKED).is_visible()]
        if not asked:
            host.wait_for_timeout(20)
            continue
        for page in asked:
            answer(page, 1)
    results = [page.locator("[data-result-places] li") for page in pages]
    for result in results:
        expect(result).to_have_count(2)
    assert results[0].all_inner_texts() == results[1].all_inner_texts()
    for context in contexts:
        context.close()
    assert not complaints


def get_advice(page: Page) -> None:
    """Ask what `planner` would do, which is one of the legal actions."""
    expect(page.locator(ASKED)).to_be_visible()
    page.get_by_role("button", name="What would planner do?").click()
    expect(page.locator("[data-advice]")).to_contain_text("planner would do this")
    expect(page.locator("[data-actions] .advised")).to_have_count(1)


def take_back(page: Page) -> None:
    """Take back the last move: its question is asked again, in the same position."""
    asked = page.locator(ASKED)
    decision = asked.get_attribute("data-decision")
    actions = legal(page)
    hand = page.locator("[data-hand]").inner_text()
    answer(page, 1)
    expect(asked).to_be_visible()
    page.get_by_role("button", name="Take back the last move").click()
    expect(page.locator("[data-backs]")).to_have_text("Moves taken back in this game: 1")
    expect(page.locator(f"#table[data-decision='{decision}']")).to_be_visible()
    assert legal(page) == actions
    assert page.locator("[data-hand]").inner_text() == hand


def legal(page: Page) -> list[str | None]:
    """Return the actions that are offered."""
    buttons = page.locator("[data-actions] [data-action]")
    return [button.get_attribute("data-action") for button in buttons.all()]


def answer(page: Page, most: int) -> set[str]:
    """Answer so many questions, or all until the end: claim a route if possible, on the board."""
    table = page.locator("#table")
    result = page.locator("[data-result][open]")
    asked = page.locator(ASKED)
    answered: set[str] = set()
    while len(answered) < most:
        expect(asked.or_(result).first).to_be_visible()
        if result.is_visible():
            break
        decision = table.get_attribute("data-decision")
        assert decision not in answered
        lit = page.locator(".hit--lit")
        if lit.count():
            lit.first.dispatch_event("click")
            page.locator("[data-pay-choices] button").first.click()
        else:
            page.locator("[data-actions] > button").first.click()
        answered.add(str(decision))
        expect(page.locator(f"#table:not([data-decision='{decision}'])")).to_be_visible()
    return answered

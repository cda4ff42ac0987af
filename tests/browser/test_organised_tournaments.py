"""Five tournaments on a new platform, run by an organiser with nothing but a browser.

Each loses its worker in the middle of a game. A program with the standard library only computes all
tables again from the downloaded JSON.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import new_context, watch
from browser.organisers import Organiser
from browser.people import join
from browser.sites import Site
from ladder.embedded.platforms import (
    NEEDS_LINUX,
    PATIENCE,
    Platform,
    new_home,
    run,
    variables,
    wait_for,
)
from ports import free_port

pytestmark = [pytest.mark.soak, NEEDS_LINUX]

TABLES = Path(__file__).resolve().parents[1] / "independent" / "tournament_tables.py"
SIZES = {"desk": (1366, 768), "phone": (360, 740)}
PREVIEW = "This would change"


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    """Yield a new platform, as `make up` starts it; its ladders pause for the evening."""
    with new_home() as home, Platform(home, free_port(), "--workers", "2") as made:
        made.wait_until_up()
        for ladder in ("amsterdam", "daily"):
            done = run(home, made.port, "ladders", "close", ladder)
            assert done.returncode == 0, done.stderr
        yield made


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """Yield the tab of the organiser."""
    yield from _tab(browser)


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """Yield the tab of somebody who has no account."""
    yield from _tab(browser)


@pytest.fixture
def author(browser: Browser) -> Iterator[Page]:
    """Yield the tab of the author of a bot."""
    yield from _tab(browser)


def _tab(browser: Browser) -> Iterator[Page]:
    width, height = SIZES["desk"]
    context = new_context(
        browser,
        viewport={"width": width, "height": height},
        locale="en-GB",
        reduced_motion="reduce",
    )
    complaints: list[str] = []
    context.on("page", lambda opened: watch(opened, complaints))
    yield context.new_page()
    context.close()
    assert not complaints


@pytest.fixture
def organiser(platform: Platform, tab: Page) -> Organiser:
    """Return the administrator of the new platform, signed in."""
    made = Organiser(tab, f"http://127.0.0.1:{platform.port}")
    made.sign_in(platform.admin, (platform.home / "admin-password").read_text().strip())
    return made


@pytest.fixture(autouse=True)
def _report(
    request: pytest.FixtureRequest, platform: Platform, organiser: Organiser, tmp_path: Path
) -> Iterator[None]:
    """Print figures of each tournament after its test, and the logs if it is not over."""
    began = time.monotonic()
    yield
    _path, export = organiser.export(tmp_path)
    games = sum(
        len(block["games"] or ())
        for stage in export["stages"]
        for made in stage["rounds"]
        for pairing in made["pairings"]
        for block in pairing["blocks"]
    )
    minutes = (time.monotonic() - began) / 60
    phase = export["phase"]
    sys.stdout.write(f"{request.node.name}: {phase}, {games} games, {minutes:.1f} minutes\n")
    if phase not in {"over", "final"}:
        sys.stdout.write(platform.logs())


def house(count: int) -> list[str]:
    """Return house bots of different strengths; stronger ones are further apart."""
    return ["random", "greedy", "planner", *(f"mcts:iterations={n}" for n in range(1, count - 2))]


def kill_worker(platform: Platform, organiser: Organiser) -> None:
    """Kill the worker while it plays a block of the tournament, and wait for the next worker."""
    organiser.wait_for_running_block()
    killed = platform.parts()["worker"]
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: platform.parts().get("worker", killed) != killed)


def begin(organiser: Organiser, bots: list[str]) -> None:
    """Open the tournament, enter the bots, and start."""
    organiser.act("Open entries")
    organiser.enter(bots)
    organiser.act("Close entries")
    organiser.act("Start the tournament")


def checked(organiser: Organiser, folder: Path, tab: Page | None = None) -> dict[str, Any]:
    """Download the tournament, compare its tables with those of the program; return the JSON."""
    path, export = organiser.export(folder, tab)
    command = [sys.executable, "-I", str(TABLES), "--check", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    sys.stdout.write(f"{export['slug']}, {export['phase']}: {done.stdout}")
    return export


def rounds(export: dict[str, Any], stage: int = 0) -> list[dict[str, Any]]:
    """Return the rounds of a stage."""
    found: list[dict[str, Any]] = export["stages"][stage]["rounds"]
    return found


def shoot(organiser: Organiser, shots: Path, name: str, *addresses: str) -> None:
    """Take pictures of pages in both sizes; none of them is wider than its window."""
    tab = organiser.tab
    for size, (width, height) in SIZES.items():
        tab.set_viewport_size({"width": width, "height": height})
        for at, address in enumerate(addresses):
            tab.goto(address)
            assert not tab.evaluate("document.documentElement.scrollWidth > innerWidth"), address
            tab.screenshot(path=shots / f"organised-{name}-{at}-{size}.png", full_page=True)
    width, height = SIZES["desk"]
    tab.set_viewport_size({"width": width, "height": height})


def test_round_robin_of_twelve_with_a_remote_bot_that_vanishes(
    platform: Platform, organiser: Organiser, author: Page, shots: Path, tmp_path: Path
) -> None:
    organiser.create(
        *("Evening cup", "Autumn cup", "autumn-cup"),
        stage0__format="round-robin",
        stage0__players="2",
        stage0__blocks=1,
        rules__boards="practice",
        rules__seeding="entry",
        rules__kinds=["house", "remote"],
        rules__patience_s=10,
    )
    organiser.act("Open entries")
    organiser.enter(house(11))
    with connected(platform, author, tmp_path) as bot:
        author.goto(organiser.public)
        author.get_by_role("link", name="Enter a bot").click()
        author.get_by_label("Bot", exact=True).select_option("night-ferry")
        author.get_by_role("button", name="Enter this bot").click()
        expect(author.get_by_text("night-ferry is entered.")).to_be_visible()
        organiser.act("Close entries")
        organiser.act("Start the tournament")
        organiser.wait_for_round(3)
        shoot(organiser, shots, "round-robin", organiser.desk, f"{organiser.desk}rounds/0/3/")
        os.killpg(bot.pid, signal.SIGKILL)
        bot.wait()
        kill_worker(platform, organiser)

        organiser.tab.goto(f"{organiser.desk}entrants/")
        organiser.tab.get_by_role("link", name="Disqualify… house-random").click()
        organiser.tab.get_by_label("void: they count for neither side").check()
        organiser.tab.get_by_role("button", name="Preview").click()
        organiser.confirm("It was entered twice.")
    organiser.wait_for_phase("over")
    export = checked(organiser, tmp_path)
    places = {row["bot"]: row["place"] for row in export["standings"][0]["rows"]}
    assert len(places) == 12
    assert len(rounds(export)) == 11
    ends: dict[str, list[str]] = {"night-ferry": [], "house-random": []}
    for made in rounds(export):
        for pairing in made["pairings"]:
            for one in pairing["entrants"]:
                ends.get(one["bot"], []).append(pairing["how"])
    assert "played" in ends["night-ferry"][:2]
    assert ends["night-ferry"][-1] == "forfeit"
    assert "void" in ends["house-random"]
    organiser.act("Make the results final")
    organiser.wait_for_phase("final")
    checked(organiser, tmp_path)
    author.goto(organiser.public)
    expect(author.get_by_role("heading", name="Result")).to_be_visible()
    author.goto(f"{organiser.public}log/")
    expect(author.get_by_text("It was entered twice.")).to_be_visible()


@contextmanager
def connected(platform: Platform, author: Page, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Sign up, create a token, connect a remote bot, and yield its process when it is live."""
    url = f"http://127.0.0.1:{platform.port}"
    join(Site(url, platform.home), author, "eve")
    author.goto(f"{url}/en/desk/tokens/")
    author.locator("main [name=name]").fill("night-ferry")
    author.locator("main [name=scopes][value=play]").check()
    author.get_by_role("button", name="Create token").click()
    token = author.get_by_label("Token", exact=True).inner_text().strip()
    command = [sys.executable, "-m", "damrak", "connect", "greedy", "--ladder", url]
    with subprocess.Popen(
        [*command, "--bot", "night-ferry", "--games", "2"],
        env=variables(platform.home, platform.port, DAMRAK_API_TOKEN=token),
        cwd=folder,
        start_new_session=True,
    ) as process:
        try:
            version = f"{url}/en/desk/bots/night-ferry/1/"
            Organiser(author, url).reload_until(version, "#journey:has-text('Live')", process)
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def test_tables_of_four_with_33_bots_revealed_round_by_round(
    platform: Platform, organiser: Organiser, visitor: Page, shots: Path, tmp_path: Path
) -> None:
    organiser.create(
        *("Evening cup", "Tables of four", "tables-of-four"),
        stage0__format="swiss-tables",
        stage0__players="4",
        stage0__blocks=1,
        stage0__rounds=4,
        rules__boards="practice",
        rules__reveal="hidden",
    )
    begin(organiser, house(33))
    kill_worker(platform, organiser)
    _sees_rounds(organiser, visitor, tmp_path, released=0)
    organiser.wait_for_phase("over")
    whole = checked(organiser, tmp_path)
    tables = [len(one["entrants"]) for one in rounds(whole)[0]["pairings"]]
    assert (tables.count(4), tables.count(3)) == (6, 3)
    for number in range(1, 4):
        _sees_rounds(organiser, visitor, tmp_path, released=number - 1)
        organiser.act_on_round(number, "Release results…")
        organiser.tab.get_by_label("public", exact=True).check()
        organiser.tab.get_by_role("button", name="Preview").click()
        organiser.confirm()
    _sees_rounds(organiser, visitor, tmp_path, released=3)
    _reveal_by_table(organiser, visitor, shots)
    seen = checked(organiser, tmp_path, visitor)
    assert seen["phase"] == "over"
    assert seen["standings"] == whole["standings"]
    assert _results(seen) == _results(whole)
    organiser.act("Make the results final")


def _results(export: dict[str, Any]) -> list[Any]:
    """Return the pairings of all rounds without their audiences."""
    return [
        {name: value for name, value in pairing.items() if name != "release"}
        for made in rounds(export)
        for pairing in made["pairings"]
    ]


def _sees_rounds(organiser: Organiser, visitor: Page, folder: Path, released: int) -> None:
    """Check what a visitor sees: the released rounds, the pairings of the next, nothing later."""
    seen = checked(organiser, folder, visitor)
    assert seen["phase"] == "running"
    states = [{one["state"] for one in made["pairings"]} for made in rounds(seen)]
    assert states[:released] == [{"decided"}] * released
    assert "decided" not in set().union(*states[released:])
    assert len(states) == released + 1
    played = {row["played"] for row in seen["standings"][0]["rows"]}
    assert max(played) == released
    visitor.goto(f"{organiser.public}rounds/0/{released + 1}/")
    expect(visitor.get_by_text("not released", exact=True)).to_have_count(9)
    assert visitor.locator("main a[href*='/blocks/'], main a[href*='/matches/']").count() == 0
    later = visitor.goto(f"{organiser.public}rounds/0/{released + 2}/")
    assert later is not None
    assert later.status == 404
    visitor.goto(organiser.public)
    assert visitor.locator(".head .tag").first.inner_text() == "running"


def _reveal_by_table(organiser: Organiser, visitor: Page, shots: Path) -> None:
    """Reveal the last round on the projector, table by table, with one step back."""
    tab, address = organiser.tab, f"{organiser.public}rounds/0/4/"

    def hidden(count: int) -> None:
        visitor.goto(address)
        expect(visitor.get_by_text("not released", exact=True)).to_have_count(count)

    organiser.act_on_round(4, "Reveal on a projector")
    for table in range(9, 0, -1):
        tab.get_by_role("button", name=f"Make the result of table {table} public").click()
        if table == 5:
            hidden(4)
            tab.screenshot(path=shots / "organised-reveal.png", full_page=True)
            tab.get_by_role("button", name="One step back").click()
            hidden(5)
            tab.get_by_role("button", name="Make the result of table 5 public").click()
    expect(tab.get_by_text("All results of this round are public.")).to_be_visible()
    hidden(0)


def test_swiss_of_64_with_a_replayed_round(
    platform: Platform, organiser: Organiser, shots: Path, tmp_path: Path
) -> None:
    organiser.create(
        *("Qualifier and final", "Swiss of 64", "swiss-of-64"),
        stage0__format="swiss",
        stage0__name="",
        stage0__players="2",
        stage0__blocks=1,
        stage0__rounds=6,
        stage0__advance="",
        stage1__format="",
        rules__boards="practice",
    )
    begin(organiser, house(64))
    organiser.wait_for_round(3)
    before = checked(organiser, tmp_path)
    kill_worker(platform, organiser)
    organiser.act_on_round(2, "Replay a round…")
    preview = organiser.tab.get_by_role("heading", name="Pairings that are rolled back")
    expect(preview).to_be_visible()
    shoot(organiser, shots, "replay", organiser.tab.url)
    organiser.confirm("A board had been left out.")
    organiser.wait_for_phase("over")
    export = checked(organiser, tmp_path)
    assert rounds(export)[0] == rounds(before)[0]
    assert rounds(export)[1]["generation"] > rounds(before)[1]["generation"]
    met = [
        frozenset(one["bot"] for one in pairing["entrants"])
        for made in rounds(export)
        for pairing in made["pairings"]
    ]
    assert len(set(met)) == len(met) == 6 * 32
    shoot(
        organiser, shots, "swiss", organiser.desk, organiser.public, f"{organiser.public}standings/"
    )
    organiser.act("Make the results final")


def test_double_elimination_of_64(
    platform: Platform, organiser: Organiser, shots: Path, tmp_path: Path
) -> None:
    organiser.create(
        *("Evening cup", "Double knockout", "double-knockout"),
        stage0__format="double-elimination",
        stage0__players="2",
        stage0__blocks=1,
        rules__boards="practice",
    )
    begin(organiser, house(64))
    organiser.wait_for_round(4)
    kill_worker(platform, organiser)
    organiser.wait_for_phase("over")
    export = checked(organiser, tmp_path)
    assert sum(len(one["pairings"]) for one in rounds(export)) in (126, 127)
    places = [row["place"] for row in export["standings"][0]["rows"]]
    assert places[:4] == [1, 2, 3, 4]
    shoot(organiser, shots, "double", organiser.desk, f"{organiser.public}bracket/0/")
    organiser.act("Make the results final")


def test_league_of_three_divisions_of_eight_over_two_seasons(
    platform: Platform, organiser: Organiser, visitor: Page, shots: Path, tmp_path: Path
) -> None:
    organiser.create(
        *("League season", "Canals 1", "canals-1"),
        head__league="canals",
        stage0__double=False,
        stage0__blocks=1,
        rules__boards="practice",
        rules__daily="",
    )
    begin(organiser, house(24))
    kill_worker(platform, organiser)
    organiser.wait_for_phase("over")
    first = checked(organiser, tmp_path)
    organiser.act("Make the results final")

    tab = organiser.tab
    tab.goto(organiser.desk)
    tab.get_by_role("link", name="Next season…").click()
    shoot(organiser, shots, "season", tab.url)
    expect(tab.get_by_label("Address", exact=True)).to_have_value("canals-2")
    tab.get_by_role("button", name="Begin the season").click()
    expect(tab.get_by_text("The season is open for entries.")).to_be_visible()
    organiser.slug = "canals-2"
    organiser.act("Close entries")
    organiser.act("Start the tournament")
    kill_worker(platform, organiser)
    organiser.wait_for_phase("over")
    second = checked(organiser, tmp_path)
    _check_moves(first, second)
    organiser.act("Make the results final")
    shoot(organiser, shots, "league", organiser.desk, organiser.public)
    visitor.goto(f"{organiser.url}/leagues/")
    visitor.get_by_role("link", name="Canals", exact=True).click()
    expect(visitor.get_by_role("heading", name="Season 2")).to_be_visible()
    expect(visitor.get_by_role("heading", name="Moves since the season before")).to_be_visible()


def _check_moves(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Check that promotion, relegation and play-offs decided the divisions of the second season."""
    is_now = [{row["bot"] for row in table["rows"]} for table in second["standings"][:3]]
    assert [len(one) for one in is_now] == [8, 8, 8]
    for at in range(2):
        above = [row["bot"] for row in first["standings"][at]["rows"]]
        below = [row["bot"] for row in first["standings"][at + 1]["rows"]]
        play_off = [row["bot"] for row in first["standings"][3 + at]["rows"]]
        assert set(play_off) == {above[-2], below[1]}
        assert below[0] in is_now[at]
        assert above[-1] in is_now[at + 1]
        assert set(play_off) & is_now[at] == {play_off[0]}

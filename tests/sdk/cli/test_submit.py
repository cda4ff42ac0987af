"""`damrak login`, `submit` and related commands against a real site."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from cli import COMMAND, damrak
from sdk.sites import SECONDS, Site, running_site

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the ladder runs on Unix")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("site")) as made:
        yield made


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "my_bot"
    assert damrak("new", folder).returncode == 0
    return folder


_LADDER = """
from damrak_ladder.matches.ladders import LadderPlan, create_ladder
plan = LadderPlan(slug="shadows", name="Shadows", boards=("amsterdam",), shares={2: 1.0})
create_ladder(plan, now)
"""


def lines_of(process: subprocess.Popen[str], until: str) -> list[str]:
    """Return the lines that a process prints, up to one that contains this text."""
    assert process.stdout is not None
    found: list[str] = []
    for line in process.stdout:
        found.append(line)
        if until in line:
            return found
    raise AssertionError(found)


def started(site: Site, config: Path, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        env=site.for_damrak(config),
        cwd=config.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.process
def test_a_login_is_approved_in_a_browser(site: Site, config: Path) -> None:
    site.token_of("dora")
    login = started(site, config, "login", "--to", site.url, "--no-browser")
    line, where = lines_of(login, "approve")
    code = line.split()[-1]
    assert where == f"open {site.url}/device/, sign in, and approve it\n"
    site.say(
        "from damrak_ladder.accounts import devices\n"
        f'devices.approve(User.objects.get(username="dora"), "{code.lower()}", now)'
    )
    rest, _ = login.communicate(timeout=SECONDS)
    assert login.returncode == 0, rest
    assert f"dora is logged in to {site.url}" in rest
    kept = config / "damrak" / "credentials.toml"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    # From now on it is the default site.
    who = site.damrak("whoami", "--json", config=config)
    assert json.loads(who.stdout)["username"] == "dora"
    out = site.damrak("logout", "--json", config=config)
    assert json.loads(out.stdout) == {"url": site.url, "revoked": True}
    assert "damrak_" not in kept.read_text()
    again = site.damrak("whoami", "--to", site.url, config=config)
    assert again.returncode == 2
    assert "damrak login" in again.stderr


@pytest.mark.process
def test_a_login_that_is_refused(site: Site, config: Path) -> None:
    site.token_of("dora")
    login = started(site, config, "login", "--to", site.url, "--no-browser")
    line, _ = lines_of(login, "approve")
    site.say(
        "from damrak_ladder.accounts import devices\n"
        f'devices.refuse(User.objects.get(username="dora"), "{line.split()[-1]}", now)'
    )
    rest, _ = login.communicate(timeout=SECONDS)
    assert login.returncode == 2
    assert "The sign-in was refused in the browser: damrak login" in rest
    assert not (config / "damrak" / "credentials.toml").exists()


@pytest.mark.process
def test_a_machine_logs_in_with_a_token(site: Site, config: Path, tmp_path: Path) -> None:
    token = site.token_of("machine")
    file = tmp_path / "token"
    file.write_text(token)
    file.chmod(0o644)
    command = ("login", "--to", site.url, "--token-file")
    loose = site.damrak(*command, file, config=config)
    assert loose.returncode == 2
    assert "others can read" in loose.stderr
    file.chmod(0o600)
    assert site.damrak(*command, file, config=config).returncode == 0
    piped = subprocess.run(
        [*COMMAND, *command, "-"],
        env=site.for_damrak(config),
        input=f"{token}\n",
        capture_output=True,
        text=True,
    )
    assert piped.returncode == 0, piped.stderr
    file.write_text("damrak_wrong")
    wrong = site.damrak(*command, file, config=config)
    assert wrong.returncode == 2
    assert "The token is not valid" in wrong.stderr
    said = (piped.stdout, piped.stderr, wrong.stderr)
    assert all(token not in text for text in said)


PLAYED = "journey_codes.Qualified(4, 1)"
CRASHED = "journey_codes.GameCrash(journey_codes.GamePlace(1, 1, 1), '\\x1b[31mred')"
QUALIFY = """
from damrak_ladder.bots.journey import note
from damrak_ladder.bots.models import Bot, State, Version
from damrak_ladder.bots.lifecycle import advance, promote
from damrak_ladder.message_codes import journey_codes
version = Version.objects.get(bot__slug="{slug}", number={number})
reason = {reason}
advance(version.pk, State.QUALIFYING, State.{state}, now, reason)
note(version, "{step}", reason, now)
if "{state}" == "QUALIFIED":
    promote(version.bot_id, version.bot.live_id, version.pk, now)
"""


def decide(
    site: Site, slug: str, number: int, state: str = "QUALIFIED", reason: str = PLAYED
) -> None:
    step = state.lower()
    site.say(QUALIFY.format(slug=slug, number=number, state=state, reason=reason, step=step))


@pytest.mark.process
def test_a_bot_is_submitted_and_followed_until_it_qualifies(
    site: Site, config: Path, bot: Path
) -> None:
    token = site.token_of("ann")
    (config.parent / "token").write_text(token)
    (config.parent / "token").chmod(0o600)
    login = ("login", "--to", site.url, "--token-file", config.parent / "token")
    assert site.damrak(*login, config=config).returncode == 0
    (bot / "notes.txt").write_text("secret plans")
    (bot / ".damrakignore").write_text("*.txt\n")
    submit = started(site, config, "submit", bot, "--note", "first try")
    before = lines_of(submit, "Queued")
    decide(site, "my-bot", 1, reason=PLAYED)
    rest, _ = submit.communicate(timeout=SECONDS)
    said = "".join(before) + rest
    assert submit.returncode == 0, said
    kinds = re.findall(r"^(received|checked|queued|qualified) ", said, re.MULTILINE)
    assert kinds == ["received", "checked", "queued", "qualified"]
    assert "created the bot my-bot" in said
    assert f"version 1 is live: {site.url}/bots/my-bot/1/" in said
    # The same files are the same version.
    again = site.damrak("submit", bot, "--bot", "my-bot", "--json", config=config)
    assert again.returncode == 0, again.stderr
    assert "no changes: identical to version 1" in again.stderr
    assert json.loads(again.stdout)["version"] == 1
    (bot / "notes.txt").write_text("more plans")
    same = site.damrak("submit", bot, "--bot", "my-bot", "--no-wait", config=config)
    assert "version 1" in same.stdout
    # Different files are a new version; the command returns before its verdict.
    (bot / "more.py").write_text("X = 1\n")
    second = site.damrak("submit", bot, "--bot", "my-bot", "--no-wait", "--json", config=config)
    assert second.returncode == 0, second.stderr
    assert (json.loads(second.stdout)["version"], json.loads(second.stdout)["state"]) == (
        2,
        "qualifying",
    )
    # A client that stops watching still receives the object in its current state.
    watching = started(site, config, "submit", bot, "--bot", "my-bot", "--json")
    lines_of(watching, "Queued")
    watching.send_signal(signal.SIGINT)
    rest, _ = watching.communicate(timeout=SECONDS)
    assert watching.returncode == 130, rest
    [known] = [line for line in rest.splitlines() if line.startswith("{")]
    assert json.loads(known)["state"] == "qualifying"
    decide(site, "my-bot", 2)
    listed = site.damrak("versions", "my-bot", config=config).stdout
    assert re.search(r"2  qualified .* live", listed)
    assert "first try" in listed
    assert site.damrak("live", "my-bot", "1", config=config).returncode == 0
    rows = json.loads(site.damrak("versions", "my-bot", "--json", config=config).stdout)
    assert [(row["number"], row["is_live"]) for row in rows] == [(2, False), (1, True)]
    trial = site.damrak("trial", "my-bot", "2", "1", "--no-wait", config=config)
    assert trial.returncode == 2
    assert "is on no ladder" in trial.stderr
    canary = site.damrak("canary", "my-bot", "2", "--no-wait", config=config)
    assert canary.returncode == 2
    assert "no ladder is open to" in canary.stderr
    canary = site.damrak("canary", "my-bot", "9", "--no-wait", config=config)
    assert canary.returncode == 2
    assert "has no version 9" in canary.stderr


@pytest.mark.process
def test_a_version_plays_shadow_games_until_cancelled(site: Site, config: Path, bot: Path) -> None:
    token = site.token_of("cora")
    more = {"DAMRAK_API_TOKEN": token}
    submit = ("submit", bot, "--bot", "cora-bot", "--no-wait", "--to", site.url)
    assert site.damrak(*submit, config=config, **more).returncode == 0
    decide(site, "cora-bot", 1)
    site.say(_LADDER)
    begin = ("canary", "cora-bot", "1", "--blocks", "7", "--to", site.url)
    begun = site.damrak(*begin, "--no-wait", "--json", config=config, **more)
    assert begun.returncode == 0, begun.stderr
    [told] = json.loads(begun.stdout)
    assert (told["ladder"], told["state"], told["most"]) == ("shadows", "running", 7)
    watch = site.damrak(*begin[:3], "--watch", "--no-wait", *begin[5:], config=config, **more)
    assert watch.stdout == "cora-bot 1 running: shadows     0 of 7 blocks\n"
    both = site.damrak(*begin, "--watch", "--cancel", config=config, **more)
    assert both.returncode == 2
    ended = site.damrak(*begin[:3], "--cancel", *begin[5:], config=config, **more)
    assert ended.stdout == "cora-bot 1 cancelled: shadows     0 of 7 blocks\n"
    assert ended.returncode == 0


@pytest.mark.process
def test_a_bot_that_fails_there_exits_with_1_and_the_reason(
    site: Site, config: Path, bot: Path
) -> None:
    token = site.token_of("fay")
    submit = subprocess.Popen(
        [*COMMAND, "submit", str(bot), "--bot", "fails", "--to", site.url, "--no-check"],
        env=site.for_damrak(config, DAMRAK_API_TOKEN=token),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines_of(submit, "Queued")
    decide(site, "fails", 1, "FAILED", CRASHED)
    rest, _ = submit.communicate(timeout=SECONDS)
    assert submit.returncode == 1, rest
    assert "version 1 has failed: It crashed" in rest
    assert "\x1b" not in rest


@pytest.mark.process
def test_a_bot_that_does_not_start_is_not_sent(site: Site, config: Path, bot: Path) -> None:
    token = site.token_of("ann")
    (bot / "bot.py").write_text("import nothing_of_this_name\n")
    command = ("submit", bot, "--bot", "broken", "--to", site.url)
    run = site.damrak(*command, config=config, DAMRAK_API_TOKEN=token)
    assert run.returncode == 1
    assert "nothing_of_this_name" in run.stdout
    assert "not submitted" in run.stdout
    assert site.damrak("versions", "broken", "--to", site.url, config=config).returncode == 2


@pytest.mark.process
def test_a_link_is_refused_before_it_is_sent(site: Site, config: Path, bot: Path) -> None:
    (bot / "passwd").symlink_to("/etc/passwd")
    token = site.token_of("ann")
    command = ("submit", bot, "--to", site.url)
    run = site.damrak(*command, config=config, DAMRAK_API_TOKEN=token)
    assert run.returncode == 2
    assert "links are not supported" in run.stderr


@pytest.mark.process
def test_bot_of_another_user(site: Site, config: Path, bot: Path) -> None:
    command = ("submit", bot, "--bot", "taken", "--to", site.url, "--no-wait", "--no-check")
    ann = site.damrak(*command, config=config, DAMRAK_API_TOKEN=site.token_of("ann"))
    assert ann.returncode == 0, ann.stderr
    bob = site.damrak(*command, config=config, DAMRAK_API_TOKEN=site.token_of("bob"))
    assert bob.returncode == 2
    assert bob.stderr == "damrak: the bot taken belongs to ann: choose another name\n"


@pytest.mark.process
def test_on_the_machine_itself_no_login_is_needed(site: Site, config: Path) -> None:
    before = site.damrak("whoami", "--to", site.url, config=config)
    assert before.returncode == 2
    make = "from damrak_ladder.accounts.local_key import make\n"
    site.token_of("boss")
    path = Path(site.say(f'{make}print(make(User.objects.get(username="boss"), now))'))
    try:
        who = site.damrak("whoami", "--to", site.url, "--json", config=config)
        assert json.loads(who.stdout)["username"] == "boss"
        path.chmod(0o644)
        assert site.damrak("whoami", "--to", site.url, config=config).returncode == 2
    finally:
        path.unlink()


# ---- missing and hostile sites -------------------------------------------------------------------


class Evil(BaseHTTPRequestHandler):
    """A server with given responses that records its requests."""

    def do_GET(self) -> None:
        self.server.heard.append(self.headers.get("Authorization"))  # type: ignore[attr-defined]
        status, headers, body = self.server.answer(self.path)  # type: ignore[attr-defined]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def evil() -> Iterator[Any]:
    server = HTTPServer(("127.0.0.1", 0), Evil)
    server.heard = []  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever)
    thread.start()
    server.url = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def ask(evil: Any, tmp_path: Path, **variables: str) -> Any:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), **variables}
    return damrak("whoami", "--to", evil.url, env=environment, timeout=SECONDS)


@pytest.mark.process
def test_a_token_follows_no_redirect(evil: Any, tmp_path: Path) -> None:
    evil.answer = lambda path: (302, {"Location": f"{evil.url}/elsewhere"}, b"")
    run = ask(evil, tmp_path, DAMRAK_API_TOKEN="damrak_x")
    assert run.returncode == 2
    assert "it redirects to" in run.stderr
    assert len(evil.heard) == 1


@pytest.mark.process
@pytest.mark.parametrize(
    ("status", "body", "complaint"),
    [
        (200, b"<html>", "this is not the URL of a ladder"),
        (404, b"", "check that it is a Damrak ladder"),
        (418, b'{"detail": "\\u001b[2Jboo", "code": "x"}', "boo"),
        (503, b"", "503"),
    ],
)
def test_invalid_ladder(
    evil: Any, tmp_path: Path, status: int, body: bytes, complaint: str
) -> None:
    evil.answer = lambda path: (status, {}, body)
    run = ask(evil, tmp_path, DAMRAK_API_TOKEN="damrak_x")
    assert (run.returncode, run.stdout) == (2, "")
    assert complaint in run.stderr
    assert run.stderr.count("\n") == 1
    assert "\x1b" not in run.stderr


@pytest.mark.process
def test_a_program_that_listens_here_is_not_shown_the_local_token(
    evil: Any, tmp_path: Path
) -> None:
    key = tmp_path / "local-token"
    key.write_text("damrak_" + "s" * 43)
    key.chmod(0o600)
    said = {"software": "damrak", "local_key": str(key), "local_proof": "0" * 64}
    evil.answer = lambda path: (200, {}, json.dumps(said).encode())
    run = ask(evil, tmp_path)
    assert run.returncode == 2
    assert "damrak login" in run.stderr
    assert evil.heard == [None]


@pytest.mark.process
@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("http://ladder.example.org", "others could read your token"),
        ("ftp://ladder.example.org", "is not a URL of a ladder"),
        ("https://", "is not a URL of a ladder"),
        ("https://ladder.example.org:x", "is not a URL of a ladder"),
    ],
)
def test_invalid_addresses(address: str, complaint: str, tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    run = damrak("whoami", "--to", address, env=environment)
    assert run.returncode == 2
    assert complaint in run.stderr


@pytest.mark.process
def test_no_server_listens(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "DAMRAK_API_TOKEN": "t"}
        run = damrak("whoami", "--to", f"127.0.0.1:{port}", env=environment)
    assert run.returncode == 2
    assert "connection refused; check that the site is running" in run.stderr

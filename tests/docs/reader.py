"""A bot author who types the commands of the documents, with a platform on the same machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from docs.shell_blocks import blocks_of
from ladder.embedded.platforms import PATIENCE, Browser, Platform, run, wait_for
from ladder.receivers import Receiver

SCOPES = ("read", "submit", "play", "settings", "tournaments:run")
VERSIONS = {"my-bot": 5, "rival": 2}  # that the examples mention
ISSUE = f"""
from django.utils import timezone
from damrak_ladder.accounts.models import User
from damrak_ladder.accounts.tokens import issue
from damrak_ladder.matches.entries import leave
from damrak_ladder.matches.models import Entry
for entry in Entry.objects.filter(bot__slug__contains="mcts"):  # its games take longest
    leave(entry.ladder, entry.bot, timezone.now())
print(issue(User.objects.get(username="%s"), "documents", {SCOPES}, timezone.now())[1])
"""
CUP = {"slug": "spring-cup", "name": "Spring cup", "rules": {"stages": [{"format": "swiss"}]}}


@dataclass
class Reader:
    """The platform, a folder with one folder for each document, and a login file."""

    platform: Platform
    folder: Path
    receiver: Receiver
    token: str = ""
    names: dict[str, str] = field(default_factory=dict)  # here, by those of the examples
    printed: str = ""  # by the latest command

    @property
    def url(self) -> str:
        """The address of the site."""
        return f"http://127.0.0.1:{self.platform.port}"

    def folder_of(self, document: str) -> Path:
        """Return the folder of a document, with the files that its reader has."""
        folder = self.folder / document.replace("/", "-").removesuffix(".md")
        if folder.exists():
            return folder
        folder.mkdir()
        if Path(sys.prefix, "bin", "activate").exists():
            (folder / ".venv").symlink_to(sys.prefix)
        commands = [line for block in blocks_of(document) for line in block.commands]
        if not any(line.startswith("damrak new my_bot") for line in commands):
            shutil.copytree(self.folder / "my_bot", folder / "my_bot")
        if any("@my_bot.zip" in line for line in commands):
            shutil.make_archive(str(folder / "my_bot"), "zip", folder / "my_bot")
        shutil.copy(self.folder / "my_bot" / "bot.py", folder)
        (folder / "weights.npz").touch()
        (folder / "helpers").mkdir()
        (folder / "helpers" / "__init__.py").touch()
        return folder

    def run(self, command: str, folder: Path) -> int:
        """Run a command to its end and return its exit code."""
        with self._started(command, folder) as process:
            if command.startswith("damrak login"):
                self._approve(process)
            self.printed = process.communicate(timeout=PATIENCE)[0]
            return process.returncode

    def run_until_stopped(self, command: str, folder: Path) -> int:
        """Run a command, press Ctrl-C after its first line, and return its exit code."""
        with self._started(f"exec {command}", folder) as process:
            assert process.stdout is not None
            first = process.stdout.readline()
            if has_begun := bool(first) and not first.startswith("damrak: "):  # not an error
                os.killpg(process.pid, signal.SIGINT)
            self.printed = first + process.communicate(timeout=PATIENCE)[0]
            return process.returncode if has_begun else 1

    def prepare(self) -> None:
        """Create what the examples assume: versions of bots, matches, a tournament and a dump."""
        (self.folder / ".curlrc").write_text("fail-with-body\n")
        self._do("damrak-ladder ladders close daily")
        issued = run(self.platform.home, self.platform.port, *self._shell())
        assert issued.returncode == 0, issued.stderr
        self.token = issued.stdout.split()[-1]
        self._do("damrak new my_bot")
        bot = self.folder / "my_bot" / "bot.py"
        template = bot.read_text()
        for name, count in VERSIONS.items():
            for number in range(count):
                bot.write_text(template + f"# {number}\n" * (number > 0))
                self._do(f"damrak submit my_bot --bot {name} --no-wait --no-check --to {self.url}")
        bot.write_text(template + "# and one more\n")
        for name, count in VERSIONS.items():
            for number in range(1, count + 1):
                wait_for(partial(self._has_qualified, name, number))
        matches = json.loads(self._do(f"damrak matches --bot my-bot --json --to {self.url}"))
        assert self._post("tournaments", CUP)["slug"] == CUP["slug"]
        assert self._post("tournaments/spring-cup/acts", {"kind": "open"}, **{"If-Match": '"1"'})
        self._do("damrak-ladder dump")
        self.names = {
            **dict.fromkeys(("https://ladder.example.org", "https://damrak.example"), self.url),
            "http://127.0.0.1:8000": self.url,
            "https://example.org/hook": self.receiver.url,
            **dict.fromkeys(("canal-rat", "hare"), "my-bot"),
            "tulip": "house-greedy",
            **dict.fromkeys(("8123", "1033"), str(matches[-1]["id"])),
            "versions/71/": f"versions/{self._versions('my-bot')[-1]['id']}/",
            "DAMRAK_API_TOKEN=…": f"DAMRAK_API_TOKEN={self.token}",
            " DUMP ": f" {self.url} ",
            "/srv/data": str(self.folder / "data"),
            "2026-11-18": datetime.now(UTC).date().isoformat(),
        }

    def _adapted(self, command: str) -> str:
        for written, name in self.names.items():
            command = command.replace(written, name)
        if "Xk3…" in command:  # the table that the command before has created
            command = command.replace("Xk3…", json.loads(self.printed)["code"])
        return command

    def _started(self, command: str, folder: Path) -> subprocess.Popen[str]:
        kept = {name: value for name, value in os.environ.items() if "DAMRAK" not in name}
        kept |= {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}",
            "HOME": str(self.folder),  # where .curlrc is
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "DAMRAK_HOME": str(self.platform.home),
            "NO_COLOR": "1",
        }
        if "$DAMRAK_API_TOKEN" in command:
            kept["DAMRAK_API_TOKEN"] = self.token
        return subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", self._adapted(command)],
            cwd=folder,
            env=kept,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _do(self, command: str) -> str:
        code = self.run(command, self.folder)
        assert code == 0, f"{command}\n{self.printed}"
        return self.printed

    def _shell(self) -> tuple[str, ...]:
        return ("manage", "shell", "-v", "0", "-c", ISSUE % self.platform.admin)

    def _versions(self, bot: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(
            self._do(f"damrak versions {bot} --json --to {self.url}")
        )
        return sorted(found, key=lambda version: -version["number"])

    def _has_qualified(self, bot: str, number: int) -> bool:
        state = self._versions(bot)[-number]["state"]
        assert state != "failed", self.printed
        return bool(state == "qualified")

    def _post(self, path: str, body: Any, **headers: str) -> Any:
        request = urllib.request.Request(
            f"{self.url}/api/v1/{path}",
            json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.token}", **headers},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def _approve(self, login: subprocess.Popen[str]) -> None:
        """Approve a login in a browser."""
        assert login.stdout is not None
        code = login.stdout.readline().split()[-1]
        browser = Browser(self.platform.port)
        browser.get("/en/accounts/login/")
        password = (self.platform.home / "admin-password").read_text().strip()
        browser.post("/en/accounts/login/", login=self.platform.admin, password=password)
        browser.get("/en/device/")
        _, page = browser.post("/en/device/", code=code, approve="1")
        assert "now has access" in page, page

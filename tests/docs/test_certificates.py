"""The operators' page about a certificate authority of one's own, followed word for word."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee_process import RefereeProcess, short_folder

pytestmark = pytest.mark.process

PAGE = Path(__file__).parents[2] / "docs" / "operators" / "referee.md"
BOT = "from damrak import Bot\nclass Mine(Bot):\n    def choose(self, view): return view.legal[0]\n"


def commands() -> list[str]:
    """Return the command blocks of that section, for a referee on this machine."""
    section = (
        PAGE.read_text().partition("### An authority of your own")[2].partition("\nWithout")[0]
    )
    section = section.replace("bots.example.org", "localhost")
    return [
        re.sub("^    ", "", block, flags=re.M)
        for block in re.findall("(?:^    .*\n)+", section, re.M)
    ]


def openssl() -> str:
    """Return the version of OpenSSL, or ""; other programs of that name lack some options."""
    if shutil.which("openssl") is None:
        return ""
    return subprocess.run(["openssl", "version"], capture_output=True, text=True).stdout


@pytest.mark.skipif(not re.match("OpenSSL [3-9]", openssl()), reason="the page is about OpenSSL 3")
def test_its_certificates_admit_a_bot_and_are_required() -> None:
    *certificates, connect = commands()
    assert len(certificates) == 3
    with short_folder() as folder:
        for block in certificates:
            subprocess.run(["sh", "-e", "-c", block], cwd=folder, check=True, capture_output=True)
        token = subprocess.run(
            [
                sys.executable,
                "-m",
                "damrak_referee",
                "token",
                "new",
                "stan-3",
                "--tokens=tokens.json",
            ],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()[0]
        (folder / "my_bot.py").write_text(BOT)
        (folder / "token.txt").touch(mode=0o600)
        (folder / "token.txt").write_text(token)
        options = ("tls-cert=chain", "tls-key=key", "tls-client-ca=ca")
        paths = [f"--{option.replace('=', f'={folder}/')}.pem" for option in options]
        with RefereeProcess(folder, *paths, f"--tokens={folder}/tokens.json") as referee:
            said = connect.replace("my_bot", "my_bot.py").replace("\\\n", "")
            words = said.replace("localhost:7171", referee.listen.replace("127.0.0.1", "localhost"))
            for given, expected in ((words, "waiting"), (words.partition("--tls-cert")[0], "away")):
                with subprocess.Popen(
                    [sys.executable, "-m", *given.split(), "--json"],
                    cwd=folder,
                    stdout=subprocess.PIPE,
                    text=True,
                    env={**os.environ, "HOME": str(folder)},
                ) as bot:
                    assert bot.stdout is not None
                    assert f'"event": "{expected}"' in bot.stdout.readline()
                    bot.kill()

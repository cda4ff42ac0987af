"""The files that go into the archive of a folder, and those that do not."""

from __future__ import annotations

import io
import os
import stat
import sys
import zipfile
from pathlib import Path

import pytest

from damrak.errors import LadderError
from damrak.ladder.archive import pack
from damrak.ladder.safe_text import plain
from damrak_archive.inspection import inspect

BOT = "from damrak import Bot\n"


def made(folder: Path, *names: str) -> Path:
    for name in ("bot.py", *names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BOT)
    return folder


def test_the_same_files_make_the_same_bytes(tmp_path: Path) -> None:
    one = made(tmp_path / "one", "b/two.py", "a.py")
    other = made(tmp_path / "other", "a.py", "b/two.py")
    os.utime(other / "a.py", (0, 0))
    (other / "a.py").chmod(0o600)
    assert pack(one).data == pack(other).data
    assert pack(one).names == ("a.py", "b/two.py", "bot.py")
    (other / "a.py").write_text("changed")
    assert pack(one).data != pack(other).data


@pytest.mark.skipif(sys.platform == "win32", reason="no such bit")
def test_packages_go_along_whole_if_the_description_names_them(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    needed = (
        "bot.js",
        "node_modules/one/build/x.js",
        "node_modules/one/node_modules/two/dist/y.js",
    )
    for name in (*needed, "build/z.js", "node_modules/.bin/tool"):
        (bot / name).parent.mkdir(parents=True, exist_ok=True)
        (bot / name).write_text("")
    (bot / "damrak.toml").write_text('run = ["node", "bot.js"]\n')
    assert pack(bot).names == ("bot.js", "damrak.toml")
    (bot / "damrak.toml").write_text('run = ["node", "bot.js"]  # with node_modules\n')
    assert pack(bot).names == ("bot.js", "damrak.toml", *needed[1:])


def test_executable_files_can_be_run_there(tmp_path: Path) -> None:
    made(tmp_path, "run.sh")
    (tmp_path / "run.sh").chmod(0o755)
    with zipfile.ZipFile(io.BytesIO(pack(tmp_path).data)) as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    assert modes == {"bot.py": stat.S_IFREG | 0o644, "run.sh": stat.S_IFREG | 0o755}


def test_unneeded_files_are_left_out(tmp_path: Path) -> None:
    made(tmp_path, ".git/config", "__pycache__/bot.pyc", "env/lib/x.py", "build/x.o", "data.json")
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    (tmp_path / "replay.json").write_text('{"format": "damrak-replay/1"}')
    assert pack(tmp_path).names == ("bot.py", "data.json")
    (tmp_path / "damrak.toml").write_text('run = ["./build/x.o"]')
    assert "build/x.o" in pack(tmp_path).names


@pytest.mark.parametrize(
    ("rules", "left"),
    [
        ("", {"a.txt", "b.log", "deep/a.txt", "deep/more/b.log"}),
        ("*.txt", {"b.log", "deep/more/b.log"}),
        ("/a.txt", {"b.log", "deep/a.txt", "deep/more/b.log"}),
        ("deep/", {"a.txt", "b.log"}),
        ("more/", {"a.txt", "b.log", "deep/a.txt"}),
        ("deep/*.txt", {"a.txt", "b.log", "deep/more/b.log"}),
        ("deep/**/b.log", {"a.txt", "b.log", "deep/a.txt"}),
        ("*.log\n!/b.log", {"a.txt", "b.log", "deep/a.txt"}),
        ("# a.txt\n\n[ab].t?t", {"b.log", "deep/more/b.log"}),
        ("[!a].*", {"a.txt", "deep/a.txt"}),
        ("a.txt/", {"a.txt", "b.log", "deep/a.txt", "deep/more/b.log"}),
        ("(a|b).txt", {"a.txt", "b.log", "deep/a.txt", "deep/more/b.log"}),
    ],
)
def test_ignore_files_are_read_as_by_git(tmp_path: Path, rules: str, left: set[str]) -> None:
    made(tmp_path, "a.txt", "b.log", "deep/a.txt", "deep/more/b.log")
    (tmp_path / ".gitignore").write_text(rules)
    assert set(pack(tmp_path).names) == {"bot.py", *left}
    (tmp_path / ".damrakignore").write_text("*\n!bot.py")
    assert pack(tmp_path).names == ("bot.py",)


def test_a_file_and_an_archive_can_be_sent_too(tmp_path: Path) -> None:
    (tmp_path / "careful.py").write_text(BOT)
    assert pack(tmp_path / "careful.py").names == ("bot.py",)
    (tmp_path / "mine.zip").write_bytes(pack(made(tmp_path / "bot")).data)
    assert pack(tmp_path / "mine.zip").holds.files == 1


def large_bot() -> bytes:
    """Return an archive of a bot that is larger than the limit without an optional runtime."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("bot.py", "")
        archive.writestr("weights", bytes(16 << 20))
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("nowhere", None, "no such file or folder"),
        ("bot.txt", b"", "give a folder"),
        ("bad.zip", b"PK\x03\x04", "ladders reject this archive"),
        ("big.zip", large_bot(), "larger than 16 MiB"),
    ],
)
def test_unsendable_files(tmp_path: Path, name: str, content: bytes | None, why: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(LadderError, match=why):
        pack(tmp_path / name)


def test_an_empty_folder_is_not_a_bot(tmp_path: Path) -> None:
    with pytest.raises(LadderError, match=r"neither bot\.py"):
        pack(tmp_path)


@pytest.mark.parametrize(
    ("description", "files", "language"),
    [
        ("", {}, "Python"),
        ('run = ["node", "main.js"]', {"main.js": b""}, "JavaScript"),
        ('run = ["python3", "main.py"]', {"main.py": b""}, "Python"),
        ('run = ["./bot", "-v"]', {"bot": b"\x7fELF...", "src/main.rs": b""}, "Rust"),
        ('run = ["./bot"]', {"bot": b"\x7fELF..."}, "machine code"),
        ('run = ["./bot"]', {"bot": b"#!"}, "another language"),
    ],
)
def test_languages_are_distinguished(
    description: str, files: dict[str, bytes], language: str
) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        if description:
            archive.writestr("damrak.toml", description)
        else:
            archive.writestr("bot.py", BOT)
        for name, data in files.items():
            archive.writestr(name, data)
    content.seek(0)
    assert inspect(content, len(content.getvalue())).language == language


def test_foreign_text_does_not_move_the_cursor() -> None:
    assert plain("a\x1b[2J\n b\u202e") == "a\N{REPLACEMENT CHARACTER}[2J b\N{REPLACEMENT CHARACTER}"
    assert len(plain("x" * 10_000)) == 600

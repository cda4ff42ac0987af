"""Every Python block of the documents runs, file by file, in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from damrak_engine.replay import to_bytes
from ladder.analyses.analysed import a_replay

ROOT = Path(__file__).parents[2]
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

RUN = [path for path in DOCUMENTS if path.parent.name != "notebooks"]  # see test_notebooks.py


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", RUN, ids=name)
def test_python_blocks_run(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    games = tmp_path / "games"  # where the commands of the documents save games
    games.mkdir()
    (games / "1.json").write_bytes(to_bytes(a_replay(1)))
    scope = {"__name__": "__document__"}
    for block in PYTHON.finditer(path.read_text("utf-8")):
        line = path.read_text("utf-8")[: block.start()].count("\n") + 1
        exec(compile("\n" * line + block[1], name(path), "exec"), scope)
    capsys.readouterr()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(path.read_text("utf-8")):
        assert (path.parent / target).exists(), f"{name(path)} links to {target}"

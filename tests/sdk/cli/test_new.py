"""`damrak new`: every template plays, and passes the tests that come with it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli import damrak
from damrak.cli import main
from damrak.cli.new import TEMPLATES
from sdk.conform import node

pytestmark = pytest.mark.process

PYTHON = [name for name, template in TEMPLATES.items() if template.is_python]
NEEDS = {"onnx": "onnxruntime", "torch": "torch"}


def new(folder: Path, template: str, capsys: Any) -> dict[str, Any]:
    """Create a bot and return what the command printed."""
    if template in NEEDS and importlib.util.find_spec(NEEDS[template]) is None:
        pytest.skip(f"{NEEDS[template]} is not installed")
    assert main(["new", str(folder), "--template", template, "--json"]) == 0
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return printed


@pytest.mark.parametrize("template", PYTHON)
def test_template_passes_its_own_tests(template: str, tmp_path: Path, capsys: Any) -> None:
    printed = new(tmp_path / "my_bot", template, capsys)
    folder = tmp_path / "my_bot"
    assert printed["template"] == template
    assert sorted(printed["files"]) == sorted(path.name for path in folder.iterdir())
    assert (folder / "README.md").read_text("utf-8").startswith("# my_bot\n")
    command = [sys.executable, "-m", "unittest"]
    tests = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert tests.returncode == 0, tests.stderr
    assert "Ran 2 tests" in tests.stderr


@pytest.mark.parametrize("template", ["numpy", "onnx"])
def test_network_beats_greedy(template: str, tmp_path: Path, capsys: Any) -> None:
    new(tmp_path / "net", template, capsys)
    given = ("play", "net", "greedy", "--games", "20", "--seed", "1", "--jobs", "1", "--json")
    report = json.loads(damrak(*given, cwd=tmp_path).stdout)
    assert report["bots"][0]["faults"] == 0
    assert report["bots"][0]["wins"] >= 13


def test_node_template_passes_its_own_tests(tmp_path: Path, capsys: Any) -> None:
    printed = new(tmp_path / "my_bot", "node", capsys)
    folder = tmp_path / "my_bot"
    assert sorted(printed["files"]) == sorted(path.name for path in folder.iterdir())
    (folder / "node_modules").symlink_to(node.installed() / "node_modules")
    assert damrak("proto", "proto", cwd=folder).returncode == 0
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    tests = subprocess.run(
        [node.NODE, "--test"],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
    )
    assert tests.returncode == 0, tests.stdout + tests.stderr


def test_help_describes_every_template(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        main(["new", "--help"])
    printed = capsys.readouterr().out
    for name, template in TEMPLATES.items():
        assert f"{name:6} {template.summary}" in printed


def test_unknown_template_is_an_error(tmp_path: Path, capsys: Any) -> None:
    assert main(["new", str(tmp_path / "x"), "--template", "numpi"]) == 2
    assert "did you mean numpy?" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_no_file_of_a_template_is_overwritten(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "policy.npz").write_text("precious")
    assert main(["new", str(tmp_path), "--template", "numpy"]) == 2
    assert "was not overwritten" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["policy.npz"]


@pytest.mark.parametrize("template", ["onnx", "torch"])
def test_missing_package_names_the_fix(template: str, tmp_path: Path) -> None:
    assert main(["new", str(tmp_path), "--template", template]) == 0
    hide = f"import sys; sys.modules[{NEEDS[template]!r}] = None; import bot"
    run = subprocess.run([sys.executable, "-c", hide], cwd=tmp_path, capture_output=True, text=True)
    assert f"pip install {NEEDS[template]}" in run.stderr

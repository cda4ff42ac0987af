"""Commands can be interrupted from the start, and import hardly anything before that."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

ENTRIES: Final = {
    "damrak.cli": "damrak.cli.command",
    "damrak_ladder.cli": "damrak_ladder.command_line",
    "damrak_referee.cli": "damrak_referee.command.command_line",
}
"""The modules of `[project.scripts]`, and the modules that their `main` imports."""


@pytest.mark.parametrize("entry", ENTRIES)
def test_ctrl_c_while_it_loads_ends_it_quietly(
    entry: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Impatient:
        def find_spec(self, name: str, *_: object) -> None:
            if name == ENTRIES[entry]:
                raise KeyboardInterrupt

    main = import_module(entry).main
    package, _, name = ENTRIES[entry].rpartition(".")
    import_module(ENTRIES[entry])
    monkeypatch.delitem(sys.modules, ENTRIES[entry])
    monkeypatch.delattr(import_module(package), name)
    monkeypatch.setattr(sys, "meta_path", [Impatient(), *sys.meta_path])
    assert main() == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.process
@pytest.mark.parametrize("entry", ENTRIES)
def test_nothing_slow_is_loaded_before(entry: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", f"import sys, {entry}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = {name for name in run.stdout.split() if name.startswith("damrak")}
    allowed = {entry, entry.partition(".")[0]}
    assert ours - allowed <= {"damrak.interpreted"}
    assert {"argparse", "rich", "django", "grpc"}.isdisjoint(run.stdout.split())


@pytest.mark.process
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such file")
@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ("damrak_ladder.cli", "simulate --only fit --bots 4 --blocks 10 --json"),
        ("damrak_referee.cli", "token new stan --tokens tokens.json"),
    ],
)
def test_unwritable_answer_is_reported_in_one_line(entry: str, line: str, tmp_path: Path) -> None:
    code = f"import sys; from {entry} import main; sys.exit(main())"
    command = [sys.executable, "-c", code, *line.split()]
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert run.returncode == 2
    told = run.stderr.splitlines()[-1]
    assert told == f"{entry[:-4].replace('_', '-')}: no space left on device"
    assert "Traceback" not in run.stderr


@pytest.mark.process
@pytest.mark.parametrize("entry", ENTRIES)
def test_closed_output_is_not_an_error(entry: str) -> None:
    code = f"import sys; sys.stdout = None; from {entry} import main; sys.exit(main())"
    run = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True)
    assert (run.returncode, run.stderr) == (0, b"")

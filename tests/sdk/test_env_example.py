"""The training example learns something in a few seconds."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "sdk" / "examples" / "train_policy.py"


@pytest.mark.parametrize("how", [[], ["--self-play"]], ids=["one seat", "self-play"])
def test_a_policy_improves(
    how: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    weights = tmp_path / "policy.npz"
    given = ["--games", "640", "--test-games", "60", "--save", str(weights), *how]
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *given])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    before, after = (float(line.split()[2]) for line in (printed[0], printed[-1]))
    assert before < 0.6
    assert after > 0.75
    assert weights.exists()

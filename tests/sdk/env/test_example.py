"""The training example improves within a few seconds."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[3] / "sdk" / "examples"
EXAMPLE = EXAMPLES / "train_policy.py"
NETWORK = EXAMPLES / "train_network.py"


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


def test_a_network_learns_to_agree_with_planner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = tmp_path / "policy.npz"
    given = ["--games", "150", "--epochs", "10", "--save", str(weights)]
    monkeypatch.setattr(sys, "argv", [str(NETWORK), *given])
    runpy.run_path(str(NETWORK), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    agreed = [float(line.split()[-1]) for line in printed if line.startswith("epoch")]
    assert agreed[-1] > 0.36  # a random choice agrees less than half as often
    with np.load(weights) as kept:
        assert set(kept) == {"layout", "w1", "b1", "w2", "b2"}

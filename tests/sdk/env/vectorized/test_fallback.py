"""Without the native core, the same interface plays the same games on the engine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from damrak.env import rollouts, vector
from damrak.env.vectorized import backend, native
from damrak.env.vectorized.native import NoCore

ARRAYS = ("observations", "masks", "rewards", "terminals", "truncations", "seats", "seat_rewards")


@pytest.fixture
def without_core(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Any:
        raise NoCore("the native core was not built")

    monkeypatch.setattr(native, "core", missing)
    backend.warn_once.cache_clear()


def play(**given: Any) -> list[list[np.ndarray]]:
    envs = vector(5, **given)
    envs.reset(seed=3)
    seen = []
    for step in range(60):
        seen.append([getattr(envs, name).copy() for name in ARRAYS])
        envs.step(envs.random_actions())
        if step == 30:
            envs.copy(0, [1, 3])
    states = [state.turns for state in envs.states()]
    seen.append([np.array(states), rollouts(envs.states()[:2], 3).totals])
    return seen


def last_policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    last: np.ndarray = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    return last


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"players": 4, "dtype": "uint8", "reward": "margin"},
        {"opponents": "greedy", "autoreset_mode": "NextStep"},
        {"opponents": ("random", "planner"), "players": 3, "board": "practice"},
        {"opponents": last_policy, "seat": 1},
    ],
)
def test_results_are_the_same(given: dict[str, Any], request: pytest.FixtureRequest) -> None:
    natively = play(**given)
    request.getfixturevalue("without_core")
    with pytest.warns(RuntimeWarning, match="the native core was not built"):
        on_the_engine = play(**given)
    for one, other in zip(natively, on_the_engine, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.usefixtures("without_core")
def test_the_warning_comes_once_and_names_the_remedy() -> None:
    with pytest.warns(RuntimeWarning, match=r"uses? the engine, which is slower .*make compile"):
        assert not vector(1).is_native
    assert not vector(1).is_native  # a second warning would be an error here


@pytest.mark.process
def test_a_core_of_another_source_is_not_used(tmp_path: Path) -> None:
    package = tmp_path / "vectorized"
    shutil.copytree(native.FOLDER, package)
    with (package / "core.c").open("a") as source:
        source.write("/* changed */\n")
    program = (
        "import sys; from pathlib import Path; from damrak.env.vectorized import native;"
        "native.FOLDER = Path(sys.argv[1])\n"
        "try: native.core()\n"
        "except native.NoCore as reason: print(reason)"
    )
    command = [sys.executable, "-c", program, str(package)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "built from another source" in printed or "was not built" in printed


@pytest.mark.parametrize("content", [b"", b"not a library"])
def test_a_broken_library_is_not_used(content: bytes, tmp_path: Path) -> None:
    library = tmp_path / "_core.so"
    library.write_bytes(content)
    with pytest.raises(NoCore, match="cannot be loaded"):
        native.load(library)

"""The native core is tested on every machine with a C compiler."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from damrak.env.vectorized.native import NoCore, core

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def native() -> None:
    """Require the native core."""
    try:
        core()
    except NoCore as reason:
        sys.path.insert(0, str(ROOT))
        from hatch_build import missing_tool

        lack = missing_tool()
        if lack and not os.environ.get("CI"):
            pytest.skip(f"there is {lack}")
        pytest.fail(f"{reason}: run make compile")

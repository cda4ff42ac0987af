"""The interpreted engine can be had although compiled modules lie beside the sources."""

import os
import subprocess
import sys

SWITCH = "DAMRAK_INTERPRETED"

REPORT = """
import importlib, pkgutil, sys
import damrak, damrak_engine
for module in pkgutil.iter_modules(damrak_engine.__path__):
    importlib.import_module(f"damrak_engine.{module.name}")
print(*sorted({
    module.__file__.rpartition(".")[2]
    for name, module in sys.modules.items() if name.startswith("damrak_engine")
}))
"""


def suffixes(environment: dict[str, str]) -> set[str]:
    """Return the file suffixes of the engine's modules as a new process loads them."""
    run = subprocess.run(
        [sys.executable, "-c", REPORT],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


def test_environment_variable_forces_sources() -> None:
    assert suffixes({SWITCH: "1"}) == {"py"}


def test_too_late_is_refused() -> None:
    late = "import damrak_engine; from damrak.interpreted import *; force_interpreted_engine()"
    environment = {name: value for name, value in os.environ.items() if name != SWITCH}
    run = subprocess.run(
        [sys.executable, "-c", late], env=environment, capture_output=True, text=True
    )
    assert "imported already" in run.stderr

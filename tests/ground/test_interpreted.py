"""The interpreted engine is available even if compiled modules exist beside the sources."""

import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from damrak.interpreted import changed_since_compiled, force_interpreted_engine

SWITCH = "DAMRAK_INTERPRETED"

# Prints the file suffixes of the engine's modules as loaded by a new process that starts with the
# package for bot authors.
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


@pytest.mark.process
def test_environment_variable_forces_sources() -> None:
    run = subprocess.run(
        [sys.executable, "-c", REPORT],
        env=os.environ | {SWITCH: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == ["py"]


def test_too_late_is_refused_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "damrak_engine.native"
    native = ModuleType(name)
    native.__spec__ = ModuleSpec(name, ExtensionFileLoader(name, "native.so"))
    monkeypatch.setitem(sys.modules, name, native)
    hooks = list(sys.path_hooks)
    with pytest.raises(RuntimeError, match=name):
        force_interpreted_engine()
    assert sys.path_hooks == hooks


def test_native_modules_of_other_sources_are_found(tmp_path: Path) -> None:
    engine = tmp_path / "referee" / "damrak_engine"
    engine.mkdir(parents=True)
    source, native = engine / "rules.py", engine / f"rules{EXTENSION_SUFFIXES[0]}"
    for path in (source, native, engine / "options.py"):
        path.touch()
    os.utime(source, (1000, 1000))
    os.utime(native, (2000, 2000))
    assert not changed_since_compiled(tmp_path)  # a wheel: all files were created together

    (tmp_path / "hatch_build.py").touch()
    assert not changed_since_compiled(tmp_path)  # options.py is newer, but not compiled
    os.utime(source, (3000, 3000))
    assert changed_since_compiled(tmp_path)
    source.unlink()
    assert changed_since_compiled(tmp_path)
    native.unlink()
    assert not changed_since_compiled(tmp_path)

"""Compile the engine's inner loop with mypyc: beside the sources, or into a wheel.

`python hatch_build.py` puts the native modules next to their `.py` files, where Python prefers
them. Without a C compiler it says so in one line and succeeds: the same sources run interpreted.

As hatchling's build hook it compiles only when `DAMRAK_COMPILE=1`, which makes a wheel for this
Python and platform; otherwise the wheel is pure Python and runs everywhere.
"""

import os
import shlex
import shutil
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE_ROOT = "referee"
PACKAGE = "damrak_engine"


class CompiledEngine(BuildHookInterface[Any]):
    """Adds the native modules to the wheel when the caller asks for them."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return _project(Path(self.root))["dependency-groups"]["compile"] if _wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or not _wanted():
            return
        self._scratch = tempfile.TemporaryDirectory()
        target = Path(self._scratch.name)
        for library in compile_engine(Path(self.root), target):
            build_data["force_include"][str(library)] = library.relative_to(target).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if scratch := getattr(self, "_scratch", None):
            scratch.cleanup()


def _wanted() -> bool:
    return os.environ.get("DAMRAK_COMPILE") == "1"


def _project(root: Path) -> Any:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def compile_engine(root: Path, target: Path) -> list[Path]:
    """Return the native libraries built from the engine's sources, placed under `target`."""
    # Imported late: a pure build needs neither.
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    names = _project(root)["tool"]["damrak"]["compiled-modules"]
    with tempfile.TemporaryDirectory() as scratch:
        extensions = mypycify(
            [str(root / SOURCE_ROOT / PACKAGE / f"{name}.py") for name in names],
            group_name=PACKAGE,
            target_dir=scratch,
        )
        command = build_ext(Distribution({"name": PACKAGE, "ext_modules": extensions}))
        command.build_lib = str(target)
        command.build_temp = scratch
        command.ensure_finalized()
        command.run()
        return [Path(output) for output in command.get_outputs()]


def missing_tool() -> str | None:
    """Return what stands in the way of compiling, or None."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if sys.platform != "win32" and shutil.which(compiler) is None:
        return f"no C compiler ({compiler})"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "no Python headers"
    return None


def libraries(root: Path) -> list[Path]:
    """Return the native libraries of any Python that lie beside the engine's sources."""
    found = [*(root / SOURCE_ROOT).glob("*.*"), *(root / SOURCE_ROOT / PACKAGE).glob("*.*")]
    return sorted(path for path in found if path.suffix in {".so", ".pyd"})


def main() -> int:
    """Compile the engine in place, or explain why it stays interpreted."""
    root = Path(__file__).resolve().parent
    os.chdir(root)
    # What lies there may be older than the sources, and Python would still prefer it.
    for library in libraries(root):
        library.unlink()
    if reason := missing_tool():
        print(f"engine: {reason}; running interpreted")
        return 0
    built = compile_engine(root, root / SOURCE_ROOT)
    print(f"engine: {len(built) - 1} modules compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main())

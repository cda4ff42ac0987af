"""Build hook: compiles hot modules with mypyc, in place or into a wheel, and message catalogues.

`python hatch_build.py` puts the native modules next to their `.py` files, where Python prefers
them. Without a C compiler it prints one line and succeeds: the same sources run interpreted.

As hatchling's build hook, it compiles if a C compiler is present. `DAMRAK_COMPILE=0` builds a
pure wheel that runs everywhere; `DAMRAK_COMPILE=1` turns a failure to compile into an error.
"""

import os
import platform
import shlex
import shutil
import sys
import sysconfig
import tempfile
import tomllib
import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SUFFIXES = {".so", ".pyd"}
SWITCH = "DAMRAK_COMPILE"
# mypyc puts the code that all modules share into one library, beside the lowest package.
SHARED = "damrak"
SHARED_FOLDER = "referee"
# The core of the vector environment: a library without Python, loaded by ctypes.
CORE = "damrak.env.vectorized._core"
CORE_FOLDER = Path("sdk/damrak/env/vectorized")


class CompiledModules(BuildHookInterface[Any]):
    """Build hook that adds the message catalogues and, if possible, native modules to a wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return _project(Path(self.root))["dependency-groups"]["compile"] if _wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        compile_catalogues(Path(self.root))
        if version == "editable":
            return
        build_data["force_include"][str(Path(self.root, "docs"))] = "damrak_ladder/documents"
        if not _wanted():
            return
        if _required() and (reason := missing_tool()):
            raise RuntimeError(f"{SWITCH}=1, but there is {reason}")
        self._scratch = tempfile.TemporaryDirectory()
        target = Path(self._scratch.name)
        try:
            built = compile_modules(Path(self.root), target)
        except (Exception, SystemExit) as problem:  # mypyc exits on an error
            if _required():
                raise
            reason = f"{type(problem).__name__} (DAMRAK_COMPILE=1 shows it)"
            self.app.display_warning(f"building without native code: {reason}")
            return
        for library in built:
            build_data["force_include"][str(library)] = library.relative_to(target).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if scratch := getattr(self, "_scratch", None):
            scratch.cleanup()


def _wanted() -> bool:
    """Return whether to compile: always, never, or if the tools are there."""
    if _required():
        return True
    return os.environ.get(SWITCH) != "0" and missing_tool() is None


def _required() -> bool:
    return os.environ.get(SWITCH) == "1"


def _project(root: Path) -> Any:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def _compiled(root: Path) -> dict[str, list[str]]:
    """Return the modules to compile by the folder of their package."""
    modules: dict[str, list[str]] = _project(root)["tool"]["damrak"]["compiled-modules"]
    return modules


def compile_catalogues(root: Path) -> None:
    """Compile the message catalogues of the site beside their sources."""
    sys.path.insert(0, str(root / "ladder"))
    from damrak_ladder.messages.catalogues import compile_all

    for _ in compile_all():
        pass


def compile_modules(root: Path, target: Path) -> list[Path]:
    """Return the native libraries built from the sources, placed under `target`."""
    # Imported late: a pure build does not need it.
    from mypyc.build import mypycify

    modules = _compiled(root)
    sources = [
        str(root / package / f"{name}.py") for package, names in modules.items() for name in names
    ]
    # `make check` checks types, so its stubs are not needed here.
    os.environ["MYPYPATH"] = os.pathsep.join(sorted({str((root / p).parent) for p in modules}))
    options = ["--config-file=", "--explicit-package-bases", "--ignore-missing-imports"]
    with tempfile.TemporaryDirectory() as scratch:
        # Modules of one group call each other directly instead of through Python.
        extensions = mypycify([*options, *sources], group_name=SHARED, target_dir=scratch)
        return [*build_extensions(extensions, target), build_core(root, target)]


def build_core(root: Path, target: Path, flags: tuple[str, ...] = ()) -> Path:
    """Return the native core of the vector environment, built under `target`."""
    from setuptools import Extension

    folder = root / CORE_FOLDER
    source = (folder / "rules.h").read_bytes() + (folder / "core.c").read_bytes()
    if sys.platform != "win32":
        flags = ("-O3", *_popcount(), *flags)
    core = Extension(
        CORE,
        [str(folder / "core.c")],
        depends=[str(folder / "rules.h")],
        # The core knows its source, so that an outdated one is noticed.
        define_macros=[("DAMRAK_SOURCE", str(zlib.crc32(source)))],
        extra_compile_args=list(flags),
        extra_link_args=list(flags),
    )
    return build_extensions([core], target)[0]


def _popcount() -> tuple[str, ...]:
    """Return the flag for an instruction that numpy requires as well, where it is an option."""
    return ("-mpopcnt",) if platform.machine() in ("x86_64", "AMD64") else ()


def build_extensions(extensions: list[Any], target: Path) -> list[Path]:
    """Return these extensions, built under `target`."""
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    class Build(build_ext):
        def get_export_symbols(self, ext: Any) -> list[str]:
            # The core has no PyInit function, and marks what it exports itself.
            if ext.name == CORE:
                return []
            symbols: list[str] = super().get_export_symbols(ext)  # type: ignore[no-untyped-call]
            return symbols

    with tempfile.TemporaryDirectory() as scratch:
        command = Build(Distribution({"name": SHARED, "ext_modules": extensions}))
        command.build_lib = str(target)
        command.build_temp = scratch
        command.ensure_finalized()
        command.run()
        return [Path(output) for output in command.get_outputs()]


def missing_tool() -> str | None:
    """Return the missing requirement for compiling, or None."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if sys.platform != "win32" and shutil.which(compiler) is None:
        return f"no C compiler ({compiler})"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "no Python headers"
    return None


def libraries(root: Path) -> list[Path]:
    """Return the native libraries, for any version of Python, beside the sources."""
    packages = [root / package for package in _compiled(root)]
    found = [path for package in packages for path in package.rglob("*.*")]
    found += (root / SHARED_FOLDER).glob("*.*")
    found += (root / CORE_FOLDER).glob("*.*")
    return sorted(path for path in found if path.suffix in SUFFIXES)


def main() -> int:
    """Compile in place, or print why the sources run interpreted."""
    root = Path(__file__).resolve().parent
    os.chdir(root)
    # Existing libraries may be older than the sources, and Python would still prefer them.
    for library in libraries(root):
        library.unlink()
    if reason := missing_tool():
        print(f"engine: {reason}; running interpreted")
        return 0
    folders = {Path(package).name: Path(package).parent for package in _compiled(root)}
    folders[CORE.partition(".")[0]] = CORE_FOLDER.parents[2]
    with tempfile.TemporaryDirectory() as scratch:
        built = compile_modules(root, Path(scratch))
        for library in built:
            place = library.relative_to(scratch)
            shutil.move(library, root / folders.get(place.parts[0], SHARED_FOLDER) / place)
    print(f"engine and referee: {len(built) - 2} modules compiled; vector environment: built")
    return 0


if __name__ == "__main__":
    sys.exit(main())

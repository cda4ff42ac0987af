"""The files in a bot's sandbox: an interpreter, and the packages named here.

Everything is mounted from where this process has it, so nothing is copied and nothing can be
older than the referee. Packages that are not named are absent: our own that bots do not need, and
any others that happen to be installed beside them.
"""

from __future__ import annotations

import compileall
import contextlib
import importlib.metadata
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

OURS: Final = ("damrak", "damrak_engine", "damrak_proto", "damrak_statistics", "damrak_wire")
DISTRIBUTIONS: Final = (
    "grpcio",
    "protobuf",
    "typing_extensions",
    "numpy",
    "scipy",
    "networkx",
    "onnxruntime",
    "flatbuffers",  # this and packaging are requirements of onnxruntime
    "packaging",
)
_KEPT: Final = frozenset({"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH"})
ALWAYS_IMPORTED: Final = ("grpcio", "protobuf", "typing_extensions")
PYTHON: Final = "/runtime/python"
SITE: Final = "/runtime/site"
_SYSTEM: Final = Path("/usr")
_SYSTEM_LINKS: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# Needed by the loader and by links in /usr/bin; they reveal nothing about this machine's users.
_SYSTEM_FILES: Final = ("/etc/ld.so.cache", "/etc/alternatives")


@dataclass(frozen=True, slots=True)
class Runtime:
    """The content of a sandbox. Each pair is a path outside and its path inside."""

    interpreter: str
    environment: tuple[tuple[str, str], ...]
    binds: tuple[tuple[str, str], ...]
    folders: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    masks: tuple[str, ...]
    """Folders inside the mounts that must look empty."""
    exposed: tuple[str, ...]
    """The operator's folders, at the same path inside as outside."""


def find_runtime(expose: Sequence[Path] = ()) -> Runtime:
    """Return the runtime that this process itself runs on."""
    base = Path(sys.base_prefix).resolve()
    program = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    in_system = base == _SYSTEM or _SYSTEM in base.parents
    binds = [(str(_SYSTEM), str(_SYSTEM))]
    folders: set[str] = {SITE}
    interpreter, home = str(program), str(base)
    if not in_system:
        home = PYTHON
        interpreter = f"{PYTHON}/{program.relative_to(base)}"
        binds.append((str(base), PYTHON))
    masks = [f"{home}/{path.relative_to(base)}" for path in _other_packages(base)]
    packages = dict(sorted(_packages()))
    folders.update(str(Path(f"{SITE}/{name}").parent) for name in packages)
    binds += [(str(path), f"{SITE}/{name}") for name, path in packages.items()]
    for path in map(Path, _SYSTEM_FILES):
        if path.exists():
            folders.add(str(path.parent))
            binds.append((str(path), str(path)))
    programs = [f"{home}/bin", *(f"{path}/bin" for path in expose), "/usr/local/bin", "/usr/bin"]
    environment = {
        "PATH": ":".join(dict.fromkeys(programs)),
        "HOME": "/tmp",  # noqa: S108 - its own
        "TMPDIR": "/tmp",  # noqa: S108
        "LANG": "C.UTF-8",
        "PYTHONPATH": SITE,
        "PYTHONSAFEPATH": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONHASHSEED": "0",  # for reproducible behaviour of bots
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",  # so that output is not lost if the bot crashes
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    if not in_system:
        environment["LD_LIBRARY_PATH"] = f"{PYTHON}/lib"
    return Runtime(
        interpreter=interpreter,
        environment=tuple(environment.items()),
        binds=tuple(binds),
        folders=tuple(sorted(with_parents(folders))),
        links=tuple(_links()),
        masks=tuple(masks),
        exposed=tuple(str(path) for path in expose if path.exists()),
    )


def compile_packages() -> None:
    """Compile packages that every bot imports but cannot write to; skip read-only folders.

    Our own may have changed; other packages were compiled on installation, or never.
    """
    for name in OURS:
        with contextlib.suppress(OSError):
            compileall.compile_dir(str(_package(name)), quiet=2)
    for name in ALWAYS_IMPORTED:
        with contextlib.suppress(OSError, importlib.metadata.PackageNotFoundError):
            for _, path in list(_content(importlib.metadata.distribution(name))):
                if path.suffix == ".py":
                    compileall.compile_file(str(path), quiet=2)
                elif path.is_dir() and not (path / "__pycache__").exists():
                    compileall.compile_dir(str(path), quiet=2)


def _packages() -> Iterator[tuple[str, Path]]:
    """Yield importable packages, each with its path below the folder of packages."""
    for name in OURS:
        yield name, _package(name)
    engine = _package("damrak_engine").parent
    for library in engine.glob("*__mypyc*"):  # the native engine's shared library
        if _is_ours(library):
            yield library.name, library
    for distribution in DISTRIBUTIONS:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            yield from _content(importlib.metadata.distribution(distribution))


def _content(distribution: importlib.metadata.Distribution) -> Iterator[tuple[str, Path]]:
    """Yield the topmost files and folders that belong only to this distribution."""
    files = [
        line.partition(",")[0].strip('"')
        for line in (distribution.read_text("RECORD") or "").splitlines()
    ]
    packages = {file.partition("/")[0] for file in files if file.count("/") == 1}
    places = set()
    for file in files:
        parts = file.split("/")
        if parts[0] in ("", "..", "__pycache__") or file.startswith("/"):
            continue
        shared = len(parts) > 2 and parts[0] not in packages  # many distributions share `google`
        places.add("/".join(parts[: 2 if shared else 1]))
    for place in places:
        path = Path(str(distribution.locate_file(place)))
        if path.exists():
            yield place, path
        if path.suffix == ".py":  # its bytecode is in a shared folder
            bytecode = Path(importlib.util.cache_from_source(path))
            if bytecode.exists():
                yield f"{bytecode.parent.name}/{bytecode.name}", bytecode


def _is_ours(library: Path) -> bool:
    """Return whether a compiled library beside the engine is part of it."""
    try:
        record = importlib.metadata.distribution("damrak").read_text("RECORD") or ""
    except importlib.metadata.PackageNotFoundError:
        record = ""
    return f"{library.name}," in record or not any(library.parent.glob("*.dist-info"))


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    assert found is not None, f"{name} is not installed"
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0]).resolve()


def _other_packages(base: Path) -> Iterator[Path]:
    """Yield the package folders that would be mounted along with the interpreter."""
    paths = {Path(path) for path in sys.path if path.endswith(("site-packages", "dist-packages"))}
    for name in ("purelib", "platlib"):
        paths.add(Path(sysconfig.get_path(name, vars={"base": str(base), "platbase": str(base)})))
    for path in sorted(paths):
        real = path.resolve()
        if base in real.parents and real.is_dir():
            yield real


def _links() -> Iterator[tuple[str, str]]:
    for name in _SYSTEM_LINKS:
        with contextlib.suppress(OSError):
            yield os.readlink(f"/{name}").lstrip("/"), f"/{name}"


def with_parents(folders: Collection[str]) -> set[str]:
    """Return the folders with all their parents, so that none is created with other permissions."""
    everything = set(folders)
    for folder in folders:
        everything.update(str(parent) for parent in Path(folder).parents)
    return everything - {"/"}


def plain_environment(packages: Path | None = None) -> dict[str, str]:
    """Return the environment of a bot that runs as a plain process, with a folder of packages."""
    kept = {name: os.environ[name] for name in _KEPT & os.environ.keys()}
    if packages is not None:
        paths = [kept.get("PYTHONPATH", ""), str(packages)]
        kept["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return {**kept, "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1"}

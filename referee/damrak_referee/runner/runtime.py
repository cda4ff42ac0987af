"""The files a bot finds in its sandbox: an interpreter, and packages that are named here.

Everything is mounted from where this process has it itself, so nothing is copied and nothing can
be older than the referee. What is not named is not there; ours that a bot has no business with
are not, and neither is what else happens to be installed beside them.
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

OURS: Final = ("damrak", "damrak_engine", "damrak_proto", "damrak_wire")
DISTRIBUTIONS: Final = ("grpcio", "protobuf", "typing_extensions", "numpy", "scipy", "networkx")
ALWAYS_IMPORTED: Final = ("grpcio", "protobuf", "typing_extensions")
PYTHON: Final = "/runtime/python"
SITE: Final = "/runtime/site"
_SYSTEM: Final = Path("/usr")
_SYSTEM_LINKS: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# What the loader and links in /usr/bin look up; nothing in them is about this machine's users.
_SYSTEM_FILES: Final = ("/etc/ld.so.cache", "/etc/alternatives")


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a sandbox shows. Each pair is a path outside and where it is inside."""

    interpreter: str
    environment: tuple[tuple[str, str], ...]
    binds: tuple[tuple[str, str], ...]
    folders: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    masks: tuple[str, ...]
    """Folders inside what is mounted that are to look empty."""
    exposed: tuple[str, ...]
    """The operator's own folders, at the same place inside as outside."""


def find_runtime(expose: Sequence[Path] = ()) -> Runtime:
    """The runtime that this very process runs on."""
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
        "PYTHONHASHSEED": "0",  # a bot that does the same twice is to be the same twice
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",  # what it printed must not die with it
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
    """Bytecode for what every bot imports, who cannot write it; read-only folders stay as they are.

    Ours may have changed; those of others have it from their installation, or never had any.
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
    """What may be imported, by its place below the folder of packages."""
    for name in OURS:
        yield name, _package(name)
    engine = _package("damrak_engine").parent
    for library in engine.glob("*__mypyc*"):  # the native engine's shared part
        if _is_ours(library):
            yield library.name, library
    for distribution in DISTRIBUTIONS:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            yield from _content(importlib.metadata.distribution(distribution))


def _content(distribution: importlib.metadata.Distribution) -> Iterator[tuple[str, Path]]:
    """The topmost files and folders that belong to this distribution alone."""
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
        shared = len(parts) > 2 and parts[0] not in packages  # `google` is of many
        places.add("/".join(parts[: 2 if shared else 1]))
    for place in places:
        path = Path(str(distribution.locate_file(place)))
        if path.exists():
            yield place, path
        if path.suffix == ".py":  # its bytecode lies beside that of others
            bytecode = Path(importlib.util.cache_from_source(path))
            if bytecode.exists():
                yield f"{bytecode.parent.name}/{bytecode.name}", bytecode


def _is_ours(library: Path) -> bool:
    """Whether a compiled library beside the engine is the engine's, not another package's."""
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
    """Where packages lie that would come along with the interpreter."""
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
    """These and all above them, so that nothing has to make them with rights of its own."""
    everything = set(folders)
    for folder in folders:
        everything.update(str(parent) for parent in Path(folder).parents)
    return everything - {"/"}

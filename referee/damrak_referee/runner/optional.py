"""Optional runtimes: folders of Python packages that a bot can choose in its `damrak.toml`.

    FOLDER/torch/runtime.toml   its settings
    FOLDER/torch/site/          its packages, as `pip install --target` writes them

The packages are added to those of the default runtime, in the sandboxes of bots that choose it.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from damrak_archive.limits import CEILING, RuntimeLimits
from damrak_archive.manifest import RUNTIME
from damrak_referee.runner.runtime import Runtime
from damrak_referee.runner.settings import RunnerSettings

SETTINGS: Final = "runtime.toml"
PACKAGES: Final = "site"
INSIDE: Final = "/runtime/optional"
PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
MOST_MEMORY_MB: Final = 1 << 20
_MOST_MODULES: Final = 20


@dataclass(frozen=True, slots=True)
class OptionalSettings:
    """The settings in `runtime.toml`. MiB are 2^20 bytes."""

    imports: tuple[str, ...]
    """Modules whose import is measured."""
    memory_mb: int = 2048
    archive_mb: int = 64
    unpacked_mb: int = 256
    mapped_mb: int = 0
    """Size of the files that a bot may map in addition to its memory."""
    python: str = PYTHON

    def to_toml(self) -> str:
        """Return the text of the file."""
        lines = []
        for field in fields(self):
            value = getattr(self, field.name)
            said = f"[{', '.join(map(_quoted, value))}]" if isinstance(value, tuple) else value
            lines.append(f"{field.name} = {_quoted(said) if field.name == 'python' else said}\n")
        return "".join(lines)


@dataclass(frozen=True, slots=True)
class OptionalRuntime:
    """An installed optional runtime; `packages` is the folder of its packages."""

    name: str
    packages: Path
    settings: OptionalSettings

    @property
    def limits(self) -> RuntimeLimits:
        """The limits of archives of bots that choose it."""
        return RuntimeLimits(self.settings.archive_mb, self.settings.unpacked_mb)

    def bounded(self, settings: RunnerSettings) -> RunnerSettings:
        """Return the settings of a runner with the limits of this runtime."""
        return replace(
            settings,
            memory_mb=self.settings.memory_mb,
            archive_mb=self.settings.archive_mb,
            unpacked_mb=self.settings.unpacked_mb,
            mapped_mb=self.settings.mapped_mb,
        )

    def extended(self, runtime: Runtime) -> Runtime:
        """Return the default runtime with the packages of this one.

        The default packages come first, so that the SDK runs with the versions it was tested with.
        """
        environment = dict(runtime.environment)
        environment["PYTHONPATH"] = f"{environment['PYTHONPATH']}:{INSIDE}"
        return replace(
            runtime,
            environment=tuple(environment.items()),
            binds=(*runtime.binds, (str(self.packages), INSIDE)),
        )


class UnfitRuntime(Exception):
    """An optional runtime that cannot be used; the message is one line."""


def find_runtimes(folder: Path | None) -> tuple[dict[str, OptionalRuntime], list[str]]:
    """Return the usable optional runtimes in a folder by name, and what is wrong with others."""
    found: dict[str, OptionalRuntime] = {}
    problems: list[str] = []
    if folder is None or not folder.is_dir():
        return found, problems
    for place in sorted(folder.iterdir()):
        if not RUNTIME.fullmatch(place.name) or not (place / SETTINGS).is_file():
            continue
        try:
            found[place.name] = read_runtime(place)
        except UnfitRuntime as problem:
            problems.append(str(problem))
    return found, problems


def largest_archive_mb(folder: Path, default: int) -> int:
    """Return the maximum size of an archive, of bots with and without an optional runtime."""
    found, _ = find_runtimes(folder)
    return max([default, *(one.limits.archive_mb for one in found.values())])


def read_runtime(place: Path) -> OptionalRuntime:
    """Return the optional runtime in a folder.

    Raises:
        UnfitRuntime: its settings are invalid, or it is for another version of Python.
    """
    file = place / SETTINGS
    try:
        said = tomllib.loads(file.read_text("utf-8"))
    except OSError as problem:
        raise UnfitRuntime(f"{file}: {(problem.strerror or 'cannot be read').lower()}") from None
    except ValueError as problem:
        raise UnfitRuntime(f"{file}: not TOML: {problem}") from None
    settings = _settings(file, said)
    if settings.python != PYTHON:
        raise UnfitRuntime(
            f"{place}: for Python {settings.python}, but bots run on {PYTHON}: install it again"
        )
    if not (place / PACKAGES).is_dir():
        raise UnfitRuntime(f"{place / PACKAGES}: no such folder: install the runtime again")
    return OptionalRuntime(place.name, (place / PACKAGES).resolve(), settings)


def check_settings(said: Mapping[str, Any]) -> OptionalSettings:
    """Return validated settings.

    Raises:
        ValueError: one is missing, unknown or out of range.
    """
    known = {field.name for field in fields(OptionalSettings)}
    if unknown := sorted(said.keys() - known):
        raise ValueError(f"{unknown[0]}: there is no such setting")
    imports = said.get("imports")
    if not (
        isinstance(imports, (list, tuple))
        and 0 < len(imports) <= _MOST_MODULES
        and all(isinstance(one, str) and one.isidentifier() and one.isascii() for one in imports)
    ):
        raise ValueError(f"imports: give 1 to {_MOST_MODULES} names of modules")
    if not isinstance(said.get("python", PYTHON), str):
        raise ValueError("python: not a text")
    most = {
        "memory_mb": MOST_MEMORY_MB,
        "archive_mb": CEILING.archive_mb,
        "unpacked_mb": CEILING.unpacked_mb,
        "mapped_mb": MOST_MEMORY_MB,
    }
    for name, bound in most.items():
        value, least = said.get(name), 0 if name == "mapped_mb" else 1
        if value is not None and (type(value) is not int or not least <= value <= bound):
            raise ValueError(f"{name}: not a number from {least} to {bound}")
    return OptionalSettings(**{**said, "imports": tuple(imports)})


def _settings(file: Path, said: Mapping[str, Any]) -> OptionalSettings:
    try:
        return check_settings(said)
    except ValueError as problem:
        raise UnfitRuntime(f"{file}: {problem}") from None


def _quoted(text: object) -> str:
    return f'"{text}"'

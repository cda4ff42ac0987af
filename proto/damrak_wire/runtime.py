"""The contents of the sandbox of uploaded bots: interpreters, packages, limits, processor.

The runner reports them as JSON, the referee as a message, and the ladder publishes them as JSON
again. Every reader uses `parse_runtime`, which checks names, types and sizes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from damrak_proto.v1 import control_pb2 as pb
from damrak_wire.errors import WireError

MOST_INTERPRETERS: Final = 40
MOST_PACKAGES: Final = 400
MOST_MODULES: Final = 100
MOST_RUNTIMES: Final = 20
LONGEST: Final = 120
MOST: Final = 2**32 - 1
_PRINTABLE: Final = re.compile(r"[ -~]*")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A program on the PATH of bots; `version` is empty if it does not print one."""

    name: str
    version: str
    path: str


@dataclass(frozen=True, slots=True)
class PythonPackage:
    """An installed distribution and the top-level modules that it provides."""

    name: str
    version: str
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BotLimits:
    """The limits of one bot in one match; control.proto explains every field."""

    memory_mb: int
    memory_is_shared: bool
    cpu_millis: int
    cpu_seconds: int
    processes: int
    open_files: int
    file_mb: int
    tmp_mb: int
    shm_mb: int
    output_bytes: int
    output_kept_bytes: int
    start_ms: int
    archive_mb: int
    unpacked_mb: int
    archive_files: int


@dataclass(frozen=True, slots=True)
class OptionalRuntime:
    """A runtime that bots can choose by name; control.proto explains every field."""

    name: str
    imports: tuple[str, ...]
    packages: tuple[PythonPackage, ...]
    memory_mb: int
    archive_mb: int
    unpacked_mb: int
    import_ms: int
    import_cpu_ms: int
    import_memory_mb: int
    import_threads: int


@dataclass(frozen=True, slots=True)
class BotRuntime:
    """The contents of the sandbox of uploaded bots."""

    python: str
    platform: str
    cpu: str
    processors: int
    interpreters: tuple[Interpreter, ...]
    packages: tuple[PythonPackage, ...]
    limits: BotLimits
    runtimes: tuple[OptionalRuntime, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that `parse_runtime` reads."""
        said = asdict(self)
        said["interpreters"] = list(said["interpreters"])
        said["packages"] = _lists(said["packages"], "modules")
        said["runtimes"] = [
            one | {"packages": _lists(one["packages"], "modules")}
            for one in _lists(said["runtimes"], "imports")
        ]
        return said


_MOST: Final[Mapping[type, int]] = {
    Interpreter: MOST_INTERPRETERS,
    PythonPackage: MOST_PACKAGES,
    OptionalRuntime: MOST_RUNTIMES,
}


def parse_runtime(said: object) -> BotRuntime:
    """Return the runtime in a JSON object.

    Raises:
        WireError: a field is missing or unknown, or a value has the wrong type or size.
    """
    table = _table(said, "runtime", BotRuntime)
    limits = _table(table["limits"], "limits", BotLimits)
    return BotRuntime(
        python=_text(table["python"], "python"),
        platform=_text(table["platform"], "platform"),
        cpu=_text(table["cpu"], "cpu"),
        processors=_number(table["processors"], "processors"),
        interpreters=tuple(
            Interpreter(**{name: _text(value, name) for name, value in one.items()})
            for one in _tables(table["interpreters"], "interpreters", Interpreter)
        ),
        packages=_packages(table["packages"]),
        limits=BotLimits(**{name: _limit(value, name) for name, value in limits.items()}),
        runtimes=tuple(map(_optional, _tables(table["runtimes"], "runtimes", OptionalRuntime))),
    )


def encode_runtime(runtime: BotRuntime) -> pb.BotRuntime:
    """Return the runtime as a message."""
    return pb.BotRuntime(
        python=runtime.python,
        platform=runtime.platform,
        cpu=runtime.cpu,
        processors=runtime.processors,
        interpreters=[pb.Interpreter(**asdict(one)) for one in runtime.interpreters],
        packages=[pb.PythonPackage(**asdict(one)) for one in runtime.packages],
        limits=pb.BotLimits(**asdict(runtime.limits)),
        runtimes=[
            pb.OptionalRuntime(
                **asdict(one)
                | {"packages": [pb.PythonPackage(**asdict(it)) for it in one.packages]}
            )
            for one in runtime.runtimes
        ],
    )


def decode_runtime(message: pb.BotRuntime) -> BotRuntime:
    """Return the runtime in a message.

    Raises:
        WireError: it contains more than a runtime can.
    """
    return parse_runtime(
        {
            "python": message.python,
            "platform": message.platform,
            "cpu": message.cpu,
            "processors": message.processors,
            "interpreters": [
                {"name": one.name, "version": one.version, "path": one.path}
                for one in message.interpreters
            ],
            "packages": _decoded(message.packages),
            "runtimes": [
                {field.name: getattr(one, field.name) for field in fields(OptionalRuntime)}
                | {"imports": list(one.imports), "packages": _decoded(one.packages)}
                for one in message.runtimes
            ],
            "limits": {one.name: getattr(message.limits, one.name) for one in fields(BotLimits)},
        }
    )


def _lists(tables: Iterable[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the tables with one of their fields as a list."""
    return [one | {name: list(one[name])} for one in tables]


def _decoded(packages: Iterable[pb.PythonPackage]) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "version": one.version, "modules": list(one.modules)} for one in packages
    ]


def _packages(said: object) -> tuple[PythonPackage, ...]:
    return tuple(
        PythonPackage(
            _text(one["name"], "packages.name"),
            _text(one["version"], "packages.version"),
            _texts(one["modules"], "packages.modules"),
        )
        for one in _tables(said, "packages", PythonPackage)
    )


def _optional(said: Mapping[str, Any]) -> OptionalRuntime:
    numbers = {
        name: _number(value, f"runtimes.{name}")
        for name, value in said.items()
        if name not in ("name", "imports", "packages")
    }
    return OptionalRuntime(
        name=_text(said["name"], "runtimes.name"),
        imports=_texts(said["imports"], "runtimes.imports"),
        packages=_packages(said["packages"]),
        **numbers,
    )


def _texts(said: object, where: str) -> tuple[str, ...]:
    return tuple(_text(one, where) for one in _list(said, where, MOST_MODULES))


def _table(said: object, where: str, kind: type) -> Mapping[str, Any]:
    if not isinstance(said, Mapping):
        raise WireError(where, "is not an object")
    wanted = {field.name for field in fields(kind)}
    if said.keys() != wanted:
        names = ", ".join(sorted(map(repr, said.keys() ^ wanted))[:3])
        raise WireError(where, f"has missing or unknown fields: {names:.200}")
    return said


def _tables(said: object, where: str, kind: type) -> list[Mapping[str, Any]]:
    return [_table(one, where, kind) for one in _list(said, where, _MOST[kind])]


def _list(said: object, where: str, most: int) -> list[Any]:
    if not isinstance(said, list):
        raise WireError(where, "is not a list")
    if len(said) > most:
        raise WireError(where, f"has {len(said)} entries, more than {most}")
    return said


def _text(said: object, where: str) -> str:
    if not isinstance(said, str) or len(said) > LONGEST or not _PRINTABLE.fullmatch(said):
        raise WireError(where, f"is not a line of at most {LONGEST} ASCII characters")
    return said


def _number(said: object, where: str) -> int:
    if type(said) is not int or not 0 <= said <= MOST:
        raise WireError(where, f"is not a number from 0 to {MOST}")
    return said


def _limit(said: object, name: str) -> Any:
    if name != "memory_is_shared":
        return _number(said, f"limits.{name}")
    if type(said) is not bool:
        raise WireError(f"limits.{name}", "is neither true nor false")
    return said

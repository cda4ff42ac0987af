"""What uploaded bots find in their sandbox: interpreters, packages, limits, processor.

The runner reports it as JSON, the referee as a message, and the ladder publishes it as JSON again.
Every reader uses `parse_runtime`, which checks names, types and sizes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from damrak_proto.v1 import control_pb2 as pb
from damrak_wire.errors import WireError

MOST_INTERPRETERS: Final = 40
MOST_PACKAGES: Final = 400
MOST_MODULES: Final = 100
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
    """What one bot in one match may use; control.proto explains every field."""

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
class BotRuntime:
    """What uploaded bots find in their sandbox."""

    python: str
    platform: str
    cpu: str
    processors: int
    interpreters: tuple[Interpreter, ...]
    packages: tuple[PythonPackage, ...]
    limits: BotLimits

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that `parse_runtime` reads."""
        said = asdict(self)
        said["interpreters"] = list(said["interpreters"])
        said["packages"] = [one | {"modules": list(one["modules"])} for one in said["packages"]]
        return said


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
        packages=tuple(
            PythonPackage(
                _text(one["name"], "packages.name"),
                _text(one["version"], "packages.version"),
                tuple(
                    _text(module, "packages.modules")
                    for module in _list(one["modules"], "packages.modules", MOST_MODULES)
                ),
            )
            for one in _tables(table["packages"], "packages", PythonPackage)
        ),
        limits=BotLimits(**{name: _limit(value, name) for name, value in limits.items()}),
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
    )


def decode_runtime(message: pb.BotRuntime) -> BotRuntime:
    """Return the runtime in a message.

    Raises:
        WireError: it holds more than a runtime can.
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
            "packages": [
                {"name": one.name, "version": one.version, "modules": list(one.modules)}
                for one in message.packages
            ],
            "limits": {one.name: getattr(message.limits, one.name) for one in fields(BotLimits)},
        }
    )


def _table(said: object, where: str, kind: type) -> Mapping[str, Any]:
    if not isinstance(said, Mapping):
        raise WireError(where, "is not an object")
    wanted = {field.name for field in fields(kind)}
    if said.keys() != wanted:
        names = ", ".join(sorted(map(repr, said.keys() ^ wanted))[:3])
        raise WireError(where, f"has missing or unknown fields: {names:.200}")
    return said


def _tables(said: object, where: str, kind: type) -> list[Mapping[str, Any]]:
    most = MOST_PACKAGES if kind is PythonPackage else MOST_INTERPRETERS
    return [_table(one, where, kind) for one in _list(said, where, most)]


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

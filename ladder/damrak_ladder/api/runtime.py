"""API of the runtime of uploaded bots: interpreters, packages, limits and processors."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema
from typing_extensions import TypeAliasType

from damrak_ladder.api.access import everybody
from damrak_ladder.api.answers import set_public
from damrak_ladder.matches.runtimes import offer

router = Router(tags=["runtime"])


class InterpreterShape(Schema):
    """A command on the PATH of bots."""

    name: str
    version: str
    """Empty if it does not print one."""
    path: str
    """Inside the sandbox."""


class PackageShape(Schema):
    """A Python distribution and the modules that it provides."""

    name: str
    version: str
    modules: list[str]


class LimitsShape(Schema):
    """The limits of one bot in one match; 0 means no limit of its own."""

    memory_mb: int
    memory_is_shared: bool
    """Whether all processes of a bot share this memory, rather than each having as much."""
    cpu_millis: int
    """1000 is one processor."""
    cpu_seconds: int
    processes: int
    open_files: int
    file_mb: int
    tmp_mb: int
    shm_mb: int
    output_bytes: int
    """The bot is stopped after printing this many bytes."""
    output_kept_bytes: int
    start_ms: int
    """The time within which a bot has to be ready."""
    archive_mb: int
    unpacked_mb: int
    archive_files: int


class OptionalRuntimeShape(Schema):
    """Packages that a bot chooses with `runtime` in its damrak.toml, with limits of their own."""

    name: str
    imports: list[str]
    """The modules whose import was measured in a sandbox."""
    packages: list[PackageShape]
    """In addition to those of the default runtime."""
    memory_mb: int
    """Instead of that of `limits`."""
    archive_mb: int
    unpacked_mb: int
    import_ms: int
    import_cpu_ms: int
    """Of these milliseconds the processor time."""
    import_memory_mb: int
    """Peak memory of the process, in MiB."""
    import_threads: int


class BotRuntimeShape(Schema):
    """The environment of a bot in its sandbox."""

    python: str
    platform: str
    cpu: str
    processors: int
    interpreters: list[InterpreterShape]
    packages: list[PackageShape]
    limits: LimitsShape
    runtimes: list[OptionalRuntimeShape]


class HostRuntimeShape(Schema):
    """The runtime of one host; `isolation` is "full", "user" or "unsafe"."""

    host: str
    isolation: str
    at: datetime
    """When the host last sent a heartbeat."""
    runtime: BotRuntimeShape


ValueByHost = TypeAliasType("ValueByHost", dict[str, str | None])


class DifferenceShape(Schema):
    """A difference between hosts; null means that a host does not have it."""

    kind: str
    name: str
    values: ValueByHost


class RuntimeShape(Schema):
    """The runtimes of all hosts; `common` is null if no host has reported."""

    hosts: list[HostRuntimeShape]
    common: BotRuntimeShape | None
    """If hosts differ, a text is empty and a number is the lowest of all."""
    differences: list[DifferenceShape]


@router.get(
    "/runtime",
    auth=everybody,
    response=RuntimeShape,
    operation_id="get_runtime",
    summary="The runtime of uploaded bots",
)
def runtime(request: HttpRequest, response: HttpResponse) -> RuntimeShape:
    """Return interpreters, packages, limits and processors, as reported by hosts' sandboxes."""
    set_public(response, 60)
    found = offer(timezone.now())
    names = [one.host for one in found.hosts]
    common = None if found.common is None else BotRuntimeShape(**found.common.to_json())
    return RuntimeShape(
        hosts=[
            HostRuntimeShape(**asdict(one) | {"runtime": BotRuntimeShape(**one.runtime.to_json())})
            for one in found.hosts
        ],
        common=common,
        differences=[
            DifferenceShape(
                kind=one.kind, name=one.name, values=dict(zip(names, one.values, strict=True))
            )
            for one in found.differences
        ],
    )

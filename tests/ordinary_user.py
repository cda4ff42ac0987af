"""Runs a command as an ordinary user: `unshare --mount python ordinary_user.py UID COMMAND…`.

Root's interpreter may be in a folder that only root may enter. In a private mount namespace that
folder is replaced by one that all users may enter, which contains only what the command requires.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

NEEDED = [
    Path(sys.base_prefix).resolve(),
    Path(sys.prefix).resolve(),
    Path(__file__).resolve().parents[1],
]


def closed_to_others(path: Path) -> Path | None:
    """Return the topmost folder of the path that other users may not enter."""
    ways = [*reversed(path.parents), path]
    return next((folder for folder in ways if not folder.stat().st_mode & 0o001), None)


def mount(*arguments: object) -> None:
    """Mount a file system, or exit."""
    subprocess.run(["mount", *map(str, arguments)], check=True)


def open_ways() -> None:
    """Make all required files reachable."""
    mount("--make-rprivate", "/")
    closed = {path: gate for path in NEEDED if (gate := closed_to_others(path)) is not None}
    aside = Path("/mnt")
    mount("-t", "tmpfs", "tmpfs", aside)
    for number, path in enumerate(closed):
        place = aside / str(number)
        place.mkdir()
        mount("--bind", path, place)
    for gate in set(closed.values()):
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", gate)
    for number, path in enumerate(closed):
        path.mkdir(parents=True, exist_ok=True)
        mount("--bind", aside / str(number), path)


def main() -> None:
    """Replace this process by the command, run as that user."""
    uid = int(sys.argv[1])
    open_ways()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.environ["HOME"] = "/tmp"
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()

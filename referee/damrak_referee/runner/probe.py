"""A probe run inside a sandbox: checks that everything forbidden fails and the rest works.

It uses only the standard library, and prints the problems found as JSON.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterable

PR_GET_NO_NEW_PRIVS = 39


def problems(expected: dict[str, object]) -> list[str]:
    """Return all problems found."""
    found = [
        *_readable(("/etc/shadow", "/etc/passwd", "/root", "/home", "/var", "/sys", "/boot")),
        *_readable(expected["hidden"]),  # type: ignore[arg-type]
        *_rights(expected["uid"]),  # type: ignore[arg-type]
        *_processes(),
        *_networks(),
        *_writable(),
    ]
    if unexpected := sorted(os.environ.keys() - set(expected["environment"])):  # type: ignore[call-overload]
        found.append(f"variables of the runner are seen: {', '.join(unexpected)}")
    if not os.access("/runtime/site/damrak/__init__.py", os.R_OK):
        found.append("the SDK cannot be read by the bot's user: check the rights of its folder")
    return found


def _readable(paths: Iterable[str]) -> list[str]:
    return [f"{path} is seen" for path in paths if os.path.lexists(path)]


def _rights(uid: int) -> list[str]:
    with open("/proc/self/status") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    found = []
    if set(status["Uid"].split()) != {str(uid)} or set(status["Gid"].split()) != {str(uid)}:
        found.append(f"runs as user {status['Uid'].split()[0]}, not as {uid}")
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        if int(status[name], 16):
            found.append(f"keeps capabilities ({name} {status[name]})")
    if status.get("NoNewPrivs") != "1":
        found.append("may gain privileges")
    if status.get("Seccomp") != "2":
        found.append("no filter of system calls is in force")
    return found


def _processes() -> list[str]:
    seen = [name for name in os.listdir("/proc") if name.isdigit()]
    found = []
    if len(seen) > 3:
        found.append("processes outside are seen")
    for name, what in (("environ", "environment"), ("mem", "memory"), ("cmdline", "command line")):
        try:
            with open(f"/proc/1/{name}", "rb") as file:
                if name == "mem" or file.read():
                    found.append(f"the {what} of process 1 is seen")
        except OSError:
            pass
    return found


def _networks() -> list[str]:
    found = []
    for family, name in ((socket.AF_INET, "IPv4"), (socket.AF_INET6, "IPv6")):
        try:
            socket.socket(family).close()
        except OSError:
            continue
        found.append(f"{name} sockets can be made")
    return found


def _writable() -> list[str]:
    found = []
    for folder in ("/", "/usr", "/dev", "/run", "/runtime", "/runtime/site", "/proc"):
        path = os.path.join(folder, "probe")
        try:
            os.mkdir(path)
        except OSError:
            continue
        found.append(f"{folder} can be written to")
    try:
        os.mkdir("/tmp/probe")  # noqa: S108 - the sandbox's own
    except OSError:
        found.append("/tmp cannot be written to")  # noqa: S108
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(problems(json.loads(sys.argv[1]))))

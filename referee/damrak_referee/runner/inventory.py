"""The inventory of a bot's sandbox, collected from inside it.

This runs with nothing but the standard library and prints one JSON object. With names of modules
as arguments, it measures their import instead.
"""

from __future__ import annotations

import concurrent.futures
import importlib
import importlib.metadata
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import time

# Each with the arguments that make it print its version.
INTERPRETERS = {
    "python3": ("--version",),
    "pypy3": ("--version",),
    "node": ("--version",),
    "deno": ("--version",),
    "bun": ("--version",),
    "java": ("-version",),
    "dotnet": ("--version",),
    "mono": ("--version",),
    "ruby": ("--version",),
    "perl": ("-e", "printf '%vd', $^V"),
    "php": ("--version",),
    "lua": ("-v",),
    "luajit": ("-v",),
    "julia": ("--version",),
    "Rscript": ("--version",),
    "guile": ("--version",),
    "racket": ("--version",),
    "elixir": ("--short-version",),
    "ocaml": ("-version",),
    "sbcl": ("--version",),
    "swipl": ("--version",),
    "bash": ("--version",),
}
SECONDS = 20.0
LONGEST = 120
MIB = 1 << 20


def inventory() -> dict[str, object]:
    """Return the whole inventory as a JSON object."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        interpreters = [one for one in pool.map(interpreter, INTERPRETERS) if one is not None]
    return {
        "python": platform.python_version(),
        "platform": line(f"{platform.system()} {platform.machine()}"),
        "cpu": line(cpu()),
        "processors": os.cpu_count() or 0,
        "interpreters": interpreters,
        "packages": packages(),
        "limits": limits(),
    }


def import_costs(modules: list[str]) -> dict[str, object]:
    """Import the modules; return time, peak memory and threads after that, and all packages."""
    clock, processor = time.perf_counter(), time.process_time()
    for module in modules:
        importlib.import_module(module)
    elapsed = time.perf_counter() - clock
    return {
        "import_ms": round(elapsed * 1000),
        "import_cpu_ms": round((time.process_time() - processor) * 1000),
        "import_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "import_threads": len(os.listdir("/proc/self/task")),
        "packages": packages(),
    }


def interpreter(name: str) -> dict[str, str] | None:
    """Return a command on the PATH and its version; None if it is missing or does not start."""
    path = shutil.which(name)
    if path is None:
        return None
    try:
        run = subprocess.run(  # noqa: S603 - found on the PATH of bots, in their sandbox
            [path, *INTERPRETERS[name]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    if run.returncode:
        return None
    found = re.search(r"\d+(\.\d+)+[-+.\w]*", run.stdout.decode("utf-8", "replace"))
    version = line(found.group()) if found is not None else ""
    return {"name": name, "version": version, "path": line(path)}


def packages() -> list[dict[str, object]]:
    """Return the distributions that can be imported, by name."""
    modules: dict[str, set[str]] = {}
    for module, names in importlib.metadata.packages_distributions().items():
        for name in names:
            modules.setdefault(name, set()).add(module)
    found: dict[str, dict[str, object]] = {}
    for distribution in importlib.metadata.distributions():
        name = distribution.metadata["Name"]
        mine = sorted(one for one in modules.get(name, ()) if one.isidentifier())
        package: dict[str, object] = {
            "name": line(name),
            "version": line(distribution.version),
            "modules": [line(one) for one in mine[:100]],
        }
        found.setdefault(name.lower(), package)  # the first one on the path is imported
    return [found[name] for name in sorted(found)][:400]


def limits() -> dict[str, int]:
    """Return the resource limits of this process as it can detect them; 0 means no limit."""
    disk = os.statvfs(os.environ.get("TMPDIR", "/tmp"))  # noqa: S108 - the sandbox's own
    return {
        "open_files": bound(resource.RLIMIT_NOFILE),
        "file_mb": bound(resource.RLIMIT_FSIZE) // MIB,
        "cpu_seconds": bound(resource.RLIMIT_CPU),
        "tmp_mb": disk.f_blocks * disk.f_frsize // MIB,
    }


def bound(what: int) -> int:
    """Return the soft limit; 0 if there is none."""
    soft = resource.getrlimit(what)[0]
    return 0 if soft == resource.RLIM_INFINITY else soft


def cpu() -> str:
    """Return the model of the processor; empty if unknown."""
    try:
        with open("/proc/cpuinfo") as file:
            for said in file:
                name, _, value = said.partition(":")
                if name.strip() in ("model name", "Model", "cpu model"):
                    return " ".join(value.split())
    except OSError:
        pass
    return platform.processor()


def line(text: str) -> str:
    """Return the text as printable ASCII of limited length."""
    return "".join(sign if " " <= sign <= "~" else "?" for sign in text[:LONGEST])


if __name__ == "__main__":
    sys.stdout.write(json.dumps(import_costs(sys.argv[1:]) if sys.argv[1:] else inventory()))

"""The cost of a fit: time and memory of a process that runs nothing else.

    python -m damrak_ladder.simulation.cost HISTORY.npz

reads a history, fits it, and prints one JSON object.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import numpy as np

from damrak_ladder.ratings import History, Scale, Tables, rate

_PARTS: Final = ("players", "block", "turns", "places")
_ONE_CORE: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def fit_cost(history: History, scale: Scale, versions: int) -> dict[str, float | int]:
    """Return versions, blocks, seconds on one core, and peak memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.npz"
        arrays = {
            f"{part}{seats}": getattr(table, part)
            for seats, table in history.tables.items()
            for part in _PARTS
        }
        arrays["anchors"] = np.array(list(scale.anchors.items())).reshape(-1, 2)
        arrays["versions"] = np.array(versions)
        np.savez(path, allow_pickle=False, **arrays)
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", __name__, str(path)],
            env=os.environ | dict.fromkeys(_ONE_CORE, "1"),
            stdout=subprocess.PIPE,
            check=True,
        )
    found: dict[str, float | int] = json.loads(done.stdout)
    return found


def _main(path: str) -> None:
    with np.load(path, allow_pickle=False) as arrays:
        sizes = sorted(int(name.removeprefix("block")) for name in arrays if "block" in name)
        history = History({n: Tables(*(arrays[f"{part}{n}"] for part in _PARTS)) for n in sizes})
        anchors = {int(version): float(elo) for version, elo in arrays["anchors"]}
        versions = int(arrays["versions"])
    begun = time.process_time()
    rate(history, versions, Scale(anchors))
    seconds = time.process_time() - begun
    found = {
        "versions": versions,
        "blocks": len(history),
        "seconds": round(seconds, 3),
        "max_rss_mb": round(_most_memory() / 2**20, 1),
    }
    sys.stdout.write(json.dumps(found) + "\n")


def _most_memory() -> int:
    """Return the peak memory in bytes; 0 if the system does not report it."""
    try:
        import resource
    except ImportError:
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024


if __name__ == "__main__":
    _main(sys.argv[1])

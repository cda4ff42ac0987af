"""`damrak bench env`: measure the learning environments beside those of other libraries."""

from __future__ import annotations

import json
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from damrak.benchmark import report
from damrak.benchmark.timing import FULL, QUICK
from damrak.cli.console import err, out
from damrak.cli.errors import OK

TARGETS: Final = {"steps_per_s": "3,000,000", "bare_steps_per_s": "15,000,000"}
VECTOR: Final = {
    "steps_per_s": "vector, 1,024 tables, float32 and mask",
    "bytes_steps_per_s": "vector, 1,024 tables, uint8 and mask",
    "bare_steps_per_s": "vector core, whole games without them",
}
PEERS: Final = {
    "openspiel_gin_rummy": "OpenSpiel gin rummy, from Python",
    "openspiel_hearts": "OpenSpiel hearts, from Python",
    "pgx_leduc_holdem": "Pgx Leduc hold'em, 1,024 tables, JAX",
    "pgx_kuhn_poker": "Pgx Kuhn poker, 1,024 tables, JAX",
    "pufferlib_connect4": "PufferLib Connect Four, 1,024 tables",
}


def run(*, quick: bool, as_json: bool) -> int:
    """Measure and print the results."""
    with err().status("measuring") as status:
        measured = report.measure_environments(
            QUICK if quick else FULL, lambda what: status.update(f"measuring {what}")
        )
    if as_json:
        print(json.dumps(measured))
    else:
        print_report(out(), measured)
    return OK


def print_report(console: Console, measured: dict[str, Any]) -> None:
    """Print the content of `--json` as a table."""
    table = Table(
        title="random steps a second of processor time, one core, two players",
        title_justify="left",
        box=None,
        padding=(0, 2, 0, 0),
    )
    table.add_column("environment")
    for heading in ("measured", "target", "x vector"):
        table.add_column(heading, justify="right")
    vector = measured["vector"]
    steps = vector["steps_per_s"]
    for key, words in VECTOR.items():
        table.add_row(words, f"{vector[key]:,}", TARGETS.get(key, ""), f"{vector[key] / steps:.2f}")
    for name, speed in measured["single"].items():
        table.add_row(name, f"{speed:,}", "", f"{speed / steps:.4f}")
    for name, speed in measured["peers"].items():
        known = speed is not None
        share = f"{speed / steps:.4f}" if known else ""
        table.add_row(PEERS[name], f"{speed:,}" if known else "not installed", "", share)
    console.print(table)
    one, two = vector["threads"]["1"], vector["threads"]["2"]
    console.print(
        f"two threads, 4,096 tables: {two:,} steps a second at best instead of {one:,}, "
        f"{two / one:.2f} times as many (target: 1.8)"
    )

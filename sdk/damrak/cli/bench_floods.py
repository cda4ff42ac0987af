"""`damrak bench floods`: measure how long a running match waits during floods of the referee."""

from __future__ import annotations

import json
from typing import Final

from rich.table import Table

from damrak.cli.console import err, out
from damrak.cli.errors import OK

SECONDS: Final = 10.0
QUICK_SECONDS: Final = 2.0


def run(*, quick: bool, as_json: bool) -> int:
    """Measure and print the results."""
    # Imported late: gRPC's server side is not installed everywhere.
    from damrak.benchmark.referee.floods import TARGET, measure

    with err().status("measuring") as status:
        measured = measure(QUICK_SECONDS if quick else SECONDS, status.update)
    if as_json:
        print(json.dumps(measured))
        return OK
    title = f"a running match during {measured['seconds']:g} s of each flood"
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("flood")
    for heading in ("undisturbed p99, ms", "p99, ms", "ratio", "target", "longest, ms"):
        table.add_column(heading, justify="right")
    for kind, it in measured["floods"].items():
        table.add_row(
            kind,
            f"{it['undisturbed_p99_ms']:.1f}",
            f"{it['p99_ms']:.1f}",
            f"{it['ratio']:.2f}",
            f"{TARGET:g}",
            f"{it['worst_ms']:.0f}",
        )
    out().print(table)
    return OK

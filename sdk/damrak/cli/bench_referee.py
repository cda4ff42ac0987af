"""`damrak bench referee`: measure the overhead of the referee."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.table import Table

from damrak.cli.console import err, out
from damrak.cli.errors import OK


def run(*, quick: bool, as_json: bool) -> int:
    """Measure and print the results."""
    # Imported late: this needs gRPC's server side, which the engine's benchmark does without.
    from damrak.benchmark.referee.report import FULL, QUICK, measure

    with err().status("measuring") as status:
        measured = measure(
            QUICK if quick else FULL, lambda what: status.update(f"measuring {what}")
        )
    if as_json:
        print(json.dumps(measured))
    else:
        print_report(out(), measured)
    return OK


def print_report(console: Console, measured: dict[str, Any]) -> None:
    """Print the content of `--json` as tables with targets."""
    table = _table("decisions a second through the referee", "referee", "bare echo", "ratio")
    for heading in ("target", "ratio of CPU time", "own share p50, us", "p99, us"):
        table.add_column(heading, justify="right")
    for key, words in (("single", "one match"), ("concurrent", "64 matches at once")):
        it = measured[key]
        table.add_row(
            words,
            f"{it['decisions_per_s']:,}",
            f"{it['echo_per_s']:,}",
            f"{it['ratio']:.2f}",
            "0.75",
            f"{it['cpu_ratio']:.2f}",
            str(it["p50_us"]),
            str(it["p99_us"]),
        )
    console.print(table)
    crowd, house, start = measured["crowd"], measured["house"], measured["starting"]
    console.print(
        f"{crowd['idle']:,} idle bots and {crowd['matches']} matches on one process: "
        f"{crowd['faults']} faults, {crowd['decisions_per_s']:,} decisions/s, own share "
        f"{crowd['p50_us']} us (p99 {crowd['p99_us']} us), {crowd['memory_mb']:.0f} MiB"
    )
    console.print(
        f"{house['matches']:,} matches of house bots, {house['at_once']} at once: "
        f"{house['matches_per_s']} matches/s, {house['faults']} faults; "
        f"the bots used {house['bot_share']:.0%} of the time of their decisions"
    )
    if start["ratio"] is None:
        console.print(f"ready to play: {start['bare_ms']} ms; no sandbox here")
    else:
        console.print(
            f"ready to play: {start['sandboxed_ms']} ms in the sandbox ({start['isolation']}), "
            f"{start['bare_ms']} ms as a bare process: ratio {start['ratio']:.2f}"
        )


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for heading in headings:
        table.add_column(heading, justify="right")
    return table

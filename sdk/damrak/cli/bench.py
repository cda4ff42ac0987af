"""`damrak bench`: measure the engine and the referee, and compare them with others."""

from __future__ import annotations

import argparse
import json
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from damrak.benchmark import report
from damrak.benchmark.timing import FULL, QUICK
from damrak.cli import bench_env, bench_floods, bench_referee
from damrak.cli.console import err, out
from damrak.cli.errors import OK
from damrak.cli.parser import Commands, add_command, add_json

# For each peer: the heading of its column, its name, and the target ratio from Python.
PEERS: Final = {
    "openspiel_gin_rummy": ("gin rummy", "OpenSpiel gin rummy", "10"),
    "openspiel_hearts": ("hearts", "OpenSpiel hearts", "1.9"),
    "rlcard_gin_rummy": ("RLCard", "RLCard gin rummy", "-"),
}


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "bench",
        run,
        summary="measure the engine and the referee",
        text="""
            Measures the engine on this machine, compiled and interpreted, and compares it with the
            OpenSpiel and RLCard games that are installed (pip install 'damrak[bench]'). All games
            are driven from Python with random actions in the same run. Each figure is the median of
            several measurements of CPU time. The benchmark takes a few minutes. `damrak bench
            referee` measures the overhead of the referee compared with a plain exchange of the same
            messages over gRPC, many bots on one process, matches of house bots through the complete
            system, and the start-up time of bots. `damrak bench env` compares the learning
            environments with those of OpenSpiel, Pgx and PufferLib. `damrak bench floods` sends
            each kind of flood to a referee for 10 seconds and measures how long a running match
            waits. Targets are printed next to the figures. They apply to a dedicated machine with a
            compiled engine; missing them is not an error.""",
        examples=(
            "damrak bench",
            "damrak bench env",
            "damrak bench referee --quick",
            "damrak bench floods --json",
        ),
    )
    parser.add_argument(
        "what",
        nargs="?",
        choices=("engine", "env", "referee", "floods"),
        default="engine",
        help="what to measure",
    )
    parser.add_argument(
        "--quick", action="store_true", help="short measurements with rough figures"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.what == "env":
        return bench_env.run(quick=args.quick, as_json=args.json)
    if args.what == "referee":
        return bench_referee.run(quick=args.quick, as_json=args.json)
    if args.what == "floods":
        return bench_floods.run(quick=args.quick, as_json=args.json)
    windows = QUICK if args.quick else FULL
    remarks = err()
    with remarks.status("measuring") as status:
        measured = report.measure(windows, lambda what: status.update(f"measuring {what}"))
    if args.json:
        print(json.dumps(measured))
        return OK
    print_report(out(), measured)
    return OK


def print_report(console: Console, measured: dict[str, Any]) -> None:
    """Print the content of `--json` as tables with ratios and targets."""
    for table in (_speeds(measured), _rest(measured)):
        console.print(table)
    console.print("tuned: chance is drawn by a faster loop than the standard library's")
    console.print(machine_line(measured))


def _speeds(measured: dict[str, Any]) -> Table:
    """Return a table of actions per second, with the ratio to each peer."""
    peers: dict[str, int | None] = measured["peers"]
    table = _table("actions a second, one core, two players", "engine", "measured", "target")
    for name in peers:
        table.add_column(f"x {PEERS[name][0]}", justify="right")
    for build, goals in (
        ("compiled", {"rollout": "1,000,000", "python_loop": "600,000"}),
        ("interpreted", {"rollout": "400,000", "python_loop": "-"}),
    ):
        speeds = measured[build]
        if speeds is None:
            table.add_row(f"{build}: not available", "-", goals["rollout"])
            continue
        for loop, words in (("rollout", "loop in the engine"), ("python_loop", "loop in Python")):
            ratios = [_ratio(speeds[loop], peer) for peer in peers.values()]
            table.add_row(f"{build}, {words}", f"{speeds[loop]:,.0f}", goals[loop], *ratios)
            if (build, loop) == ("compiled", "python_loop"):
                goals_of_peers = [PEERS[name][2] for name in peers]
                table.add_row("  target", "", "", *goals_of_peers, style="dim")
    for name, speed in peers.items():
        table.add_row(PEERS[name][1], _speed(speed))
    for name, speed in measured["peers_tuned"].items():
        table.add_row(f"{PEERS[name][1]}, tuned", _speed(speed))
    return table


def _speed(speed: int | None) -> str:
    return "not installed" if speed is None else f"{speed:,.0f}"


def _ratio(speed: float, peer: int | None) -> str:
    return "-" if peer is None else f"{speed / peer:.1f}"


def _rest(measured: dict[str, Any]) -> Table:
    table = _table("", "what", "compiled", "interpreted", "target")
    for key, words, goal in (
        ("copy_us", "copy a state, us", "0.5, interpreted 0.8"),
        ("observe_us", "observe, us", "5"),
        ("decide_us", "a decision in the arbiter, us", "10"),
    ):
        cells = [_cell(measured[build], key) for build in ("compiled", "interpreted")]
        table.add_row(words, *cells, goal)
    table.add_row("memory of a state, bytes", str(measured["state_bytes"]), "", "1024")
    table.add_row("replays verified a second", f"{measured['verify_per_s']:,.0f}", "", "500")
    jobs = measured["jobs"]
    bare = f"0.9 (a bare loop here: {jobs['machine']:.2f})"
    words = f"damrak play on {jobs['cores']} cores: work of each"
    table.add_row(words, f"{jobs['efficiency']:.2f}", "", bare)
    return table


def _cell(build: dict[str, float] | None, key: str) -> str:
    return "-" if build is None else f"{build[key]:.2f}"


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="right" if i else "left")
    return table


def machine_line(measured: dict[str, Any]) -> str:
    """Return a description of the machine that was measured."""
    it = measured["platform"]
    return (
        f"{it['implementation']} {it['python']}, {it['system']} {it['machine']}, "
        f"{it['cores']} cores; a bare Python loop: {it['loops_per_s'] / 1e6:.1f} million rounds/s"
    )

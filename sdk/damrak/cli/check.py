"""`damrak check`: check whether a bot is ready for matches."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.text import Text

from damrak.bundle import write_bundle
from damrak.cli.console import out, remark
from damrak.cli.errors import FAILED, OK
from damrak.cli.outcome import print_traceback
from damrak.cli.parser import FAULTS, Commands, add_command, add_json
from damrak.preflight.checks import Finding, Preflight
from damrak.specs import BotSpec, parse_spec

if TYPE_CHECKING:
    from damrak.preflight.like import LadderRuntime

STYLES: Final = {"ok": "green", "warn": "yellow", "fail": "red"}
ENOUGH: Final = 5
"""Number of equal failures in a row after which the check stops, because some take long."""


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "check",
        run,
        summary="check whether a bot is ready for matches",
        text="""
            Starts the bot, asks it for decisions in difficult positions (the first contracts, a
            second card, a forced pass, the last contract, the last round …), plays games with 2, 3
            and 4 seats and on unusual boards, and checks time, memory, output and determinism. Each
            check results in ok, warn or fail, and describes how to fix the problem. It stops when a
            bot fails five times in a row with the same message. The exit code is 1 if a check
            failed. With --like, the command uses the runtime of the ladder at URL: it checks the
            Python version and the imports of the bot against it, and runs the bot with its limits
            for memory, open files, processes and start-up time, and its time control. If URL is the
            page of a ladder, the time control is that of this ladder. The command sends no
            information about your bot.""",
        examples=(
            "damrak check my_bot",
            "damrak check my_bot/bot.py:Careful --json",
            "damrak check my_bot --like https://ladder.example.org",
            "damrak check my_bot --like https://ladder.example.org/ladders/amsterdam/",
        ),
    )
    parser.add_argument("bot", metavar="BOT", help="a file, a folder, or a house bot")
    parser.add_argument("--like", metavar="URL", help="use the limits of the ladder at this URL")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    bot = parse_spec(args.bot)
    console = out()
    preflight, findings, offered = _planned(bot, args.like)
    if offered is not None and not args.json:
        console.print(Text(_like(offered)), soft_wrap=True)
    rows: list[dict[str, Any]] = []
    levels: Counter[str] = Counter()
    alike, before, stopped = 0, "", False
    is_bundled = True
    for number, finding in enumerate(findings):
        levels[finding.level] += 1
        bundle = _bundle(bot, number, finding)
        is_bundled = is_bundled and (bundle is not None or finding.bundle is None)
        if args.json:
            rows.append(_row(finding, bundle))
        else:
            _print(console, finding, bundle, is_new=finding.detail != before)
        alike = alike + 1 if finding.level == "fail" and finding.detail == before else 1
        before = finding.detail if finding.level == "fail" else ""
        if before and alike == ENOUGH:
            stopped = True
            break
    if not is_bundled:
        remark(f"no repro bundle: cannot write to {FAULTS}")
    code = FAILED if levels["fail"] else OK
    if args.json:
        report = _report(preflight, levels, rows)
        if offered is not None:
            report["like"] = {
                "site": offered.site,
                "ladder": offered.ladder,
                "control": asdict(offered.control),
                "runtime": offered.common.to_json(),
            }
        print(json.dumps(report, ensure_ascii=False))
        return code
    verdict = "is not ready for matches" if code else "is ready for matches"
    counted = f"{levels['ok']} ok, {levels['warn']} warn, {levels['fail']} fail"
    if stopped:
        advice = f"it failed this way {ENOUGH} times in a row; the other checks were skipped"
        console.print(Text(advice, "yellow"), soft_wrap=True)
    style = STYLES["fail" if code else "ok"]
    console.print(Text(f"{bot.name} {verdict}: {counted}", style), soft_wrap=True)
    return code


def _planned(
    bot: BotSpec, like: str | None
) -> tuple[Preflight, Iterator[Finding], LadderRuntime | None]:
    if like is None:
        preflight = Preflight(bot)
        return preflight, preflight.findings(), None
    from damrak.preflight.like import fetch_runtime, findings_like, preflight_like

    offered = fetch_runtime(like).for_bot(bot)
    preflight = preflight_like(bot, offered)
    return preflight, chain(findings_like(bot, offered), preflight.findings()), offered


def _like(offered: LadderRuntime) -> str:
    limits, control = offered.common.limits, offered.control
    decision = "any time" if control.decision_ms is None else f"{control.decision_ms} ms"
    return (
        f"as on {offered.site}{f', ladder {offered.ladder}' if offered.ladder else ''}: "
        f"{limits.memory_mb} MiB, {limits.open_files} open files, {limits.processes} processes, "
        f"{limits.start_ms / 1000:g} s to start, {decision} for a decision and "
        f"{control.bank_ms} ms for a match"
    )


def _bundle(bot: BotSpec, number: int, finding: Finding) -> str | None:
    """Write the repro bundle of a finding and return its path, or None if that is not possible."""
    if finding.bundle is None:
        return None
    who = re.sub(r"[^A-Za-z0-9_-]+", "-", bot.name)
    path = Path(FAULTS) / f"{who}-check-{number:02}.json"
    try:
        path.parent.mkdir(exist_ok=True)
        write_bundle(finding.bundle, path)
    except OSError:
        return None
    return str(path)


def _print(console: Console, finding: Finding, bundle: str | None, *, is_new: bool) -> None:
    line = Text.assemble((f"{finding.level:4}", STYLES[finding.level]), f"  {finding.check}")
    if finding.detail:
        line.append(f": {finding.detail}")
    console.print(line, soft_wrap=True)
    if is_new and finding.bundle is not None:
        print_traceback(console, finding.bundle.fault.traceback)
    if cure := _cure(finding, bundle):
        console.print(Text(f"      {cure}"), soft_wrap=True)


def _cure(finding: Finding, bundle: str | None) -> str:
    if "BUNDLE" in finding.cure:
        return finding.cure.replace("BUNDLE", bundle) if bundle else ""
    if bundle is None or not finding.cure:
        return finding.cure
    return f"{finding.cure} (reproduce: damrak repro {bundle})"


def _row(finding: Finding, bundle: str | None) -> dict[str, Any]:
    return {
        "level": finding.level,
        "check": finding.check,
        "detail": finding.detail,
        "cure": _cure(finding, bundle),
        "bundle": bundle,
    }


def _report(
    preflight: Preflight, levels: Counter[str], rows: list[dict[str, Any]]
) -> dict[str, Any]:
    measures = preflight.measures
    return {
        "bot": preflight.bot.name,
        "version": preflight.bot.version,
        "ok": not levels["fail"],
        "warnings": levels["warn"],
        "failures": levels["fail"],
        "findings": rows,
        "decision_ms": {
            "p50": measures.quantile(0.5),
            "p99": measures.quantile(0.99),
            "max": measures.quantile(1),
        },
        "memory_bytes": measures.peak_bytes,
    }

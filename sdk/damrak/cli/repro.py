"""`damrak repro`: run again what made a bot fail."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from damrak.bundle import Bundle, read_bundle
from damrak.cli.console import err, out
from damrak.cli.errors import FAILED, OK
from damrak.cli.outcome import LINES_SHOWN, print_traceback
from damrak.cli.parser import Commands, add_command, add_json
from damrak.hosting.faults import BotFault
from damrak.loading import parse_spec
from damrak.repro import Rerun, rerun


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "repro",
        run,
        summary="run again what made a bot fail",
        text="""
            When a bot fails, `damrak play` writes a bundle: what the bot was told up to then.
            This command makes the bot anew and tells it all that again, under the clock and the
            limits of the failing run: a bot that hangs is stopped at the same point, and its stack
            is shown. With --debug the bot runs without a clock, and the last call runs in the
            Python debugger, which also stops where an exception comes out. The exit code is 0 if
            the bot does not fail any more, and 1 if it does.""",
        examples=(
            "damrak repro damrak-faults/my_bot-crash-000003-0.json",
            "damrak repro damrak-faults/my_bot-crash-000003-0.json --debug",
            "damrak repro bundle.json --bot my_bot_fixed.py",
        ),
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a repro bundle")
    parser.add_argument("--debug", action="store_true", help="run the last call in the debugger")
    add_json(parser)
    parser.add_argument("--bot", metavar="BOT", help="ask this bot instead of the one that failed")


def run(args: argparse.Namespace) -> int:
    """Carry it out."""
    bundle = read_bundle(args.file)
    then = bundle.plan.spec
    bot = parse_spec(args.bot or _spec_of(bundle))
    console = err() if args.json else out()
    console.print(_headline(bundle), soft_wrap=True)
    # One that failed on a ladder is told by its number there, which says nothing here.
    is_from_here = then.path is not None or bot.is_house
    if is_from_here and not then.is_version(bot):
        console.print(Text(f"{bot.name} is not the version that failed", "yellow"))
    # What the bot prints must not stand between a program and its object.
    with redirect_stdout(sys.stderr) if args.json else nullcontext():
        again = rerun(bundle, debug=args.debug, bot=bot)
    if again.changed is not None:
        changed = f"from decision {again.changed} on it does not answer as it did then"
        console.print(Text(changed, "yellow"))
    if again.fault is None:
        console.print(Text(f"{bot.name} does not fail any more", "green"))
    else:
        same = "fails again" if again.repeats(bundle) else "fails, but in another way"
        _print_fault(console, f"{bot.name} {same}", again.fault)
    if again.output.strip():
        console.print(Text(f"{bot.name} printed, at the end:", "bold"), soft_wrap=True)
        print_traceback(console, "\n".join(again.output.splitlines()[-LINES_SHOWN:]))
    if args.json:
        print(json.dumps(_report(bundle, again)))
    return OK if again.fault is None else FAILED


def _report(bundle: Bundle, again: Rerun) -> dict[str, Any]:
    return {
        "ok": again.fault is None,
        "repeats": again.repeats(bundle),
        "changed": again.changed,
        "then": asdict(bundle.fault),
        "now": again.fault and asdict(again.fault),
        "output": again.output,
    }


def _spec_of(bundle: Bundle) -> str:
    """The bot by its full path: the bundle may be read from another folder."""
    spec = bundle.plan.spec
    if spec.path is None:
        return spec.text
    path = spec.folder if spec.is_folder else spec.path
    return f"{path}:{spec.class_name}" if spec.class_name else f"{path}"


def _headline(bundle: Bundle) -> Text:
    when = f"at its decision {len(bundle.steps)}" if bundle.steps else "before its first decision"
    if bundle.ending is not None:
        when = "after the end of the match"
    name, seat = bundle.plan.spec.name, bundle.plan.seat
    fault = f"{bundle.fault.reason}: {bundle.fault.detail}"
    return Text(f"{name} in seat {seat} failed {when}: {fault}")


def _print_fault(console: Console, words: str, fault: BotFault) -> None:
    console.print(Text(f"{words}: {fault.reason}: {fault.detail}", "red"), soft_wrap=True)
    if fault.traceback:
        console.print(Text(fault.traceback.rstrip()), soft_wrap=True)

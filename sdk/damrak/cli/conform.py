"""`damrak conform`: check whether a client, in any language, implements the protocol."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.status import Status
from rich.text import Text

from damrak.cli.arguments import seconds
from damrak.cli.console import err, out
from damrak.cli.errors import FAILED, OK, Misuse
from damrak.cli.parser import Commands, add_command, add_json

# gRPC takes a while to import, and no other command needs these modules.
if TYPE_CHECKING:
    from damrak.conform.scenario import Scenario
    from damrak.conform.suite import Outcome, Suite

PATIENCE_S: Final = 30.0
NOWHERE: Final = ("unix:", "0.0.0.0:", "[::]:")  # a call cannot name a second address here
DOCUMENT: Final = "docs/protocol.md"
_ADDRESS: Final = re.compile(r"unix:.+|.+:\d{1,5}")


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "conform",
        run,
        summary="test whether a client implements the protocol",
        text="""
            Runs a referee that tests a client: complete games with 2, 3 and 4 seats, parallel
            games, rejections, lost connections, unusual messages and a slow network. It prints the
            address and the token for the client. If a command is given after two hyphens, it starts
            the client with both in DAMRAK_ADDRESS and DAMRAK_TOKEN; {address} in the command is
            replaced by the address. Each failed scenario is explained in a sentence. The exit code
            is 1 if a scenario failed.""",
        examples=(
            "damrak conform 127.0.0.1:0 -- damrak connect my_bot --to {address}",
            "damrak conform 127.0.0.1:0 --json -- node bot.js --quiet",
            "damrak conform 0.0.0.0:7000 --timeout 10",
            "damrak conform unix:/tmp/damrak.sock --one-seat -- ./my_bot",
            "damrak conform 127.0.0.1:0 --only rejection --only rejoin -- ./my_bot",
        ),
    )
    parser.takes_command = True
    parser.usage = "damrak conform [options] ADDRESS [-- COMMAND …]"
    parser.add_argument(
        "address", metavar="ADDRESS", help="address to listen on: HOST:PORT or unix:PATH"
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=round(PATIENCE_S * 1000),
        metavar="S",
        help=f"timeout for each step of the client (default: {PATIENCE_S:g})",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="run only this scenario; can be repeated",
    )
    parser.add_argument(
        "--one-seat",
        action="store_true",
        help="test a client for upload, which is started for each match, without lobby and token",
    )
    parser.add_argument("--list", action="store_true", help="list the scenarios and exit")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if not _ADDRESS.fullmatch(args.address):
        raise Misuse(f"{args.address!r} is not an address; expected HOST:PORT or unix:PATH")
    if args.one_seat and not args.trailing and not args.list:
        raise Misuse("--one-seat starts the client itself: give its command after --")
    chosen = _chosen(args)
    if args.list and args.json:
        told = [{"name": scenario.name, "tells": scenario.tells} for scenario in chosen]
        print(json.dumps({"scenarios": told}))
        return OK
    if args.list:
        for scenario in chosen:
            print(f"{scenario.name:18} {scenario.tells}")
        return OK
    if args.json:
        return asyncio.run(_with_json(args, chosen))
    return asyncio.run(_with_text(args, chosen))


def _chosen(args: argparse.Namespace) -> tuple[Scenario, ...]:
    from damrak.conform.suite import scenarios

    every = scenarios(
        elsewhere=not args.address.startswith(NOWHERE),
        program=bool(args.trailing),
        one_seat=args.one_seat,
    )
    names = {scenario.name for scenario in every}
    for name in args.only:
        if name not in names:
            raise Misuse(f"no scenario {name!r}: see damrak conform {args.address} --list")
    return tuple(s for s in every if not args.only or s.name in args.only)


async def _with_json(args: argparse.Namespace, chosen: tuple[Scenario, ...]) -> int:
    from damrak.conform.stage import Stage
    from damrak.conform.suite import Suite

    stage = Stage(args.address, args.timeout / 1000, one_seat=args.one_seat)
    suite = Suite(stage, chosen)
    try:
        await stage.open(args.trailing)
        if not args.trailing:
            print(_invitation(stage.address, stage.token), file=sys.stderr, flush=True)
        await suite.run(lambda _: None, lambda _: None)
    finally:
        await stage.close()
    report = {
        "ok": suite.ok,
        "client": stage.client,
        "scenarios": [outcome.to_json() for outcome in suite.outcomes],
    }
    print(json.dumps(report, ensure_ascii=False))
    return OK if suite.ok else FAILED


async def _with_text(args: argparse.Namespace, chosen: tuple[Scenario, ...]) -> int:
    from damrak.conform.stage import Stage
    from damrak.conform.suite import NOT_TRIED, Suite

    console, status = out(), Status("", console=err())
    stage = Stage(args.address, args.timeout / 1000, one_seat=args.one_seat)
    suite = Suite(stage, chosen)
    shown: set[str] = set()

    def begins(scenario: Scenario) -> None:
        status.update(Text(f"{scenario.name}: {scenario.tells}"))

    def ends(outcome: Outcome) -> None:
        if outcome.problem:
            shown.add(outcome.scenario.name)
        if outcome.problem != NOT_TRIED:
            _print(console, outcome)

    try:
        await stage.open(args.trailing)
        if not args.trailing:
            console.print(Text(_invitation(stage.address, stage.token)), soft_wrap=True)
        if status.console.is_terminal:
            status.start()
        await suite.run(begins, ends)
    finally:
        status.stop()
        await stage.close()
    # Problems found by later scenarios in scenarios that were reported as ok.
    for outcome in suite.outcomes:
        if outcome.problem and outcome.scenario.name not in shown:
            _print(console, outcome)
    return _conclude(console, suite)


def _invitation(address: str, token: str) -> str:
    return (
        f"Start the client now: address {address}, token {token}\n"
        f"  export DAMRAK_ADDRESS={address} DAMRAK_TOKEN={token}"
    )


def _print(console: Console, outcome: Outcome) -> None:
    level, style = ("fail", "red") if outcome.problem else ("ok", "green")
    scenario = outcome.scenario
    line = Text.assemble((f"{level:4}", style), f"  {scenario.name}: ")
    line.append(outcome.problem or scenario.tells)
    console.print(line, soft_wrap=True)
    if outcome.problem:
        console.print(Text(f"      read: {DOCUMENT}, “{scenario.see}”"), soft_wrap=True)


def _conclude(console: Console, suite: Suite) -> int:
    from damrak.conform.suite import NOT_TRIED

    failed = sum(bool(outcome.problem) for outcome in suite.outcomes)
    who = suite.stage.client or "the client"
    if any(outcome.problem == NOT_TRIED for outcome in suite.outcomes):
        console.print(
            Text("the remaining scenarios were skipped because the client exited", "red"),
            soft_wrap=True,
        )
    passed = f"{len(suite.outcomes) - failed} of {len(suite.outcomes)} scenarios passed"
    verdict = "does not implement the protocol" if failed else "implements the protocol"
    style = "red" if failed else "green"
    console.print(Text(f"{who} {verdict}: {passed}", style), soft_wrap=True)
    return FAILED if failed else OK

"""The commands `damrak-ladder worker`, `clerk` and `beat`: the processes of the pipeline."""

from __future__ import annotations

import argparse
import os
from typing import Any

from damrak_ladder.commands.output import say
from damrak_ladder.commands.parser import add_command
from damrak_ladder.usage_errors import Misuse


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    worker = add_command(
        commands,
        "worker",
        "play blocks on the referee of this machine",
        """
        Plays the blocks that the ladder assigns to this machine, on the referee at
        DAMRAK_LADDER_REFEREE, and sends heartbeats. Run one worker per machine. It needs the
        database, the broker, and DAMRAK_HOME with the archives. SIGTERM stops it. If a worker
        crashes, its blocks are played again; no results are lost.
        """,
        """
        damrak-referee --control unix:/run/damrak/control.sock &
        DAMRAK_LADDER_REFEREE=unix:/run/damrak/control.sock damrak-ladder worker
        damrak-ladder worker --blocks 4
        damrak-ladder worker --with-referee       a whole host with one command
        """,
        _run_worker,
    )
    worker.add_argument(
        "--blocks",
        type=int,
        metavar="N",
        help="number of parallel blocks (default: DAMRAK_LADDER_WORKERS, or 1)",
    )
    worker.add_argument(
        "--with-referee",
        action="store_true",
        help="also run the referee, configured by DAMRAK_REFEREE_… variables",
    )
    clerk = add_command(
        commands,
        "clerk",
        "schedule blocks, record results and compute ratings",
        """
        Performs all tasks except playing: schedules blocks and assigns them to machines,
        records results, publishes ratings, sends notifications, and monitors machines. Several
        clerks can run, on any machine.
        """,
        "damrak-ladder clerk\ndamrak-ladder clerk --jobs 4",
        _run_clerk,
    )
    clerk.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="number of parallel tasks (default: 1)"
    )
    add_command(
        commands,
        "beat",
        "schedule periodic tasks",
        """
        Queues the periodic tasks of the clerks every few seconds. One process is enough; a
        second one is harmless.
        """,
        "damrak-ladder beat",
        _run_beat,
    )


def _run_worker(args: argparse.Namespace) -> int:
    if args.with_referee:
        return _run_host(args)
    _get_ready()
    from django.conf import settings

    from damrak_ladder.installation.environment import SettingError
    from damrak_ladder.pipeline.workers.processes import run_worker

    blocks = settings.DAMRAK_WORKERS if args.blocks is None else args.blocks
    try:
        run_worker(_positive("--blocks", blocks))
    except SettingError as problem:
        raise Misuse(str(problem)) from None
    return 0


def _run_host(args: argparse.Namespace) -> int:
    from damrak_ladder.management import prepare

    prepare()
    from damrak_ladder.embedded.host import run_host
    from damrak_ladder.installation.environment import read_environment

    environment = read_environment(os.environ)
    blocks = environment.workers if args.blocks is None else args.blocks
    return run_host(environment, _positive("--blocks", blocks), say)


def _run_clerk(args: argparse.Namespace) -> int:
    _get_ready()
    from damrak_ladder.pipeline.workers.processes import run_clerk

    run_clerk(_positive("--jobs", args.jobs))
    return 0


def _run_beat(_: argparse.Namespace) -> int:
    _get_ready()
    from damrak_ladder.pipeline.workers.processes import run_beat

    run_beat()
    return 0


def _get_ready() -> None:
    from damrak_ladder.installation.logs import log_to_stderr
    from damrak_ladder.management import load

    log_to_stderr()
    load()


def _positive(option: str, number: int) -> int:
    if number < 1:
        raise Misuse(f"{option}: at least 1, not {number}")
    return number

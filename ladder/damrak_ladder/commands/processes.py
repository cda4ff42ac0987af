"""The commands `damrak-ladder worker`, `clerk` and `beat`: the processes of the pipeline."""

from __future__ import annotations

import argparse
import os
from typing import Any

from damrak_ladder.commands.parser import add_command
from damrak_ladder.commands.printing import say
from damrak_ladder.misuse import Misuse


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    worker = add_command(
        commands,
        "worker",
        "play blocks of this machine on its referee",
        """
        Plays the blocks that the ladder gives to this machine, on the referee that
        DAMRAK_LADDER_REFEREE names, and tells the ladder that the machine is alive. One per
        machine; it needs the database, the broker, and DAMRAK_HOME with the archives. SIGTERM
        stops it. A worker that dies costs time and nothing else.
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
        help="blocks at once (default: DAMRAK_LADDER_WORKERS, which is 1 unless set)",
    )
    worker.add_argument(
        "--with-referee",
        action="store_true",
        help="run the machine's referee, too, set by DAMRAK_REFEREE_… variables",
    )
    clerk = add_command(
        commands,
        "clerk",
        "decide what is played, settle what was, and rate",
        """
        Does everything that is not playing: books blocks and gives them to machines, settles them,
        publishes ratings, sends notices, looks after machines. Several may run, on any machine.
        """,
        "damrak-ladder clerk\ndamrak-ladder clerk --jobs 4",
        _run_clerk,
    )
    clerk.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="things done at once (default: 1)"
    )
    add_command(
        commands,
        "beat",
        "set off what happens regularly",
        """
        Tells clerks every few seconds what is to be done again. One is enough; two do no harm.
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
    from damrak_ladder.pipeline.processes import run_worker

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
    from damrak_ladder.pipeline.processes import run_clerk

    run_clerk(_positive("--jobs", args.jobs))
    return 0


def _run_beat(_: argparse.Namespace) -> int:
    _get_ready()
    from damrak_ladder.pipeline.processes import run_beat

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

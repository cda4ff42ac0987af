"""`damrak play`: play series of games between bots."""

from __future__ import annotations

import argparse
import json
import secrets
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from damrak.cli.arguments import board_named, options_from, positive, seconds
from damrak.cli.console import err, out, remark
from damrak.cli.errors import FAILED, INTERRUPTED, OK, Misuse
from damrak.cli.outcome import Outcome, outcome_json, print_outcome, print_start_failure
from damrak.cli.parser import FAULTS, Commands, add_command, add_json
from damrak.cli.progress import Progress
from damrak.cores import cores
from damrak.errors import BotStartError, HostError
from damrak.local import STANDARD_CONTROL
from damrak.series import SeriesPlan, play_series
from damrak.specs import parse_spec
from damrak.standing import Block, Standing
from damrak_engine.clock import TimeControl
from damrak_statistics.block_scores import Sprt

GAMES = 100
RISK = 0.05
GAMES_OF_A_TEST = 20_000  # nearly always enough for --sprt to reach a decision
CONTROL = STANDARD_CONTROL
JOBS_A_CORE = 4


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "play",
        run,
        summary="play bots against each other",
        text="""
            Plays two, three or four bots against each other and reports which one is better, with a
            confidence interval. Games come in mirrored blocks: all games of a block use the same
            seed, and every bot plays once from every seat, so that neither the cards nor the turn
            order favour a bot. Elo differences have a 95 % interval that is based on blocks, not
            games. A bot is the name of a house bot (see `damrak bots`), a Python file, or a folder
            with a bot.py. Ctrl-C stops and shows the results so far. The exit code is 1 if a bot
            cannot start, in which case no game is played, or if it fails in every game.""",
        examples=(
            "damrak play my_bot greedy",
            "damrak play my_bot/bot.py planner greedy random --games 400 --save games",
            "damrak play v2.py v1.py --sprt 0 20",
            "damrak play my_bot greedy --games 20 --seed 7 --json",
            "damrak play my_bot mcts:ms=50 --board practice --bank 60 --increment 0.5",
            "damrak play my_bot greedy --options second_card=optional first_player='seat 0'",
        ),
    )
    parser.add_argument("bots", nargs="+", metavar="BOT", help="two to four bots")
    games = parser.add_argument_group("games")
    games.add_argument(
        "--games",
        type=positive,
        metavar="N",
        help=f"number of games, rounded up to whole blocks (default: {GAMES}; with --sprt as many "
        f"as needed, up to {GAMES_OF_A_TEST})",
    )
    games.add_argument(
        "--board", default="amsterdam", metavar="NAME|FILE", help="a built-in board or a board file"
    )
    games.add_argument(
        "--options",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="rule options (docs/rules.md, section 7)",
    )
    games.add_argument(
        "--seed", type=_seed, help="number or word; the same seed gives the same games"
    )
    games.add_argument(
        "--no-mirror",
        action="store_true",
        help="use a new seed for every game instead of every block",
    )
    games.add_argument(
        "--save", metavar="DIR", type=Path, help="write a replay of each game to this folder"
    )
    _add_time(parser)
    test = parser.add_argument_group("early stopping")
    test.add_argument(
        "--sprt",
        nargs=2,
        type=float,
        metavar=("ELO0", "ELO1"),
        help="stop when it is decided whether the lead of the first bot is ELO0 or ELO1",
    )
    for name, meaning in (("alpha", "taking ELO0 for ELO1"), ("beta", "taking ELO1 for ELO0")):
        test.add_argument(
            f"--{name}", type=float, help=f"probability of {meaning} (default: {RISK})"
        )
    add_json(parser)


def _add_time(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("time")
    group.add_argument(
        "--jobs",
        type=positive,
        metavar="J",
        help="number of parallel processes (default: one per core)",
    )
    group.add_argument(
        "--bank",
        type=seconds,
        default=CONTROL.bank_ms,
        metavar="SEC",
        help=f"thinking time per game (default: {CONTROL.bank_ms / 1000:g})",
    )
    group.add_argument(
        "--increment",
        type=seconds,
        default=CONTROL.increment_ms,
        metavar="SEC",
        help=f"time added after each decision (default: {CONTROL.increment_ms / 1000:g})",
    )
    group.add_argument(
        "--decision",
        type=_decision,
        default=CONTROL.decision_ms,
        metavar="SEC",
        help=f"time limit per decision, or none (default: {(CONTROL.decision_ms or 0) / 1000:g})",
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    test = _test(args)
    plan = _plan(args, test)
    jobs = min(jobs_here(args.jobs), plan.blocks)
    try:
        blocks = play_series(plan, jobs)
    except BotStartError as failure:
        return _report_start_failure(args, plan, jobs, test, failure)
    if plan.save is not None:
        _make(plan.save)
    standing = Standing(plan.names)
    started = time.monotonic()
    stopped = _add_up(blocks, standing, plan, test)
    outcome = Outcome(
        plan=plan,
        standing=standing,
        seconds=time.monotonic() - started,
        jobs=jobs,
        test=test,
        interrupted=stopped is not None,
    )
    if args.json:
        print(json.dumps(outcome_json(outcome), ensure_ascii=False))
    else:
        print_outcome(out(), outcome)
    if isinstance(stopped, HostError):
        raise stopped
    if stopped:
        return INTERRUPTED
    return OK if outcome.is_ok else FAILED


def _report_start_failure(
    args: argparse.Namespace,
    plan: SeriesPlan,
    jobs: int,
    test: Sprt | None,
    failure: BotStartError,
) -> int:
    if args.json:
        outcome = Outcome(plan, Standing(plan.names), 0.0, jobs, test, False, failure)
        print(json.dumps(outcome_json(outcome), ensure_ascii=False))
    else:
        print_start_failure(out(), failure)
    return FAILED


def jobs_here(wanted: int | None) -> int:
    """Return the number of processes, limited because more than a few per core only use memory."""
    most = max(JOBS_A_CORE * cores(), 8)
    if wanted is not None and wanted > most:
        remark(f"--jobs {wanted}: limited to {most}, because this machine has {cores()} cores")
        return most
    return wanted or cores()


def _add_up(
    blocks: Generator[Block], standing: Standing, plan: SeriesPlan, test: Sprt | None
) -> KeyboardInterrupt | HostError | None:
    """Add all blocks to the standing; returns the exception that ended the series early, if any."""
    try:
        with closing(blocks), Progress(err(), plan, standing, test) as progress:
            for block in blocks:
                standing.add(block)
                progress.update()
                if test and test.verdict(test.llr(standing.tallies[0].block_scores)):
                    break
    except (KeyboardInterrupt, HostError) as end:
        return end
    return None


def _test(args: argparse.Namespace) -> Sprt | None:
    if args.sprt is None:
        for name in ("alpha", "beta"):
            if getattr(args, name) is not None:
                raise Misuse(f"--{name} needs --sprt ELO0 ELO1")
        return None
    try:
        elo0, elo1 = args.sprt
        alpha, beta = (RISK if risk is None else risk for risk in (args.alpha, args.beta))
        return Sprt(elo0, elo1, alpha, beta)
    except ValueError as problem:
        raise Misuse(f"--sprt: {problem}") from None


def _plan(args: argparse.Namespace, test: Sprt | None) -> SeriesPlan:
    if not 2 <= len(args.bots) <= 4:
        raise Misuse(f"play takes 2 to 4 bots, not {len(args.bots)}")
    a_block = 1 if args.no_mirror else len(args.bots)
    games = args.games or (GAMES_OF_A_TEST if test else GAMES)
    blocks = -(-games // a_block)
    if args.games and blocks * a_block != games:
        remark(f"{blocks * a_block} games: {blocks} whole blocks of {a_block}")
    return SeriesPlan(
        bots=tuple(parse_spec(text) for text in args.bots),
        blocks=blocks,
        board=board_named(args.board),
        options=options_from(args.options),
        control=_control(args),
        seed=secrets.token_hex(8) if args.seed is None else args.seed,
        is_mirrored=not args.no_mirror,
        save=args.save,
        bundles=Path(FAULTS) if args.save is None else args.save / FAULTS,
    )


def _make(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise Misuse(f"--save {folder}: already exists and is not a folder")
    folder.mkdir(parents=True, exist_ok=True)
    if there := len(list(folder.glob("*.json"))):
        remark(f"{folder} holds {there} files; files with the same name are overwritten")


def _control(args: argparse.Namespace) -> TimeControl:
    for name in ("bank", "decision"):
        if getattr(args, name) == 0:
            raise Misuse(f"--{name}: 0 leaves no thinking time")
    return TimeControl(decision_ms=args.decision, bank_ms=args.bank, increment_ms=args.increment)


def _seed(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("a seed must be UTF-8 text") from None
    return text


def _decision(text: str) -> int | None:
    return None if text == "none" else seconds(text)

"""`damrak verify`: are these replays true?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from damrak.cli.console import out
from damrak.cli.errors import FAILED, OK, Misuse
from damrak.cli.files import read_replay
from damrak.cli.parser import Commands, add_command, add_json
from damrak.cores import cores
from damrak.crew import work
from damrak_engine.errors import ReplayError
from damrak_engine.verify import verify

MANY: Final = 200  # files from which on more processes are worth their start


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "verify",
        run,
        summary="check that replays are true",
        text="""
            Plays every event of each replay again, on the dice of its seed, and compares: cards,
            contracts, legality, order, result, hash and commitment. For a wrong file it names the
            first wrong place and what should stand there. The exit code is 0 only if all are
            right. A folder stands for the *.json files in it.""",
        examples=(
            "damrak verify games/*.json",
            "damrak verify games",
            "damrak verify suspicious.json --json",
        ),
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a replay, or a folder of them")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Carry it out."""
    paths = list(_files(args.files))
    verdicts = list(verdicts_on(paths))
    wrong = [verdict for verdict in verdicts if not verdict["ok"]]
    if args.json:
        report = {"ok": len(verdicts) - len(wrong), "wrong": len(wrong), "files": verdicts}
        print(json.dumps(report, ensure_ascii=False))
        return FAILED if wrong else OK
    console = out()
    for verdict in wrong:
        text = f"{verdict['file']}: wrong at {verdict['event']}: expected {verdict['expected']}"
        console.print(text, style="red", markup=False, soft_wrap=True)
    right = f"{len(verdicts) - len(wrong)} of {len(verdicts)} replays are right"
    console.print(right, style="red" if wrong else "green")
    return FAILED if wrong else OK


def verdicts_on(paths: list[Path]) -> Iterator[dict[str, Any]]:
    """For each file `file`, `ok`, and where it is wrong `event` and `expected`, else None."""
    processes = min(cores(), len(paths) // MANY)
    return work(_Verification(paths), processes if processes > 1 else 0)


@dataclass(frozen=True, slots=True)
class _Verification:
    """Files to be verified, as the job of a crew."""

    paths: list[Path]

    @property
    def count(self) -> int:
        return len(self.paths)

    def do(self, number: int) -> dict[str, Any]:
        return verdict_on(self.paths[number])

    def keep(self, work: dict[str, Any]) -> dict[str, Any]:
        return work

    def discard(self, number: int) -> None:
        pass


def verdict_on(path: Path) -> dict[str, Any]:
    """What there is to say about one file."""
    try:
        verify(read_replay(path))
    except ReplayError as problem:
        event, expected = problem.where, problem.expected
        return {"file": str(path), "ok": False, "event": event, "expected": expected}
    return {"file": str(path), "ok": True, "event": None, "expected": None}


def _files(names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        path = Path(name)
        if path.is_dir():
            found = sorted(file for file in path.iterdir() if file.suffix == ".json")
            if not found:
                raise Misuse(f"{name}: the folder has no *.json files")
            yield from found
        elif path.exists():
            yield path
        else:
            raise Misuse(f"{name}: no such file")

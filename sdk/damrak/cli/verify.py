"""`damrak verify`: check replays, their signatures and their boards."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from damrak.cli.console import out
from damrak.cli.errors import FAILED, OK, Misuse
from damrak.cli.files import read_replay
from damrak.cli.parser import Commands, add_command, add_json
from damrak.cores import cores
from damrak.crew import work
from damrak_engine.board import Board
from damrak_engine.boards import board_names, load_board
from damrak_engine.errors import ReplayError
from damrak_engine.replay import Header
from damrak_engine.verify import verify

UNREADABLE: Final = "file"
"""The `event` of a file that cannot be read; `expected` is then the reason."""
MANY: Final = 200  # number of files per worker process, so that starting one pays off


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "verify",
        run,
        summary="verify replays",
        text="""
            Recomputes every event of each replay from its seed and compares cards, contracts,
            legality, order, result, hash and commitment. For an invalid file it reports the first
            difference and the expected value. The exit code is 0 only if all files are valid. A
            folder stands for all *.json files in it. --key also checks the signature, which proves
            that the ladder recorded the match with these bots and this result. A file without a
            signature is then invalid. Without --key, a forged replay can pass.""",
        examples=(
            "damrak verify games/*.json",
            "damrak verify games",
            "damrak verify suspicious.json --json",
            "damrak verify games --key https://ladder.example.org",
            "damrak verify games --key ladder.pub",
        ),
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a replay, or a folder of them")
    parser.add_argument(
        "--key",
        metavar="FILE|URL",
        help="check signatures with the key in this file or the keys of the ladder at this URL",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    paths = list(_files(args.files))
    verdicts = list(verdicts_on(paths, _keys(args.key)))
    wrong = [verdict for verdict in verdicts if not verdict["ok"]]
    if args.json:
        report = {"ok": len(verdicts) - len(wrong), "wrong": len(wrong), "files": verdicts}
        print(json.dumps(report, ensure_ascii=False))
        return FAILED if wrong else OK
    console = out()
    for verdict in wrong:
        text = f"{verdict['file']}: wrong at {verdict['event']}: expected {verdict['expected']}"
        if verdict["event"] == UNREADABLE:
            text = f"{verdict['file']}: {verdict['expected']}"
        console.print(text, style="red", markup=False, soft_wrap=True)
    right = f"{len(verdicts) - len(wrong)} of {len(verdicts)} replays are valid"
    console.print(right, style="red" if wrong else "green")
    unchecked = sum(verdict["ok"] and verdict["signature"] == "unchecked" for verdict in verdicts)
    if unchecked:
        files = "1 file" if unchecked == 1 else f"{unchecked} files"
        advice = (
            f"signature NOT checked ({files}): give the URL or the key of the ladder with --key"
        )
        console.print(advice, style="yellow", markup=False, soft_wrap=True)
    return FAILED if wrong else OK


def _keys(named: str | None) -> tuple[str, ...] | None:
    if named is None:
        return None
    from damrak.ladder.keys import named_keys  # slow import, rarely needed

    return named_keys(named)


def verdicts_on(paths: list[Path], keys: tuple[str, ...] | None = None) -> Iterator[dict[str, Any]]:
    """Return what `verdict_on` returns for each file, in the order of the files."""
    processes = min(cores(), len(paths) // MANY)
    return work(_Verification(paths, keys), processes if processes > 1 else 0)


@dataclass(frozen=True, slots=True)
class _Verification:
    """Files to be verified, as a job for worker processes."""

    paths: list[Path]
    keys: tuple[str, ...] | None

    @property
    def count(self) -> int:
        return len(self.paths)

    def do(self, number: int) -> dict[str, Any]:
        return verdict_on(self.paths[number], self.keys)

    def keep(self, work: dict[str, Any]) -> dict[str, Any]:
        return work

    def discard(self, number: int) -> None:
        pass


def verdict_on(path: Path, keys: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Return `file`, `ok`, `event`, `expected` and `signature` of one file.

    `event` and `expected` are None if the file is right. `signature` is "right", "wrong", "none"
    (missing), or "unchecked" (no key was given, or another error was found first).
    """
    signature, event, expected = "unchecked", None, None
    try:
        header = _verified(path, keys)
        if header.signature is None:
            signature = "none"
        elif keys is not None:
            signature = "right"
    except _Unsigned as problem:
        signature, event, expected = "none", problem.where, problem.expected
    except OSError as problem:
        event, expected = UNREADABLE, _reason(problem)
    except ReplayError as problem:
        event, expected = problem.where, problem.expected
        if event == "signature":
            signature = "wrong"
    return {
        "file": str(path),
        "ok": event is None,
        "event": event,
        "expected": expected,
        "signature": signature,
    }


class _Unsigned(ReplayError):
    """A signature was required but is missing."""


def _verified(path: Path, keys: tuple[str, ...] | None) -> Header:
    signed = None
    if keys is not None:
        from damrak.ladder.keys import has_signed

        signed = partial(has_signed, keys)
    header = verify(read_replay(path), signed=signed)
    published = _published_namesake(header.board)
    if published is not None and published.source != header.board.source:
        raise ReplayError(
            "header", f"the published board {published.id}, or a different id and name"
        )
    if header.signature is None and keys is not None:
        raise _Unsigned("signature", "a signature by the given key, but there is none")
    return header


def _published_namesake(board: Board) -> Board | None:
    """Return the board of the package that has this board's id or name, or None."""
    for published in map(load_board, board_names()):
        if board.id == published.id or board.name == published.name:
            return published
    return None


def _files(names: Iterable[str]) -> Iterator[Path]:
    """Yield the named files and those in the named folders.

    A missing file is included, so that it is reported along with the others.

    Raises:
        Misuse: a folder has no replays, or none of the names exists.
    """
    paths = [Path(name) for name in names]
    if not any(path.exists() for path in paths):
        raise Misuse(f"{paths[0]}: no such file")
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(file for file in path.iterdir() if file.suffix == ".json")
        if not found:
            raise Misuse(f"{path}: the folder has no *.json files")
        yield from found


def _reason(problem: OSError) -> str:
    if isinstance(problem, FileNotFoundError):
        return "no such file"
    return (problem.strerror or type(problem).__name__).lower()

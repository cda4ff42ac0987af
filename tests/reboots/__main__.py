"""Run the platform in a virtual computer, cut its power in the midst of it, and see what is left.

cd tests && python -m reboots --cuts 5

The computer is User-Mode Linux: a kernel that is a program. It sees the files of this machine, may
not write them, and has a disk of its own for the data folder. Cutting its power is killing that
program: memory, processes and all that was not yet on the disk are gone, as they are at home.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

KERNEL: Final = "linux.uml"
DISK_BYTES: Final = 2 << 30
MEMORY: Final = "3G"
INIT: Final = Path(__file__).with_name("init.sh")
LONGEST_LIFE: Final = 900.0  # seconds; nothing is measured with it


class Stuck(Exception):
    """A life did not come to what it was for."""


class Computer:
    """One disk, many lives."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._disk = folder / "disk"
        with self._disk.open("wb") as file:
            file.truncate(DISK_BYTES)
        subprocess.run(["mkfs.ext4", "-q", str(self._disk)], check=True)

    @contextmanager
    def life(self, number: int, word: str) -> Iterator[Iterator[list[str]]]:
        """From power on to power off: what it reports, in words."""
        command = [KERNEL, f"mem={MEMORY}", f"ubd0={self._disk}", "root=/dev/root", "quiet", "ro"]
        command += ["rootfstype=hostfs", "rootflags=/", "con=null", "con0=null,fd:1"]
        command += [f"init={INIT}", f"PYTHON={sys.executable}", f"WORD={word}"]
        log = self._folder / f"life-{number}.log"
        with (
            log.open("w") as errors,
            subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                errors="replace",
                start_new_session=True,
            ) as kernel,
        ):
            assert kernel.stdout is not None
            try:
                yield _reports(kernel.stdout, log)
            finally:
                subprocess.run(["pkill", "-KILL", "--session", str(kernel.pid)], check=False)


def _reports(lines: Iterator[str], log: Path) -> Iterator[list[str]]:
    """Lines that begin with `>`, which the kernel's own never do."""
    end = time.monotonic() + LONGEST_LIFE
    with log.open("a") as copy:
        for line in lines:
            copy.write(line)
            copy.flush()
            if line.startswith(">"):
                yield line[1:].split()
            if time.monotonic() > end:
                raise Stuck(f"nothing came of it within {LONGEST_LIFE:.0f} s: {log}")
    raise Stuck(f"it went off by itself: {log}")


def main() -> int:
    """Run it; 0 if nothing was lost and all could be proved in the end."""
    parser = argparse.ArgumentParser(
        prog="python -m reboots",
        description="Cut the power of a computer that runs the platform, and see what is left.",
    )
    parser.add_argument("--cuts", type=int, default=5, metavar="N", help="how often (5)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of when it happens")
    parser.add_argument("--keep", action="store_true", help="keep disk and logs")
    args = parser.parse_args()
    if shutil.which(KERNEL) is None:
        sys.stderr.write(f"no {KERNEL}. On Debian: sudo apt install user-mode-linux\n")
        return 2
    folder = Path(tempfile.mkdtemp(prefix="dmk"))
    try:
        return _trial(Computer(folder), args.cuts, random.Random(args.seed))
    except Stuck as problem:
        sys.stderr.write(f"{problem}\n")
        args.keep = True
        return 1
    finally:
        if not args.keep:
            shutil.rmtree(folder)


def _trial(computer: Computer, cuts: int, rng: random.Random) -> int:
    known: set[str] = set()
    lost: set[str] = set()
    for number in range(cuts):
        # The first ends as soon as it has told of itself, others at once after so many results.
        wanted = rng.randint(1, 4) if number else 0
        before = len(known)
        began = time.monotonic()
        with computer.life(number, "on") as reports:
            lost |= _survivors(reports, known)
            _until_well(reports, known)
            while len(known) < before + wanted:
                _note(next(reports), known)
        _say(
            f"life {number + 1}: {before - len(lost)} of {before} matches were there; "
            f"recorded since: {len(known) - before}; power cut after "
            f"{time.monotonic() - began:.0f} s"
        )
    with computer.life(cuts, "prove") as reports:
        lost |= _survivors(reports, known)
        _until_well(reports, known)
        proof = _word(reports, "proof", known)
    _say(f"{cuts} power cuts, {len(known)} matches, {len(lost)} lost; proof: {' '.join(proof)}")
    return 0 if not lost and proof == ["0"] else 1


def _survivors(reports: Iterator[list[str]], known: set[str]) -> set[str]:
    """What was recorded before and is not there any more."""
    there: set[str] = set()
    _word(reports, "begin", there)
    lost = known - there
    known |= there
    return lost


def _until_well(reports: Iterator[list[str]], known: set[str]) -> None:
    _word(reports, "well", known)


def _word(reports: Iterator[list[str]], awaited: str, known: set[str]) -> list[str]:
    """What follows this word; results that come before it are noted."""
    for word, *rest in reports:
        if word == awaited:
            return rest
        _note([word, *rest], known)
    raise AssertionError


def _note(report: list[str], known: set[str]) -> None:
    match report:
        case ["recorded", match, replay]:
            known.add(f"{match} {replay}")
        case ["failed", *why]:
            raise Stuck(" ".join(why))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())

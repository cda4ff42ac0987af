"""Run the platform in a virtual machine, cut its power repeatedly, and check what remains.

cd tests && python -m reboots --cuts 5

The machine is User-Mode Linux: a kernel that is a program. It reads the files of this machine, may
not write them, and has its own disk for the data folder. Cutting its power means killing that
program: memory, processes and everything not yet written to the disk are lost, as on real hardware.
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
LONGEST_LIFE: Final = 900.0  # seconds: a safety net, not a measurement


class Stuck(Exception):
    """A boot did not reach the expected state."""


class Computer:
    """A machine with one disk that is booted repeatedly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._disk = folder / "disk"
        with self._disk.open("wb") as file:
            file.truncate(DISK_BYTES)
        subprocess.run(["mkfs.ext4", "-q", str(self._disk)], check=True)

    @contextmanager
    def life(self, number: int, word: str) -> Iterator[Iterator[list[str]]]:
        """Boot the machine and yield its reports, split into words; cut the power at the end."""
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
    """Yield the lines that begin with `>`, unlike any line of the kernel."""
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
    """Run the test; return 0 if nothing was lost and all numbers could be verified."""
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
        # The first boot ends after its initial report, others after a random number of results.
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
    """Return earlier records that are missing now."""
    there: set[str] = set()
    _word(reports, "begin", there)
    lost = known - there
    known |= there
    return lost


def _until_well(reports: Iterator[list[str]], known: set[str]) -> None:
    _word(reports, "well", known)


def _word(reports: Iterator[list[str]], awaited: str, known: set[str]) -> list[str]:
    """Return the rest of the line with this word; add results reported before it to `known`."""
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

"""`python -m chaos`: the kill test with any number of kills."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from chaos.plan import Plan
from chaos.trial import Stuck, carry_out, compare


def main() -> int:
    """Run the test; return 0 if nothing was lost, double, different or left behind."""
    parser = argparse.ArgumentParser(
        prog="python -m chaos",
        description="Play matches of sandboxed bots on a referee while it, its runner and the "
        "caller are killed at random, and compare them with an undisturbed run.",
    )
    parser.add_argument("--matches", type=int, default=200, help="an even number (200)")
    parser.add_argument("--kills", type=int, default=100, help="at least so many (100)")
    parser.add_argument("--seed", default="chaos", help="another seed, other games and kills")
    parser.add_argument("--keep", action="store_true", help="keep logs and journals")
    args = parser.parse_args()
    plan = Plan(args.matches // 2, args.seed)
    folder = Path(tempfile.mkdtemp(prefix="dmk"))
    try:
        print(f"logs in {folder}")
        undisturbed = carry_out(plan, folder / "u", tell=_tell)
        print(f"\nundisturbed: {undisturbed.seconds:.0f} s")
        disturbed = carry_out(plan, folder / "d", kills=args.kills, tell=_tell)
        print(f"\ndisturbed: {disturbed.seconds:.0f} s, {disturbed.attempts} attempts")
        for name, number in sorted(disturbed.kills.items()):
            print(f"{name} killed {number} times")
    except Stuck as problem:
        print(f"\n{problem}", file=sys.stderr)
        args.keep = True
        return 1
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    left = undisturbed.left + disturbed.left
    for line in left:
        print(f"left behind: {line}", file=sys.stderr)
    lost, double, different = compare(plan, disturbed, undisturbed)
    print(
        f"{len(plan.matches)} matches, {disturbed.kills.total()} kills, "
        f"{lost} lost, {double} double, {different} different"
    )
    return 1 if lost or double or different or left else 0


def _tell(line: str) -> None:
    if sys.stdout.isatty():
        print(f"\r{line}\x1b[K", end="", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())

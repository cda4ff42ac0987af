"""Play a fixed list of blocks undisturbed and with kills, and compare the results.

cd tests && python -m chaos_ladder --blocks 500 --kills 60
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chaos_ladder.trial import Run


def main() -> int:
    """Run the test; return 0 if ladder, ratings and replays are the same."""
    parser = argparse.ArgumentParser(prog="chaos_ladder", description=__doc__)
    parser.add_argument("--blocks", type=int, default=500, metavar="N")
    parser.add_argument("--kills", type=int, default=60, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the list of blocks")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="postgresql")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["DAMRAK_HOME"] = home
        import django

        from damrak_ladder.management import prepare

        prepare()
        django.setup()
        return _compare(args)


def _compare(args: argparse.Namespace) -> int:
    from chaos_ladder.plan import differences
    from chaos_ladder.trial import run

    calm = run(args.blocks, 0, args.seed, "sqlite")
    _say(f"undisturbed: {_speed(calm, args.blocks)}")
    wild = run(args.blocks, args.kills, args.seed, args.database)
    kills = ", ".join(f"{kind} {count}" for kind, count in sorted(wild.kills.items()))
    _say(f"disturbed: {_speed(wild, args.blocks)}; {kills}")
    _say(f"attempts: {wild.attempts}, of which {wild.lost_attempts} came to nothing")
    found = differences(calm.outcome, wild.outcome)
    if found:
        _say("\n".join(found[:20]))
    _say(
        f"{args.blocks} blocks, {wild.kills.total()} kills, {len(wild.lost)} lost,"
        f" {len(wild.double)} double, {len(found)} different"
    )
    is_right = not (wild.lost or wild.double or found)
    return 0 if is_right else 1


def _speed(run: Run, blocks: int) -> str:
    load = os.getloadavg()[0]
    return f"{run.seconds:.1f} s, {blocks / run.seconds:.1f} blocks/s (load {load:.1f})"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

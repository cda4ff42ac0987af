"""Record matches for the viewer in a data folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import django

from damrak_ladder.management import manage, prepare
from web.sites import TESTS

CROWDED = 1  # of this board some names cover others on a phone, unless they are moved


def recorded_in(home: Path) -> dict[str, int]:
    """The numbers of matches that a process of its own has recorded in this data folder."""
    variables = os.environ | {"DAMRAK_HOME": str(home), "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "web.films"]
    done = subprocess.run(command, env=variables, check=True, stdout=subprocess.PIPE)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def main() -> None:
    """One block for each number of seats, one of them with a bot that leaves."""
    prepare()
    manage(["migrate", "--verbosity", "0"])
    django.setup()
    from django.utils import timezone

    from damrak_engine.generator import generate
    from damrak_ladder.matches.boards import add_board
    from ladder_django.films import recorded_films

    now = timezone.now()
    add_board("crowded", json.dumps(generate(CROWDED, 24)).encode(), now)
    made = {
        "two": recorded_films(2, board="amsterdam", now=now, prefix="gable"),
        "three": recorded_films(3, leaver=1, board="crowded", now=now, prefix="sluice"),
        "four": recorded_films(4, board="amsterdam", now=now, prefix="tulip"),
    }
    json.dump({name: matches[0].pk for name, matches in made.items()}, sys.stdout)


if __name__ == "__main__":
    main()

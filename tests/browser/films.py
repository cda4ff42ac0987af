"""Records matches for the viewer in a data folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import django

from browser.sites import TESTS
from damrak_ladder.management import prepare
from ladder.databases import create_tables

CROWDED = 1  # some names of this board overlap on a phone, unless they are moved


def recorded_in(home: Path) -> dict[str, int]:
    """Record matches in this data folder in a separate process; return their numbers."""
    variables = os.environ | {"DAMRAK_HOME": str(home), "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "browser.films"]
    done = subprocess.run(command, env=variables, check=True, stdout=subprocess.PIPE)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def main() -> None:
    """Record one block for each number of seats, one of them with a bot that leaves."""
    prepare()
    django.setup()
    create_tables()
    from django.utils import timezone

    from damrak_engine.generator import generate
    from damrak_ladder.matches.boards import add_board
    from ladder.films import recorded_films

    now = timezone.now()
    add_board("crowded", json.dumps(generate(CROWDED, 24)).encode(), now)
    made = {
        "two": recorded_films(2, board="amsterdam", now=now, prefix="gable"),
        "three": recorded_films(3, leaver=1, board="crowded", now=now, prefix="sluice"),
        "four": recorded_films(4, board="amsterdam", now=now, prefix="tulip"),
    }
    keys = {name: matches[0].pk for name, matches in made.items()}
    json.dump(keys | {"four, second game": made["four"][1].pk}, sys.stdout)


if __name__ == "__main__":
    main()

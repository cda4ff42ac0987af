"""Record matches for the viewer in the data folder of DAMRAK_HOME; prints their numbers as JSON."""

from __future__ import annotations

import json
import sys

import django

from damrak_ladder.management import prepare


def main() -> None:
    """One block for each number of seats, one of them with a bot that leaves."""
    prepare()
    django.setup()
    from django.utils import timezone

    from ladder_django.films import recorded_films

    now = timezone.now()
    made = {
        "two": recorded_films(2, board="amsterdam", now=now, prefix="gable"),
        "three": recorded_films(3, leaver=1, now=now, prefix="sluice"),
        "four": recorded_films(4, board="amsterdam", now=now, prefix="tulip"),
    }
    json.dump({name: matches[0].pk for name, matches in made.items()}, sys.stdout)


if __name__ == "__main__":
    main()

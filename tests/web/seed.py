"""Fill the data folder in DAMRAK_HOME for a site that browsers are to look at."""

from __future__ import annotations

import sys

import django

from damrak_ladder.management import manage, prepare


def main(blocks: int) -> None:
    """Make the tables, and let so many blocks be played; none: leave them empty."""
    prepare()
    manage(["migrate", "--verbosity", "0"])
    django.setup()
    from django.utils import timezone

    from ladder_django.sites import fill

    if blocks:
        fill(timezone.now(), blocks=blocks, replays=1)


if __name__ == "__main__":
    main(int(sys.argv[1]))

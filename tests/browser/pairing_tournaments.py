"""Pairs the rounds that are due in the tournaments of a site of browser tests."""

from __future__ import annotations

import django

from damrak_ladder.management import prepare


def main() -> None:
    """Do what the pipeline does for tournaments, once."""
    prepare()
    django.setup()
    from django.utils import timezone

    from damrak_ladder.tournaments.duties import run_duties

    run_duties(timezone.now())


if __name__ == "__main__":
    main()

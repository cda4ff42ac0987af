"""What to type after a refusal of the site, whose own advice names requests of the API."""

from __future__ import annotations

from typing import Final

from damrak.ladder.site import SiteRefusal

CURES: Final = {
    "GET /api/v1/matches": "damrak matches lists those there are",
    "GET /api/v1/tournaments": "damrak tournaments lists those there are",
    "GET /api/v1/bots": "damrak ratings LADDER lists the bots of a ladder",
    "POST /api/v1/bots": "damrak submit creates it with its first version",
    "GET /api/v1/ladders": "see the page /ladders/ of the site",
    "damrak trial --cancel": "damrak trial --cancel ID ends one; your dashboard lists them",
    "GET /api/v1/trials": "your dashboard lists your tests",
    "see /api/v1/openapi.json": "--help describes the options of a command",
    "GET /api/v1/openapi.json": "the site and this program may differ in their versions",
}
"""Advice of commands, by a part of the site's advice."""


def advice(problem: Exception) -> str:
    """Return the message of a problem, with a command in place of a request."""
    if not isinstance(problem, SiteRefusal):
        return str(problem)
    found = (ours for theirs, ours in CURES.items() if theirs in problem.cure)
    return problem.with_cure(next(found, problem.cure))

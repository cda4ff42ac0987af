"""The files of a tournament to download, and its verification by organisers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from damrak_engine.strictjson import canonical
from damrak_ladder.tournaments.collusion_report import report_of
from damrak_ladder.tournaments.export import export_json, stage_trf, standings_csv
from damrak_ladder.tournaments.report import report_pdf
from damrak_ladder.tournaments.verification import verified
from damrak_ladder.web.site.rate_limits import at_most
from damrak_ladder.web.tournaments.lookup import Found, tournament_or_404
from damrak_ladder.web.tournaments.views import context_of

BLOCKS: Final = 100
"""Blocks that one request verifies."""


def download(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Return the export, the tables, the report or a stage as a file."""
    found = tournament_or_404(request, slug)
    kind, _, ending = name.rpartition(".")
    make = _FILES.get(name)
    if make is None and not (ending == "trf" and kind.isdecimal() and kind.isascii()):
        raise Http404
    content = make(found) if make is not None else _trf(found, kind)
    answer = HttpResponse(content, content_type=_TYPES[ending])
    answer["Content-Disposition"] = f'attachment; filename="{slug}-{name}"'
    answer["Cache-Control"] = "private"
    return answer


@at_most(30, 60, "GET")
def verify(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare stored results with their replays, a number of blocks at a time."""
    found = tournament_or_404(request, slug)
    if not found.seen.is_organiser:
        raise Http404
    after = request.GET.get("after", "0")
    if not (after.isascii() and after.isdigit() and len(after) < 19):
        raise Http404
    blocks = list(verified(found.tournament, int(after), BLOCKS))
    problems = [one for one in blocks if one.problem]
    context = {
        "found": blocks,
        "problems": problems,
        "confirmed": len(blocks) - len(problems),
        "next": blocks[-1].block if len(blocks) == BLOCKS else None,
    }
    return render(request, "web/tournaments/verify.html", {**context_of(found), **context})


def collusion(request: HttpRequest, slug: str) -> HttpResponse:
    """Show organisers who profits when one bot sits with another at tables of three and four."""
    found = tournament_or_404(request, slug)
    if not found.seen.is_organiser:
        raise Http404
    report = report_of(request.user, found.tournament)
    return render(
        request, "web/tournaments/collusion.html", {**context_of(found), "report": report}
    )


def _trf(found: Found, stage: str) -> str:
    begun = found.stage(int(stage[:4]))
    if begun.plan.rules.players != 2:
        raise Http404
    return stage_trf(found.tournament, found.seen, begun)


_FILES: Final[dict[str, Callable[[Found], str | bytes]]] = {
    "export.json": lambda found: canonical(export_json(found.tournament, found.seen)),
    "standings.csv": lambda found: standings_csv(found.tournament, found.seen),
    "report.pdf": lambda found: report_pdf(found.tournament, found.seen),
}

_TYPES: Final = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "pdf": "application/pdf",
    "trf": "text/plain; charset=utf-8",
}

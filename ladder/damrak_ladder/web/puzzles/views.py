"""The pages of puzzles."""

from __future__ import annotations

from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from damrak_ladder.puzzles.answers import count_answer
from damrak_ladder.puzzles.daily import puzzle_of
from damrak_ladder.puzzles.gate import public_puzzles
from damrak_ladder.puzzles.models import Puzzle, PuzzleDay
from damrak_ladder.web.puzzles.memory import Memory, recall, remember
from damrak_ladder.web.puzzles.scene import scene_of
from damrak_ladder.web.site.errors import forbidden
from damrak_ladder.web.site.rate_limits import at_most, is_cross_site

PAGE: Final = 30
PAGES: Final = 40
ORDERS: Final = {"new": "-pk", "easy": "difficulty", "hard": "-difficulty"}


@require_safe
@never_cache
def today(request: HttpRequest) -> HttpResponse:
    """Show the puzzle of the day, or how to get one."""
    puzzle = puzzle_of(timezone.now().date())
    if puzzle is None:
        return render(request, "web/puzzles/none.html")
    return _shown(request, puzzle, recall(request))


@csrf_exempt  # a token would give every visitor a cookie; `is_cross_site` is enough
@require_http_methods(["GET", "HEAD", "POST"])
@at_most(120, 3600)
@never_cache
def puzzle(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a puzzle; POST answers it. Only the first answer of a browser counts."""
    found = public_puzzles().filter(pk=pk).first()
    if found is None:
        raise Http404
    memory = recall(request)
    if request.method != "POST":
        return _shown(request, found, memory)
    if is_cross_site(request):
        return forbidden(request, PermissionDenied())
    asked = request.POST.get("choice", "")
    if asked not in {str(number) for number in range(len(found.choices))}:
        return redirect("web:puzzle", pk)
    if memory.answer_to(pk) is None:
        memory = memory.answered(pk, int(asked))
        is_right = int(asked) == found.best
        count_answer(pk, is_right=is_right)
        day = timezone.now().date()
        if is_right and PuzzleDay.objects.filter(day=day, puzzle=found).exists():
            memory = memory.solved_on(day)
    response = redirect("web:puzzle", pk)
    remember(request, response, memory)
    return response


@require_safe
def archive(request: HttpRequest) -> HttpResponse:
    """Show all puzzles, by age or difficulty."""
    order = request.GET.get("sort", "new")
    order = order if order in ORDERS else "new"
    asked = request.GET.get("page", "1")
    number = min(int(asked), PAGES) if asked.isascii() and asked.isdigit() else 1
    rows = public_puzzles().order_by(ORDERS[order], "-pk")[: PAGE * PAGES]
    page = Paginator(rows, PAGE).get_page(number)
    memory = recall(request)
    listed = [(one, memory.answer_to(one.pk)) for one in page]
    context = {"rows": listed, "page": page, "sort": order, "orders": list(ORDERS)}
    return render(request, "web/puzzles/archive.html", context)


def _shown(request: HttpRequest, found: Puzzle, memory: Memory) -> HttpResponse:
    answer = memory.answer_to(found.pk)
    day = timezone.now().date()
    answers = found.right + found.wrong
    context: dict[str, Any] = {
        "puzzle": found,
        "scene": scene_of(found),
        "answer": answer,
        "is_right": answer == found.best,
        "is_today": PuzzleDay.objects.filter(day=day, puzzle=found).exists(),
        "streak": memory.streak_on(day),
        "best_streak": memory.best,
        "answers": answers,
        "share": 100 * found.right // answers if answers else None,
        "next": _next(found, memory) if answer is not None else None,
    }
    return render(request, "web/puzzles/puzzle.html", context)


def _next(found: Puzzle, memory: Memory) -> int | None:
    """Return an older puzzle that this browser has not answered."""
    answered = [pk for pk, _ in memory.answers]
    rows = public_puzzles().exclude(pk__in=answered)
    older = rows.filter(pk__lt=found.pk).order_by("-pk").first()
    other = older or rows.order_by("-pk").first()
    return None if other is None else other.pk

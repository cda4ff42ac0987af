"""The comparison page for any two bots or versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.web.compare.comparison import (
    LONGEST,
    candidates,
    compare as compared,
    known_bots,
    ladders_of,
    version_named,
    versions_of,
)
from damrak_ladder.web.site.access import is_known
from damrak_ladder.web.site.rate_limits import at_most

OFTEN: Final = 120


@dataclass(frozen=True, slots=True)
class Side:
    """The input for one side of a comparison, and the version that it resolves to."""

    name: str  # of the form field
    text: str
    version: Version | None
    candidates: list[tuple[Bot, str]]  # with links to the comparison with each
    versions: list[tuple[str, Version]]  # of the same bot, with their names in addresses

    @property
    def bot(self) -> str:
        """Return the bot's name for the form field, or the input if no bot was found."""
        return self.text if self.version is None else self.version.bot.slug


@at_most(OFTEN, 60, method="GET")
def compare(request: HttpRequest) -> HttpResponse:
    """Show the comparison of `a` and `b`, or a form to choose them.

    The form of a ladder page sends the ticked versions as `bots` instead.
    """
    ticked = [*request.GET.getlist("bots"), "", ""]
    said = {name: _asked(request, name, ticked[at]) for at, name in enumerate("ab")}
    sides = [_side("a", said["a"], "b", said["b"]), _side("b", said["b"], "a", said["a"])]
    first, second = (side.version for side in sides)
    context: dict[str, object] = {"sides": sides, "is_same": False, "known": known_bots()}
    if first is not None and second is not None:
        context["is_same"] = first.pk == second.pk
        ladders = [] if first.pk == second.pk else ladders_of(first, second)
        context["ladders"] = [
            (ladder, _link(ladder=ladder.slug, a=name_of(first), b=name_of(second)))
            for ladder in ladders
        ]
        chosen = _chosen(ladders, request.GET.get("ladder", ""))
        if chosen is not None:
            context["shown"] = compared(chosen, first, second, timezone.now())
            context["test"] = _test(request, first, second)
    return render(request, "web/compare/compare.html", context)


def name_of(version: Version) -> str:
    """Return the name of a version in the address of a comparison."""
    return f"{version.bot.slug}:{version.number}"


def _side(name: str, asked: str, other: str, rest: str) -> Side:
    text = asked.replace("\0", "").strip()[:LONGEST]
    found = version_named(text) if text else None
    if found is not None:
        versions = [(name_of(version), version) for version in versions_of(found)]
        return Side(name, text, found, [], versions)
    kept = rest.replace("\0", "")[:LONGEST]
    links = [(bot, _link(**{name: bot.slug, other: kept})) for bot in candidates(text)]
    return Side(name, text, None, links, [])


def _asked(request: HttpRequest, name: str, ticked: str) -> str:
    """Return the input for one side: the typed bot, or the chosen version of that bot."""
    text = request.GET.get(name, ticked)
    chosen = request.GET.get(f"{name}_version", "")
    # A version that was chosen for a different bot earlier is ignored.
    return chosen if chosen.partition(":")[0] == text.strip().lower() else text


def _link(**asked: str) -> str:
    said = {name: asked[name] for name in ("a", "b", "ladder") if asked.get(name)}
    return "?" + urlencode(said)


def _chosen(ladders: list[Ladder], slug: str) -> Ladder | None:
    return next((one for one in ladders if one.slug == slug), ladders[0] if ladders else None)


def _test(request: HttpRequest, first: Version, second: Version) -> str:
    """Return the address to start a test of both versions, if the user owns one of them."""
    if not is_known(request.user):
        return ""
    for mine, other in ((first, second), (second, first)):
        if mine.bot.owner_id == request.user.pk:
            rival: dict[str, object]
            if other.bot.owner_id == request.user.pk:
                rival = {"own": other.pk}
            elif other.bot.live_id == other.pk:
                rival = {"rival": other.bot.slug}
            else:
                continue  # tests only use live versions of other owners
            return f"{reverse('web:desk_tests')}?{urlencode({'candidate': mine.pk, **rival})}"
    return ""

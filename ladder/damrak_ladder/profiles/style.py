"""How a version plays compared with the best versions of its ladder, in one sentence and figures.

Everything is read from the sums of latest games that the analyst maintains, one row per version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import Sum
from django.utils.text import get_text_list
from django.utils.translation import gettext as _, pgettext

from damrak_ladder.analyses.models import VersionSources
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Standing

FIELD: Final = 50
"""The number of best versions of a ladder with which a version is compared."""

FEWEST: Final = 10
"""The number of games from which a style is described, of the version and of the field."""

MORE: Final = 1.2
LESS: Final = 0.8
_APART: Final = 0.1  # of shares of contracts
_EARLIER: Final = 0.08  # of the length of a game
_SUMS: Final = ("games", "routes", "goods", "contracts_fulfilled", "contracts_failed")
_TIMES: Final = ("goods_taken", "goods_when", "claims", "claims_when")


@dataclass(frozen=True, slots=True)
class Figures:
    """Means per game."""

    games: int
    routes: float
    goods: float
    fulfilled: float
    failed: float
    goods_at: float | None = None  # mean time in the game, from 0 to 1; None without any
    claims_at: float | None = None

    @property
    def contracts(self) -> float:
        """Return the number of contracts per game."""
        return self.fulfilled + self.failed

    @property
    def failing(self) -> float:
        """Return the share of contracts that are not fulfilled."""
        return self.failed / self.contracts if self.contracts else 0.0


@dataclass(frozen=True, slots=True)
class Style:
    """The figures of a version and of the field, and what they say."""

    own: Figures
    field: Figures
    sentence: str


def style_of(ladder: Ladder, version: Version, name: str) -> Style | None:
    """Return the style of a version on a ladder, in two queries; None with too few games."""
    best = Standing.objects.filter(ladder=ladder, seats=ALL, rank__lte=FIELD)
    others = VersionSources.objects.filter(version__in=best.values("version"))
    own = _figures(VersionSources.objects.filter(version=version).aggregate(**_totals()))
    field = _figures(others.exclude(version=version).aggregate(**_totals()))
    if own is None or field is None:
        return None
    return Style(own, field, sentence_of(name, own, field))


def sentence_of(name: str, own: Figures, field: Figures) -> str:
    """Return how these figures differ from those of the field."""
    traits = traits_of(own, field)
    if not traits:
        return _("%(bot)s plays much like the best bots of the ladder.") % {"bot": name}
    # Translators: the last two items of a list, as in "greedy, random and planner".
    listed = get_text_list(traits, pgettext("list", "and"))
    return _("Compared with the best bots of the ladder, %(bot)s %(traits)s.") % {
        "bot": name,
        "traits": listed,
    }


def traits_of(own: Figures, field: Figures) -> list[str]:
    """Return the largest differences as predicates, in a fixed order."""
    found = []
    if own.goods > MORE * field.goods:
        found.append(_("collects more goods"))
    elif own.goods < LESS * field.goods:
        found.append(_("collects fewer goods"))
    if own.routes > MORE * field.routes:
        found.append(_("scores more with its routes"))
    elif own.routes < LESS * field.routes:
        found.append(_("scores less with its routes"))
    if own.contracts > MORE * field.contracts:
        found.append(_("takes more contracts"))
    elif own.contracts < LESS * field.contracts:
        found.append(_("takes fewer contracts"))
    if own.failing < field.failing - _APART:
        found.append(_("rarely fails contracts"))
    elif own.failing > field.failing + _APART:
        found.append(_("often fails contracts"))
    match _timing(own.goods_at, field.goods_at):
        case -1:
            found.append(_("collects goods early"))
        case 1:
            found.append(_("collects goods late"))
    match _timing(own.claims_at, field.claims_at):
        case -1:
            found.append(_("claims its routes early"))
        case 1:
            found.append(_("claims its routes late"))
    return found


def _timing(own: float | None, field: float | None) -> int:
    """Return -1 if something happens clearly earlier than in the field, 1 if later, or else 0."""
    if own is None or field is None or abs(own - field) <= _EARLIER:
        return 0
    return -1 if own < field else 1


def _totals() -> dict[str, Sum]:
    return {f"all_{name}": Sum(name) for name in (*_SUMS, *_TIMES)}


def _figures(sums: dict[str, int | None]) -> Figures | None:
    games, routes, goods, fulfilled, failed = (sums[f"all_{name}"] or 0 for name in _SUMS)
    if games < FEWEST:
        return None
    taken, taken_when, claims, claims_when = (sums[f"all_{name}"] or 0 for name in _TIMES)
    return Figures(
        games,
        routes / games,
        goods / games,
        fulfilled / games,
        failed / games,
        goods_at=taken_when / 1000 / taken if taken else None,
        claims_at=claims_when / 1000 / claims if claims else None,
    )

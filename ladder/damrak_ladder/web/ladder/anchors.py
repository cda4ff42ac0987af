"""The anchors of a ladder on its page: their configured Elo and its check against the games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from damrak_ladder.bots.house import display_name
from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.models import Entry, Ladder
from damrak_ladder.standings.fit.anchor_checks import AnchorCheck, Verdict, checks_by_spec
from damrak_ladder.standings.models import Fit

_VERDICTS: Final = {
    Verdict.FITS: gettext_lazy("fits the games"),
    Verdict.DOUBTFUL: gettext_lazy("doubtful"),
    Verdict.WRONG: gettext_lazy("does not fit the games"),
    Verdict.FEW: gettext_lazy("too few games to tell"),
    Verdict.NONE: gettext_lazy("no games yet"),
}


@dataclass(frozen=True, slots=True)
class UncertainAnchor:
    """An anchor whose configured Elo has a standard deviation."""

    name: str
    elo: float
    error: float
    check: AnchorCheck | None  # None if it has not played

    @property
    def verdict(self) -> Promise:
        """Whether the configured Elo fits the games."""
        return _VERDICTS[self.check.verdict if self.check else Verdict.NONE]

    @property
    def is_wrong(self) -> bool:
        """Whether the games contradict the configured Elo."""
        return self.check is not None and self.check.verdict == Verdict.WRONG


@dataclass(frozen=True, slots=True)
class ShownAnchors:
    """The anchors of a ladder."""

    fixed: tuple[str, ...]
    uncertain: Sequence[UncertainAnchor]
    versions: frozenset[int]  # all anchors that have played

    @property
    def has_games(self) -> bool:
        """Whether any uncertain anchor has played."""
        return any(anchor.check for anchor in self.uncertain)


def waits_for_a_bot(ladder: Ladder) -> bool:
    """Return whether only anchors can play on a ladder: their Elo is given, so they do not."""
    if not ladder.is_open or not ladder.anchors:
        return False
    playing = Entry.objects.filter(ladder=ladder, left=None, bot__live__isnull=False)
    specs = list(ladder.anchors)
    return not playing.exclude(bot__live__kind=Kind.HOUSE, bot__live__spec__in=specs).exists()


def anchors_shown(ladder: Ladder, fit: Fit | None) -> ShownAnchors:
    """Return the anchors, with the checks of this publication."""
    checks = checks_by_spec(fit)
    by_strength = sorted(ladder.anchors.items(), key=lambda item: (-item[1], item[0]))
    return ShownAnchors(
        fixed=tuple(
            display_name(spec) for spec, _ in by_strength if spec not in ladder.anchor_errors
        ),
        uncertain=[
            UncertainAnchor(display_name(spec), elo, ladder.anchor_errors[spec], checks.get(spec))
            for spec, elo in by_strength
            if spec in ladder.anchor_errors
        ],
        versions=frozenset(int(version) for version in fit.anchors) if fit else frozenset(),
    )

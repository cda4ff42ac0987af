"""The configured anchors of a ladder: one is fixed, the others have a standard deviation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from damrak_ladder.matches.errors import BadLadder

USUAL_ERROR: Final = 30.0
"""The standard deviation, in Elo, of an anchor for which none is stated."""

LOWEST_ELO: Final = -10_000.0
HIGHEST_ELO: Final = 10_000.0
_HIGHEST_ERROR: Final = 1000.0


def stated_errors(anchors: Mapping[str, float], errors: Mapping[str, float]) -> dict[str, float]:
    """Returns the standard deviation of every anchor but the fixed one.

    The fixed anchor is the first one for which none is stated.
    """
    fixed = next((spec for spec in anchors if spec not in errors), None)
    return {spec: float(errors.get(spec, USUAL_ERROR)) for spec in anchors if spec != fixed}


def check_anchors(anchors: Mapping[str, float], errors: Mapping[str, float]) -> None:
    """Check that these anchors can hold the scale of a ladder.

    Raises:
        BadLadder: an Elo or a standard deviation is out of range, or no anchor is fixed.
    """
    for spec, elo in anchors.items():
        if not LOWEST_ELO <= elo <= HIGHEST_ELO:
            raise BadLadder("anchors", f"{spec}: {elo:g} is no Elo")
    for spec, error in errors.items():
        if spec not in anchors:
            raise BadLadder("anchor_errors", f"{spec} is not an anchor")
        if not 0 < error <= _HIGHEST_ERROR:
            raise BadLadder(
                "anchor_errors",
                f"{spec}: {error:g} is not above 0 and at most {_HIGHEST_ERROR:g} Elo; "
                "a fixed anchor has no standard deviation",
            )
    if anchors and errors.keys() >= anchors.keys():
        raise BadLadder("anchors", "one must be fixed: give one without a standard deviation")

"""The configured anchors of a ladder: one is fixed, the others have a standard deviation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from damrak_ladder.matches.errors import BadLadder
from damrak_ladder.message_codes import ladder_codes as codes

USUAL_ERROR: Final = 30.0
"""The standard deviation, in Elo, of an anchor for which none is stated."""

LOWEST_ELO: Final = -10_000.0
HIGHEST_ELO: Final = 10_000.0
_HIGHEST_ERROR: Final = 1000.0


def stated_errors(anchors: Mapping[str, float], errors: Mapping[str, float]) -> dict[str, float]:
    """Return the standard deviation of every anchor except the fixed one.

    The fixed anchor is the first one for which none is stated.
    """
    fixed = next((spec for spec in anchors if spec not in errors), None)
    return {spec: float(errors.get(spec, USUAL_ERROR)) for spec in anchors if spec != fixed}


def check_anchors(anchors: Mapping[str, float], errors: Mapping[str, float]) -> None:
    """Check that these anchors can define the scale of a ladder.

    Raises:
        BadLadder: an Elo or a standard deviation is out of range, or no anchor is fixed.
    """
    for spec, elo in anchors.items():
        if not LOWEST_ELO <= elo <= HIGHEST_ELO:
            limits = round(LOWEST_ELO), round(HIGHEST_ELO)
            raise BadLadder("anchors", codes.AnchorElo(spec, *limits))
    for spec, error in errors.items():
        if spec not in anchors:
            raise BadLadder("anchor_errors", codes.NotAnAnchor(spec))
        if not 0 < error <= _HIGHEST_ERROR:
            most = round(_HIGHEST_ERROR)
            raise BadLadder("anchor_errors", codes.AnchorDeviation(spec, most))
    if anchors and errors.keys() >= anchors.keys():
        raise BadLadder("anchors", codes.NoFixedAnchor())

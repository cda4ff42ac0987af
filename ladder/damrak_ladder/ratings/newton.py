"""The maximum of the penalised likelihood, by Newton's method.

The likelihood is strictly concave, so it has one maximum, which does not depend on the start of the
search. The search continues until the maximum is known to more than ten digits, so that published
numbers do not depend on the rounding of intermediate sums.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from damrak_ladder.ratings.curvature import System, solved
from damrak_ladder.ratings.history import History
from damrak_ladder.ratings.model import Model, Point
from damrak_ladder.ratings.scale import Floats

_LONGEST: Final = 3.0  # the most that a parameter may move in one step, in logits
_CLOSE: Final = 1e-6  # a step shorter than this is the last: the error after it is its square
_MOST_STEPS: Final = 100
_THIN: Final = 200_000  # the number of blocks from which the search starts with a part of them
_PART: Final = 8
_DIRECT: Final = 500  # the number of parameters up to which a direct solution is fastest


def maximum(model: Model, history: History, start: Floats | None = None) -> Point:
    """Return the most likely parameters."""
    if start is None and len(history) >= _THIN:
        thin = history.thinned(_PART)
        rough = Model(thin, model.versions, model.scale)
        start = _climb(rough, rough.start(), close=0.05).strength
    return _climb(model, model.start(start), _CLOSE)


def _climb(model: Model, point: Point, close: float) -> Point:
    sweeps = model.sweeps(point)
    height = model.likelihood(point, sweeps)
    tolerance = 0.05
    for _ in range(_MOST_STEPS):
        bends, slope = model.curvature(point, sweeps), model.slope(point, sweeps)
        if model.size <= _DIRECT:
            step = solved(bends, slope, model.free)
        else:
            system = System(bends, model.free, point.strength)
            step = system.solve(slope[:, None], tolerance)[:, 0]
        length = float(np.max(np.abs(step), initial=0.0))
        if length <= close:
            return Point(point.values + step, model.versions)
        step *= min(1.0, _LONGEST / length)
        while True:
            ahead = Point(point.values + step, model.versions)
            sweeps = model.sweeps(ahead)
            higher = model.likelihood(ahead, sweeps)
            if higher >= height - 1e-9 * abs(height):
                break
            step /= 2
        point, height = ahead, higher
        # With a residual of this relative size, the next step is no longer than Newton's would be.
        tolerance = min(tolerance, max(1e-6, 0.1 * length * length))
    raise ArithmeticError("the fit did not converge")

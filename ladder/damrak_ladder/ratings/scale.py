"""Conversion between Elo and the logits of the calculation."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Small = NDArray[np.int8]
Booleans = NDArray[np.bool_]

ELO_PER_LOGIT: Final = 400 / math.log(10)
NORMAL_975: Final = 1.959963984540054


def reach(error: Floats, freedom: Floats) -> Floats:
    """Return half the width of the 95 % interval, in logits, of estimates with these errors.

    It uses Student's quantile, because the error is itself estimated, and Wilson's form of the
    interval, which is accurate for shares near 0 and 1. For small errors it is approximately the
    quantile times the error.
    """
    quantile = stdtrit(np.maximum(freedom, 1.0), 0.975)
    return np.asarray(2 * np.arcsinh(quantile * error / 2), dtype=np.float64)

"""Between the numbers that people read and those that are calculated with."""

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
    """Half the width of the 95 % interval, in logits, around estimates with these errors.

    Student's quantile, because the error is itself estimated; and Wilson's form of the interval,
    which is what a share near 0 or 1 needs. For small errors it is simply quantile times error.
    """
    quantile = stdtrit(np.maximum(freedom, 1.0), 0.975)
    return np.asarray(2 * np.arcsinh(quantile * error / 2), dtype=np.float64)

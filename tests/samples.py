"""The number of random samples of a test: `make quick` takes a fifth, `make test` all of them."""

from __future__ import annotations

import os
from typing import Final

from hypothesis import settings

IS_QUICK: Final = "DAMRAK_QUICK" in os.environ


def samples(number: int) -> int:
    """Return this number, or a fifth of it, rounded up, in `make quick`."""
    return -(-number // 5) if IS_QUICK else number


def examples(number: int) -> settings:
    """Return a decorator for a property test with this number of examples in `make test`."""
    return settings(max_examples=samples(number))

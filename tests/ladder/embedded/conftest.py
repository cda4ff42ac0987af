"""The platform requires permission to inspect other processes."""

from __future__ import annotations

import sys

collect_ignore = [] if sys.platform == "linux" else ["test_up.py"]

"""A platform is for those who may see what other processes do."""

from __future__ import annotations

import sys

collect_ignore = [] if sys.platform == "linux" else ["test_up.py"]

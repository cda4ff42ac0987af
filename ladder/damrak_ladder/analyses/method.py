"""Which analyses say the same of the same replay."""

from __future__ import annotations

from typing import Final

METHOD: Final = 1
"""Another number means other numbers: what was computed before is computed anew when asked for."""

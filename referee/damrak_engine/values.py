"""Dataclasses that are frozen for type checkers only.

Every decision creates several events and effects. `frozen=True` sets each field with
`object.__setattr__`, which is three times as slow as an assignment. So immutability is enforced
only by type checkers, for which `value` is `dataclass` itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as value
else:
    from dataclasses import dataclass

    def value(*, frozen, slots):
        """Return a `dataclass` with equality and a hash; the arguments are for type checkers."""
        assert frozen
        return dataclass(slots=slots, unsafe_hash=True)


__all__ = ["value"]

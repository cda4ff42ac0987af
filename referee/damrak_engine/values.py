"""Dataclasses that only type checkers hold frozen.

Events and effects are made several at every decision. `frozen=True` makes each field an
`object.__setattr__`, three times as slow as an assignment; to see to it that nobody assigns is
left to the type checker, to whom `value` is `dataclass` itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as value
else:
    from dataclasses import dataclass

    def value(*, frozen, slots):
        """`dataclass` with equality and a hash; the arguments say what type checkers see."""
        assert frozen
        return dataclass(slots=slots, unsafe_hash=True)


__all__ = ["value"]

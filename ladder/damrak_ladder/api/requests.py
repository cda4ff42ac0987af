"""The base class of request bodies."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, field_validator

EXACT: Final = 1 << 53
"""Below this, floating-point numbers stand for one whole number."""


class Body(BaseModel):
    """A JSON object with exactly the declared fields, whose values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @field_validator("*", mode="before")
    @classmethod
    def _integral(cls, value: object) -> object:
        """Return a whole number as an integer, which `2.0` is in JSON Schema, too."""
        if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
            return int(value)
        return value

"""Filters of matches and of the seats in them."""

from __future__ import annotations

from dataclasses import dataclass

Bounds = tuple[float | None, float | None]
"""The lowest and the highest rating; None for no bound."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which seats are wanted: all conditions must hold for the same seat."""

    bot: str | None = None
    seat: int | None = None
    rating: Bounds | None = None

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            ValueError: the lower bound is above the upper one.
        """
        low, high = self.rating or (None, None)
        if low is not None and high is not None and low > high:
            raise ValueError(f"rating: the lower bound {low:g} is above the upper one {high:g}")

    def seats(self, bots: tuple[str, ...], ratings: tuple[float | None, ...]) -> list[bool]:
        """Return for each seat whether it is wanted."""
        return [
            self.seat in (None, number) and self.bot in (None, bot) and self._is_rated(rating)
            for number, (bot, rating) in enumerate(zip(bots, ratings, strict=True))
        ]

    def _is_rated(self, rating: float | None) -> bool:
        if self.rating is None:
            return True
        low, high = self.rating
        if rating is None:
            return False
        return (low is None or rating >= low) and (high is None or rating <= high)

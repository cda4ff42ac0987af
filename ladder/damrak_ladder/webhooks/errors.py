"""Errors of webhooks."""

from __future__ import annotations


class UnknownTarget(Exception):
    """The target does not exist, or not for this user."""

    def __init__(self, target: str, name: str) -> None:
        super().__init__(f"there is no {target} {name}")
        self.target = target
        self.name = name


class TooManyEndpoints(Exception):
    """The user has the maximum number of endpoints."""

    def __init__(self, most: int) -> None:
        super().__init__(f"you have {most} endpoints, which is the maximum")
        self.most = most

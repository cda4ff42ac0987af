"""The answers that the description declares."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from damrak_ladder.api.application import api


@cache
def description() -> dict[str, Any]:
    """Return the description of the API."""
    return dict(api.get_openapi_schema(path_prefix="/api/v1/"))


@cache
def _operations() -> list[tuple[str, re.Pattern[str], dict[str, Any]]]:
    return [
        (method, _pattern(path), operation)
        for path, operations in description()["paths"].items()
        for method, operation in operations.items()
    ]


def operation_at(method: str, path: str) -> dict[str, Any] | None:
    """Return the operation at this address, if there is one."""
    bare = path.partition("?")[0]
    found = (
        operation
        for known, pattern, operation in _operations()
        if known == method and pattern.fullmatch(bare)
    )
    return next(found, None)


def check_declared(method: str, path: str, status: int) -> None:
    """Check that the description declares this answer, if there is such an operation."""
    operation = operation_at(method, path)
    if operation is not None:
        assert str(status) in operation["responses"], f"{method} {path} does not declare {status}"


def _pattern(path: str) -> re.Pattern[str]:
    numbers = re.sub(r"\\{(\w+_id|seat)\\}", "[0-9]+", re.escape(path))
    return re.compile(re.sub(r"\\{\w+\\}", "[^/]+", numbers))

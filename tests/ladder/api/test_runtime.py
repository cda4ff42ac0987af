"""The published runtime has the same fields as the runtime that hosts report."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from damrak_ladder.api import runtime as shapes
from damrak_wire import runtime


@pytest.mark.parametrize(
    ("shape", "reported"),
    [
        (shapes.BotRuntimeShape, runtime.BotRuntime),
        (shapes.LimitsShape, runtime.BotLimits),
        (shapes.OptionalRuntimeShape, runtime.OptionalRuntime),
        (shapes.PackageShape, runtime.PythonPackage),
        (shapes.InterpreterShape, runtime.Interpreter),
    ],
)
def test_a_shape_has_all_fields(shape: Any, reported: Any) -> None:
    assert list(shape.model_fields) == [field.name for field in fields(reported)]

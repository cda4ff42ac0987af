"""The runtime of uploaded bots survives every encoding, and malformed input is rejected."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from damrak_proto.v1 import control_pb2 as pb
from damrak_wire.errors import WireError
from damrak_wire.runtime import (
    MOST_INTERPRETERS,
    decode_runtime,
    encode_runtime,
    parse_runtime,
)
from damrak_wire.status import decode_status
from runtimes import RUNTIME


def test_runtime_survives_json_and_wire() -> None:
    assert parse_runtime(RUNTIME.to_json()) == RUNTIME
    message = pb.BotRuntime.FromString(encode_runtime(RUNTIME).SerializeToString())
    assert decode_runtime(message) == RUNTIME


def _many(said: dict[str, Any]) -> None:
    said["interpreters"] *= MOST_INTERPRETERS + 1


@pytest.mark.parametrize(
    ("twist", "problem"),
    [
        (lambda it: it.pop("cpu"), "missing or unknown fields: 'cpu'"),
        (lambda it: it.update(more=1), "missing or unknown fields: 'more'"),
        (lambda it: it.update(python=3), "python: is not a line"),
        (lambda it: it.update(python="x" * 121), "python: is not a line"),
        (lambda it: it.update(cpu="a\x1b[31m"), "cpu: is not a line"),
        (lambda it: it.update(cpu="a\n"), "cpu: is not a line"),
        (lambda it: it.update(processors=True), "processors: is not a number"),
        (lambda it: it.update(processors=-1), "processors: is not a number"),
        (lambda it: it.update(packages={}), "packages: is not a list"),
        (lambda it: it["packages"][0].update(modules=[3]), "modules: is not a line"),
        (lambda it: it["packages"][0].update(modules=["x"] * 101), "more than 100"),
        (_many, "more than 40"),
        (lambda it: it["limits"].update(memory_mb=2**32), "limits.memory_mb: is not a number"),
        (lambda it: it["limits"].update(memory_is_shared=1), "neither true nor false"),
        (lambda it: it.update(limits=[]), "limits: is not an object"),
        (lambda it: it.pop("runtimes"), "missing or unknown fields: 'runtimes'"),
        (lambda it: it.update(runtimes=it["runtimes"] * 21), "more than 20"),
        (lambda it: it["runtimes"][0].update(name="a\n"), "runtimes.name: is not a line"),
        (lambda it: it["runtimes"][0].update(imports=[3]), "runtimes.imports: is not a line"),
        (lambda it: it["runtimes"][0].update(import_ms=1.5), "runtimes.import_ms: is not a number"),
        (lambda it: it["runtimes"][0]["packages"][0].pop("name"), "unknown fields: 'name'"),
    ],
)
def test_malformed_runtime_is_refused(twist: Callable[[Any], object], problem: str) -> None:
    said = copy.deepcopy(RUNTIME.to_json())
    twist(said)
    with pytest.raises(WireError, match=problem):
        parse_runtime(said)


def test_status_does_without_a_malformed_runtime() -> None:
    status = pb.GetStatusResponse(referee="quay", runtime=encode_runtime(RUNTIME))
    assert decode_status(status).runtime == RUNTIME
    status.runtime.cpu = "x" * 1000
    found = decode_status(status)
    assert (found.referee, found.runtime) == ("quay", None)
    assert found.runtime_problem.startswith("cpu:")
    assert decode_status(pb.GetStatusResponse()).runtime is None

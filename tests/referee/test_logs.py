"""Logs never contain secrets, and libraries log in the same format."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

PROGRAM = """
import logging, structlog
from damrak_referee.logs import configure_logs
configure_logs({format!r}, "info", referee="one")
log = structlog.get_logger()
with structlog.contextvars.bound_contextvars(match="m1", block="b1"):
    log.info("something", ticket="SECRET", token="SECRET", seed="SECRET", authorization="SECRET")
    log.debug("too small to be told")
    variable = "SECRET".lower().upper()
    try:
        raise ValueError("told with its traceback")
    except ValueError:
        log.exception("failed")
logging.getLogger("a.library").error("said %s", "this")
logging.getLogger("a.library").info("not told")
"""


def _lines(log_format: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(format=log_format)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    assert "SECRET" not in done.stderr
    return done.stderr.splitlines()


def test_json_lines_carry_match_block_and_referee() -> None:
    first, failed, library = [json.loads(line) for line in _lines("json")]
    assert first["event"] == "something"
    assert (first["match"], first["block"], first["referee"]) == ("m1", "b1", "one")
    assert first["ticket"] == "…"
    assert "told with its traceback" in json.dumps(failed["exception"])
    assert library["event"] == "said this"
    assert library["level"] == "error"


def test_text_is_for_people() -> None:
    lines = _lines("text")
    assert "something" in lines[0]
    assert "match=m1" in lines[0]

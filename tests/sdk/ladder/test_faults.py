"""`damrak submit` shows the end of a traceback, and the beginning of a stack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from damrak.ladder.address import parse_site
from damrak.ladder.faults import gather
from damrak.ladder.site import Site

VERSION = {"id": 7, "bot": "my-bot", "number": 3}


def remains_of(monkeypatch: pytest.MonkeyPatch, folder: Path, traceback: str) -> tuple[str, ...]:
    """Return the lines that are shown of a failure with this traceback."""
    answers: dict[str, Any] = {
        "versions/7/failures": [
            {
                "match": 5,
                "seat": 0,
                "attempt": 1,
                "reason": "timeout",
                "detail": "no answer within 500 ms",
                "log": "/log",
                "bundle": "/bundle",
            }
        ],
        "/log": [{"attempt": 1, "output": "", "traceback": traceback}],
        "/bundle": {"format": "damrak-repro/1"},
    }
    monkeypatch.setattr(Site, "get", lambda self, path, **query: answers[path])
    found = gather(Site(parse_site("http://127.0.0.1:1")), VERSION, folder)
    assert found is not None
    return found.traceback


def test_stack_is_shown_from_its_beginning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    frames = "".join(f'  File "/bot/bot.py", line {n}, in f\n' for n in range(100))
    lines = remains_of(monkeypatch, tmp_path, f"Stack (most recent call last):\n{frames}")
    assert lines[0] == "Stack (most recent call last):"
    assert lines[1] == '  File "/bot/bot.py", line 0, in f'
    assert len(lines) < 100


def test_traceback_is_shown_to_its_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    frames = "".join(f'  File "/bot/bot.py", line {n}, in f\n' for n in range(100))
    text = f"Traceback (most recent call last):\n{frames}ValueError: no\x1b[2J\n"
    lines = remains_of(monkeypatch, tmp_path, text)
    assert lines[-1] == "ValueError: no\N{REPLACEMENT CHARACTER}[2J"
    assert len(lines) < 100

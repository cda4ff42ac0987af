"""GIF films of recorded matches, rendered on demand by a subprocess and cached in files."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Final

from django.conf import settings

from damrak_ladder.accounts.errors import TooOften
from damrak_ladder.installation.files import write_whole
from damrak_ladder.matches.models import Match
from damrak_ladder.web.replays.film_writer import SECONDS, Script
from damrak_ladder.web.replays.sources import moments, names_of, replay_of
from damrak_ladder.web.replays.viewpoints import ALL

KEPT: Final = 500
"""The number of cached films, a quarter of a megabyte each; others are rendered again on demand."""

_FORMAT: Final = "1"
_PROGRAM: Final = "damrak_ladder.web.replays.film_writer"
_WAIT_S: Final = 15.0
# One film is rendered at a time, and only a few requests may wait.
_DRAWING: Final = BoundedSemaphore(1)
_WAITING: Final = BoundedSemaphore(6)


def film_of(match: Match) -> bytes:
    """Return the GIF of a recorded match.

    Raises:
        TooOften: too many others are being rendered.
    """
    names = names_of(match)
    told = json.dumps([_FORMAT, match.replay, names])
    folder: Path = settings.DAMRAK_HOME / "films"
    path = folder / f"{hashlib.sha256(told.encode()).hexdigest()[:32]}.gif"
    with suppress(FileNotFoundError):
        return _kept(path)
    if not _WAITING.acquire(blocking=False):
        raise TooOften(int(_WAIT_S))
    try:
        if not _DRAWING.acquire(timeout=_WAIT_S):
            raise TooOften(int(_WAIT_S))
        try:
            with suppress(FileNotFoundError):
                return _kept(path)  # another request has rendered it while we waited
            film = _made(_script(match, names))
            _keep(path, film)
            return film
        finally:
            _DRAWING.release()
    finally:
        _WAITING.release()


def _script(match: Match, names: list[str]) -> Script:
    claims = []
    scores = [0] * len(names)
    values: dict[str, Any] = {}
    for event, changes in moments(match, ALL):
        values |= changes
        # The final scoring counts the points again from zero, with the same result.
        scores = [values[f"s{seat}"] for seat in range(len(names))]
        if event["event"] == "claim":
            claims.append([event["route"], event["seat"], scores])
    board = replay_of(match).board.source
    return {"board": board, "names": names, "claims": claims, "end": scores}


def _made(script: Script) -> bytes:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", _PROGRAM],
        input=json.dumps(script).encode(),
        stdout=subprocess.PIPE,
        check=True,
        timeout=2 * SECONDS,
    )
    return done.stdout


def _kept(path: Path) -> bytes:
    film = path.read_bytes()
    with suppress(OSError):
        os.utime(path)
    return film


def _keep(path: Path, film: bytes) -> None:
    write_whole(path, film)
    every = sorted(path.parent.glob("*.gif"), key=_used, reverse=True)
    for old in every[KEPT:]:
        old.unlink(missing_ok=True)


def _used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # removed by another process
        return 0.0

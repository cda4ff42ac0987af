"""Records of a version that failed: its log, and a bundle to reproduce the failure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from damrak.atomic import write_atomically
from damrak.errors import LadderError
from damrak.ladder.safe_text import printed
from damrak.ladder.site import Site

_LINES: Final = 25


@dataclass(frozen=True, slots=True)
class Remains:
    """The last failure of a version."""

    match: int
    reason: str
    detail: str
    log: tuple[str, ...]
    traceback: tuple[str, ...]
    bundle: Path | None


def gather(site: Site, version: dict[str, Any], folder: Path) -> Remains | None:
    """Return the records of a version's last failure, if any, and save its bundle to the folder."""
    try:
        found: list[dict[str, Any]] = site.get(f"versions/{version['id']}/failures")
        if not found:
            return None
        last = found[0]
        logs: list[dict[str, Any]] = site.get(str(last["log"]))
        log = next((row for row in logs if row["attempt"] == last["attempt"]), {})
        return Remains(
            match=int(last["match"]),
            reason=str(last["reason"]),
            detail=str(last["detail"]),
            log=_tail(log.get("output")),
            traceback=_lines(log.get("traceback")),
            bundle=_keep(site, last, version, folder),
        )
    except (LadderError, KeyError, TypeError, ValueError):
        return None


def _keep(
    site: Site, failure: dict[str, Any], version: dict[str, Any], folder: Path
) -> Path | None:
    try:
        bundle = site.get(str(failure["bundle"]))
    except LadderError:  # some failures have no bundle: those of programs in other languages
        return None
    bot = re.sub(r"[^A-Za-z0-9_-]+", "-", str(version["bot"]))
    reason = re.sub(r"[^a-z_]+", "-", str(failure["reason"]))
    number, match, seat = (int(n) for n in (version["number"], failure["match"], failure["seat"]))
    path = folder / f"{bot}-{number}-match{match}-seat{seat}-{reason}.json"
    folder.mkdir(exist_ok=True)
    write_atomically(path, (json.dumps(bundle, indent=1) + "\n").encode())
    return path


def _lines(traceback: object) -> tuple[str, ...]:
    """Return the end of a traceback, which names the exception, or the beginning of a stack."""
    text = str(traceback or "")
    if not text.startswith("Stack"):
        return _tail(text)
    return tuple(printed(line) for line in text.rstrip().splitlines()[: 2 * _LINES])


def _tail(text: object) -> tuple[str, ...]:
    return tuple(printed(line) for line in str(text or "").rstrip().splitlines()[-_LINES:])

"""Following a version's qualification step by step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from damrak.errors import LadderError
from damrak.ladder.site import Site, SiteAway, SiteRefusal

EVERY: Final = 1.0  # seconds between polls
LATER: Final = 5.0  # seconds between polls after `_SOON` polls
_SOON: Final = 60  # polls
_AWAY: Final = 300.0  # seconds of retries without an answer before giving up


@dataclass(frozen=True, slots=True)
class Step:
    """One step in the history of a version."""

    kind: str
    text: str
    at: str = ""
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Travel:
    """A version being followed: `steps` yields its steps and ends when it has arrived."""

    site: Site
    version_id: int
    sleep: Callable[[float], None] = time.sleep
    version: dict[str, Any] = field(default_factory=dict)

    def steps(self) -> Iterator[Step]:
        """Yield all steps in order, polling the site until there are no more to come.

        If the site is temporarily unavailable, requests are retried with back-off.

        Raises:
            LadderError: the site refuses, or was unavailable for too long.
        """
        known, looks = 0, 0
        while True:
            said = self._look(known)
            for row in said["steps"]:
                known = max(known, int(row["id"]))
                yield Step(str(row["kind"]), str(row["text"]), str(row["at"]), dict(row["detail"]))
            self.version = said["version"]
            if said["is_over"]:
                return
            looks += 1
            self.sleep(EVERY if looks < _SOON else LATER)

    def _look(self, known: int) -> dict[str, Any]:
        waited, wait = 0.0, EVERY
        while True:
            try:
                said: dict[str, Any] = self.site.get(
                    f"versions/{self.version_id}/steps", after=known
                )
                if not {"steps", "version", "is_over"} <= said.keys():
                    raise LadderError(f"{self.site.address.text}: its response is invalid")
                return said
            except (SiteAway, SiteRefusal) as trouble:
                is_passing = isinstance(trouble, SiteAway) or trouble.status in (429, 503)
                if not is_passing or waited > _AWAY:
                    raise
                self.sleep(wait)
                waited, wait = waited + wait, min(2 * wait, 30.0)

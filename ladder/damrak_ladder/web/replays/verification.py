"""The check of a stored replay while the reader waits, and its findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from damrak_engine.errors import ReplayError
from damrak_engine.replay import parse_replay
from damrak_engine.verify import verify
from damrak_ladder.matches.boards import board_of
from damrak_ladder.matches.errors import UnknownBoard
from damrak_ladder.matches.models import Match
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.publication import Difference, differences
from damrak_ladder.replays.signatures import platform_key
from damrak_ladder.replays.storage import load
from damrak_ladder.web.replays.words import DASH

# In the order in which the verifier checks them.
_PARTS: Final = (
    "header",
    "event",
    "result",
    "hash",
    "commitment",
    "signature",
    "match",
    "published",
)


@dataclass(frozen=True, slots=True)
class Check:
    """A single check; `holds` is None if it was not reached."""

    name: str
    text: str
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of all checks."""

    checks: tuple[Check, ...]
    problem: str

    @property
    def holds(self) -> bool:
        """Return whether all checks passed."""
        return not self.problem


def check(match: Match) -> Verdict:
    """Check the stored replay of a match in full, without a cache."""
    key = platform_key()
    events, hash_, failed, problem = 0, match.replay, "", ""
    try:
        data = load(match.replay)
        verify(data, published=board_of(match.block.board), signed=key.has_signed)
        replay = parse_replay(data)
        events, hash_ = len(replay.events), replay.hash
        if (replay.match, replay.block) != (str(match.pk), str(match.block_id)):
            failed, problem = "match", f"{replay.match} / {replay.block}"
        elif found := differences(match, replay):
            failed, problem = "published", "; ".join(_difference(one) for one in found)
    except ReplayError as wrong:
        failed, problem = wrong.where.split()[0], str(wrong)
    except (ReplayStoreError, UnknownBoard) as wrong:
        failed, problem = "header", str(wrong)
    texts = {
        "header": _(
            "The file is complete, has the format damrak-replay/1, and uses the published board."
        ),
        "event": _("All %(n)s events are legal, and every card matches the seed.")
        % {"n": events or "…"},
        "result": _("The result follows from the events."),
        "hash": _("The hash is correct: %(hash)s") % {"hash": hash_},
        "commitment": _("The seed matches the commitment that was published before the match."),
        "signature": _("The signature was made with the key of this site: %(key)s")
        % {"key": key.public},
        "match": _("The replay belongs to this match and block."),
        "published": _("The bots, places, points and faults on this site match the replay."),
    }
    bad = _PARTS.index(failed) if failed in _PARTS else len(_PARTS)
    checks = tuple(
        Check(name, texts[name], None if i > bad else i != bad) for i, name in enumerate(_PARTS)
    )
    return Verdict(checks, problem)


def _difference(found: Difference) -> str:
    if found.what == "seats":
        return _("%(shown)s seats shown, %(replayed)s in the replay") % {
            "shown": found.shown,
            "replayed": found.replayed,
        }
    return _("seat %(seat)s, %(what)s: %(shown)s shown, %(replayed)s in the replay") % {
        "seat": found.seat + 1,
        "what": {
            "bot": _("bot"),
            "turn": _("turn order"),
            "place": _("place"),
            "points": _("points"),
            "fault": _("fault"),
        }[found.what],
        "shown": found.shown or DASH,
        "replayed": found.replayed or DASH,
    }

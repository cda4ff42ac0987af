"""A replay checked again before the reader's eyes, and what was checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from damrak_engine.errors import ReplayError
from damrak_engine.replay import parse_replay
from damrak_engine.verify import verify
from damrak_ladder.matches.models import Match
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.keeping import load
from damrak_ladder.replays.signing import platform_key

# In the order in which the verifier goes through them.
_PARTS: Final = ("header", "event", "result", "hash", "commitment", "signature", "match")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked; `holds` is None if it did not come to that."""

    name: str
    text: str
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that was checked."""

    checks: tuple[Check, ...]
    problem: str

    @property
    def holds(self) -> bool:
        """Whether all is true."""
        return not self.problem


def check(match: Match) -> Verdict:
    """Check the stored replay of a match in full, now."""
    key = platform_key()
    events, hash_, failed, problem = 0, match.replay, "", ""
    try:
        data = load(match.replay)
        header = verify(data, signed=key.has_signed)
        events, hash_ = len(parse_replay(data).events), header.hash
        if (header.match, header.block) != (str(match.pk), str(match.block_id)):
            failed, problem = "match", f"{header.match} / {header.block}"
    except ReplayError as wrong:
        failed, problem = wrong.where.split()[0], str(wrong)
    except ReplayStoreError as wrong:
        failed, problem = "header", str(wrong)
    texts = {
        "header": _("The file is complete and has the form damrak-replay/1."),
        "event": _(
            "Each of its %(n)s events is legal where it stands, and every card is the one that the"
            " dice of the seed give."
        )
        % {"n": events or "…"},
        "result": _("The result is the one that follows from the events."),
        "hash": _("The hash is right: %(hash)s") % {"hash": hash_},
        "commitment": _("The seed is the one that was promised before the match."),
        "signature": _("The signature is by the key of this platform: %(key)s")
        % {"key": key.public},
        "match": _("It is the replay of this match of this block."),
    }
    bad = _PARTS.index(failed) if failed in _PARTS else len(_PARTS)
    checks = tuple(
        Check(name, texts[name], None if i > bad else i != bad) for i, name in enumerate(_PARTS)
    )
    return Verdict(checks, problem)

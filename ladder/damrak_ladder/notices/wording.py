"""Texts of notices: for each kind the subject and the text, translated to the reader's language.

Each function returns arguments of `tell`:

    tell(user, kind, key, *qualified("Hare", 3), link, now)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise, lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from damrak_ladder.notices.plain_words import in_words

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

Said = tuple[Promise, Promise]

_in_words = lazy(in_words, str)
"""Translates a message of a lower layer lazily, once the reader is known."""


def qualified(bot: str, number: int, *, is_live: bool = True) -> Said:
    """Return the notice that a version has qualified, and whether it is live."""
    live = _("Version {number} of {bot} has played its qualification block and plays from now on.")
    ready = _(
        "Version {number} of {bot} has played its qualification block. "
        "You decide on its page whether it goes live."
    )
    return (
        _said(_("{bot}: version {number} has qualified"), bot=bot, number=number),
        _said(live if is_live else ready, bot=bot, number=number),
    )


def failed(bot: str, number: int, reason: str) -> Said:
    """Return the notice that a version did not qualify."""
    return (
        _said(_("{bot}: version {number} did not qualify"), bot=bot, number=number),
        _said(
            _(
                "Version {number} of {bot} did not get through its qualification block: {reason}\n"
                "The logs and everything needed to repeat the failure are on its page. "
                "The version that was live before goes on playing."
            ),
            bot=bot,
            number=number,
            reason=_in_words(reason),
        ),
    )


def benched(bot: str, number: int, reason: str) -> Said:
    """Return the notice that a version was benched for too many faults."""
    return (
        _said(_("{bot}: version {number} was benched"), bot=bot, number=number),
        _said(
            _(
                "Version {number} of {bot} plays no more, because it broke down too often: "
                "{reason}\n"
                "The evidence is on its page. A new version gets the bot back into play."
            ),
            bot=bot,
            number=number,
            reason=_in_words(reason),
        ),
    )


def test_finished(first: str, second: str, verdict: str) -> Said:
    """Return the notice that a sequential test between two versions has ended."""
    return (
        _said(_("Test finished: {first} against {second}"), first=first, second=second),
        _said(
            _("The test of {first} against {second} has ended: {verdict}"),
            first=first,
            second=second,
            verdict=_in_words(verdict),
        ),
    )


def canary_finished(bot: str, number: int, elo: int, low: int, high: int) -> Said:
    """Return the notice that a canary has played its shadow games."""
    return (
        _said(_("{bot}: the canary of version {number} is done"), bot=bot, number=number),
        _said(
            _(
                "Version {number} of {bot} has played its games as a canary. "
                "Its estimate is {elo} Elo, with 95 % certainty between {low} and {high}.\n"
                "You decide on its page whether it goes live."
            ),
            bot=bot,
            number=number,
            elo=elo,
            low=low,
            high=high,
        ),
    )


def rank_change(bot: str, ladder: str, before: int, after: int) -> Said:
    """Return the notice that a bot's rank has changed."""
    subject = (
        _("{bot} climbs to rank {after} of {ladder}")
        if after < before
        else _("{bot} falls to rank {after} of {ladder}")
    )
    return (
        _said(subject, bot=bot, after=after, ladder=ladder),
        _said(
            _("On the ladder {ladder}, {bot} was at rank {before} and is now at rank {after}."),
            bot=bot,
            ladder=ladder,
            before=before,
            after=after,
        ),
    )


def tournament_round(bot: str, tournament: str, number: int) -> Said:
    """Return the notice that a round in which a bot plays is about to begin."""
    return (
        _said(_("{tournament}: round {number} begins"), tournament=tournament, number=number),
        _said(
            _("{bot} plays in round {number} of {tournament}, which begins now."),
            bot=bot,
            tournament=tournament,
            number=number,
        ),
    )


def host_quarantined(host: str, reason: str) -> Said:
    """Return the notice that a host was quarantined."""
    return (
        _said(_("Host {host} is in quarantine"), host=host),
        _said(
            _(
                "Host {host} gets no more blocks: {reason}\n"
                "Blocks it played that are in doubt are played again elsewhere. "
                "It stays in quarantine until a member of staff releases it."
            ),
            host=host,
            reason=_in_words(reason),
        ),
    )


def dead_block(block: int, tries: int, reason: str) -> Said:
    """Return the notice that a block was tried too often."""
    return (
        _said(_("Block {block} was given up"), block=block),
        _said(
            _(
                "Block {block} was tried {tries} times and never finished. "
                "The last trouble: {reason}\n"
                "On its page it can be queued again."
            ),
            block=block,
            tries=tries,
            reason=_in_words(reason),
        ),
    )


def replays_wrong(count: int, looked_at: int, findings: str) -> Said:
    """Return the notice that some of the verified replays are damaged, lost or false."""
    return (
        _said(_("Stored replays that are not true: {count}"), count=count),
        _said(
            _(
                "Of {looked_at} stored replays that were verified, these are damaged, lost or "
                "not true:\n{findings}\n"
                "See whether their store is damaged, and bring them back from a backup."
            ),
            looked_at=looked_at,
            findings=findings,
        ),
    )


def _said(sentence: _StrPromise, **parts: Any) -> Promise:
    return format_lazy(sentence, **parts)

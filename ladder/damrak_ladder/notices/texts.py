"""Texts of notices: for each kind the subject and the text, translated to the reader's language.

Each function returns arguments of `tell`:

    tell(user, kind, key, *qualified("Hare", 3), link, now)
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.formats import date_format
from django.utils.functional import Promise, lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.time_ordered_ids import short_form

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

Said = tuple[Promise, Promise]


def _dated(at: datetime) -> str:
    return f"{date_format(at, 'DATETIME_FORMAT')} ({at:%Z})"


date_of = lazy(_dated, str)
"""Words a time once the reader is known."""

_text_of = lazy(text_of, str)
"""Words a message once the reader is known."""


def qualified(bot: str, number: int, *, is_live: bool = True) -> Said:
    """Return the notice that a version has qualified, and whether it is live."""
    live = _("Version {number} of {bot} has passed its qualification block and is now live.")
    ready = _(
        "Version {number} of {bot} has passed its qualification block. Decide "
        "on its page whether it goes live."
    )
    return (
        said(_("{bot}: version {number} has qualified"), bot=bot, number=number),
        said(live if is_live else ready, bot=bot, number=number),
    )


def failed(bot: str, number: int, reason: Message) -> Said:
    """Return the notice that a version did not qualify."""
    return (
        said(_("{bot}: version {number} did not qualify"), bot=bot, number=number),
        said(
            _(
                "Version {number} of {bot} failed its qualification block: {reason}\n"
                "Its page has the logs and everything needed to reproduce the failure. "
                "The previous live version continues to play."
            ),
            bot=bot,
            number=number,
            reason=_text_of(reason),
        ),
    )


def benched(bot: str, number: int, reason: Message) -> Said:
    """Return the notice that a version was benched for too many faults."""
    return (
        said(_("{bot}: version {number} was benched"), bot=bot, number=number),
        said(
            _(
                "Version {number} of {bot} was benched because it failed too often: "
                "{reason}\nThe evidence is on its page. Submit a new version to bring "
                "the bot back into play."
            ),
            bot=bot,
            number=number,
            reason=_text_of(reason),
        ),
    )


def test_finished(first: str, second: str, verdict: Message) -> Said:
    """Return the notice that a sequential test between two versions has ended."""
    return (
        said(_("Test finished: {first} vs. {second}"), first=first, second=second),
        said(
            _("The test of {first} against {second} has ended: {verdict}"),
            first=first,
            second=second,
            verdict=_text_of(verdict),
        ),
    )


def canary_finished(bot: str, number: int, elo: int, low: int, high: int) -> Said:
    """Return the notice that a canary has played its shadow games."""
    return (
        said(_("{bot}: the canary games of version {number} are finished"), bot=bot, number=number),
        said(
            _(
                "Version {number} of {bot} has played its canary games. Its estimated "
                "rating is {elo} Elo (95 % interval: {low} to {high}).\nDecide on its "
                "page whether it goes live."
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
        _("{bot} rose to rank {after} on {ladder}")
        if after < before
        else _("{bot} fell to rank {after} on {ladder}")
    )
    return (
        said(subject, bot=bot, after=after, ladder=ladder),
        said(
            _("{bot} moved from rank {before} to rank {after} on the ladder {ladder}."),
            bot=bot,
            ladder=ladder,
            before=before,
            after=after,
        ),
    )


def host_quarantined(host: str, reason: Message) -> Said:
    """Return the notice that a host was quarantined."""
    return (
        said(_("Host {host} is in quarantine"), host=host),
        said(
            _(
                "Host {host} no longer receives blocks: {reason}\nIts doubtful blocks "
                "are played again on other hosts. It stays in quarantine until a staff "
                "member releases it."
            ),
            host=host,
            reason=_text_of(reason),
        ),
    )


def dead_block(block: int, tries: int, reason: Message) -> Said:
    """Return the notice that a block was tried too often."""
    return (
        said(_("Block {block} failed"), block=short_form(block)),
        said(
            _(
                "Block {block} was attempted {tries} times and never finished. Last "
                "error: {reason}\nYou can queue it again on its page."
            ),
            block=block,
            tries=tries,
            reason=_text_of(reason),
        ),
    )


def replays_wrong(count: int, looked_at: int, findings: str) -> Said:
    """Return the notice that some of the verified replays are damaged, lost or false."""
    return (
        said(_("Stored replays that failed verification: {count}"), count=count),
        said(
            _(
                "{looked_at} stored replays were verified. These are damaged, missing "
                "or invalid:\n{findings}\nCheck the replay storage for damage, and "
                "restore them from a backup."
            ),
            looked_at=looked_at,
            findings=findings,
        ),
    )


def said(sentence: _StrPromise, **parts: Any) -> Promise:
    """Return a sentence with these parts, worded once the reader is known."""
    return format_lazy(sentence, **parts)

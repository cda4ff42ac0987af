"""Notices that state results, and their wording for readers who hide results."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _

from damrak_ladder.notices.kinds import Kind
from damrak_ladder.notices.models import Notice

UPSET: Final = "followed-upset:"
"""How keys of news of a win against the odds begin."""

STREAK: Final = "followed-streak:"
"""How keys of news of a run of wins begin."""

FINAL_IS_SET: Final = "final set"
"""The phase of a running tournament whose finalists are known; keys of news of it end with it."""


def without_results(notice: Notice) -> tuple[str, str]:
    """Return the subject and the text of a notice without results, in the current language.

    They differ from those of the notice only if these state a result of a game or a tournament.
    """
    if notice.key.startswith((UPSET, STREAK)):
        subject = _("A game of a bot that you follow")
    elif notice.kind == Kind.TOURNAMENT_RESULT:
        subject = _("A result of your bot in a tournament")
    elif notice.kind == Kind.TOURNAMENT_PROMOTED:
        subject = _("News of your bot in a tournament")
    elif notice.kind == Kind.FOLLOWED and notice.key.endswith(f":{FINAL_IS_SET}"):
        subject = notice.subject
    else:
        return notice.subject, notice.text
    return subject, _(
        "Results are left out because you hide them. You can see them on the linked page."
    )

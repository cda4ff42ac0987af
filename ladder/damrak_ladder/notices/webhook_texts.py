"""Texts of the notices about webhooks."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from damrak_ladder.notices.texts import Said, said


def webhook_disabled(url: str, trouble: str) -> Said:
    """Return the notice that an endpoint was given up."""
    return (
        said(_("Your webhook was disabled")),
        said(
            _(
                "Deliveries to {url} have failed for days: {trouble}\n"
                "Enable it again on its page when it works."
            ),
            url=url,
            trouble=trouble,
        ),
    )

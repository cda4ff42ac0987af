"""Texts of Django and allauth about accounts, translated in our own catalogues.

Their catalogues lack some of them in some languages of this site, or address people more formally.
"""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_noop as _, ngettext_lazy

BORROWED: Final = (
    _("Login"),  # the label of the field that takes a name or an address
    _(
        "Enter a valid username. This value may contain only unaccented lowercase a-z and "
        "uppercase A-Z letters, numbers, and @/./+/-/_ characters."
    ),
    _("Your password can\u2019t be too similar to your other personal information."),
    _("Your password can\u2019t be a commonly used password."),
    _("Your password can\u2019t be entirely numeric."),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
    ngettext_lazy(
        "Your password must contain at least %(min_length)d character.",
        "Your password must contain at least %(min_length)d characters.",
        "min_length",
    ),
)

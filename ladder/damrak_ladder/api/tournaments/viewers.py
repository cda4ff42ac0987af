"""What the owner of a token may see of a tournament."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from damrak_ladder.accounts.models import ApiToken, Scope, User
from damrak_ladder.accounts.roles import as_author
from damrak_ladder.api.answers import set_private, set_public
from damrak_ladder.api.problems import not_found
from damrak_ladder.tournaments.access import visible_tournaments
from damrak_ladder.tournaments.disclosure import Disclosed, disclosed
from damrak_ladder.tournaments.models import Tournament

SEES_HIDDEN: Final = {Scope.TOURNAMENTS_READ_HIDDEN, Scope.TOURNAMENTS_RUN, Scope.ORGANISE}
"""The scopes with which a token sees what the role of its owner permits."""


def viewer_of(request: HttpRequest) -> User | None:
    """Return the owner of the token, without a role if the token lacks the scope for it.

    A token that lacks the scope for reading, too, shows what is public.
    """
    token = getattr(request, "auth", None)
    if not isinstance(token, ApiToken):
        return None
    if SEES_HIDDEN & set(token.scopes):
        return token.owner
    return as_author(token.owner) if Scope.READ in token.scopes else None


def set_cached(request: HttpRequest, response: HttpResponse, seconds: int) -> None:
    """Let an answer be cached for this many seconds, unless it depends on the token."""
    if viewer_of(request) is None:
        set_public(response, seconds)
    else:
        set_private(response)
    patch_vary_headers(response, ["Authorization"])


def seen_tournament(
    request: HttpRequest, response: HttpResponse, slug: str
) -> tuple[Tournament, Disclosed]:
    """Return a tournament and what the caller may know of it.

    Raises:
        Problem: there is none of this name, or the caller may not see it.
    """
    set_private(response)
    viewer = viewer_of(request)
    rows = visible_tournaments(viewer).select_related("owner", "league")
    found = None if "\0" in slug else rows.filter(slug=slug).first()
    if found is None:
        raise not_found(f"tournament {slug}", "GET /api/v1/tournaments lists those there are")
    return found, disclosed(found, viewer)

"""The rules and documentation pages, the language switch, and the page that stops emails."""

from __future__ import annotations

import posixpath
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render as show
from django.urls import reverse, translate_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language, get_language_from_path, override
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from damrak_ladder.accounts.models import User
from damrak_ladder.notices.unsubscribe import find_user, stop_mails
from damrak_ladder.web.guides.library import PICTURES, library, rules_in, title_of
from damrak_ladder.web.guides.markdown import Address, Rendered, render
from damrak_ladder.web.site.rate_limits import at_most

# Pictures may use their own inline style sheet; everything else is forbidden.
_PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_GROUPS: Final = ("", "bot-authors", "organisers", "operators", "notebooks", "adr")


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """Show the rules in the reader's language."""
    name, language = rules_in(get_language() or "en")
    return _document(request, name, language, "web/guides/rules.html")


@require_safe
def documents(request: HttpRequest) -> HttpResponse:
    """Show the list of all documents, grouped by audience."""
    groups = []
    for folder in _GROUPS:
        names = [name for name in library().documents if posixpath.dirname(name) == folder]
        groups.append((folder, [(name, title_of(name)) for name in names]))
    return show(request, "web/guides/documents.html", {"groups": groups})


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponse:
    """Show one document."""
    if name not in library().documents:
        raise Http404
    language = name.removeprefix("rules/") if name.startswith("rules/") else "en"
    return _document(request, name, language, "web/guides/document.html")


@require_safe
@cache_control(public=True, max_age=3600)
def picture(request: HttpRequest, name: str) -> HttpResponse:
    """Return a picture of a document."""
    path = library().pictures.get(name)
    if path is None:
        raise Http404
    return HttpResponse(
        path.read_bytes(),
        content_type=PICTURES[path.suffix],
        headers={"Content-Security-Policy": _PICTURE_POLICY},
    )


@csrf_exempt  # an attacker gains nothing by changing a visitor's language
@require_POST
@at_most(60, 60)
def language(request: HttpRequest) -> HttpResponse:
    """Switch to another language for this page and later visits."""
    code, place = request.POST.get("language", ""), request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(place, {request.get_host()}, request.is_secure()):
        place = "/"
    if code not in dict(settings.LANGUAGES):
        return HttpResponseRedirect(place)
    if isinstance(request.user, User) and request.user.language != code:
        User.objects.filter(pk=request.user.pk).update(language=code)
    with override(get_language_from_path(place) or get_language() or "en"):
        # An address can only be resolved in its own language.
        place = translate_url(place, code)
    answer = HttpResponseRedirect(place)
    answer.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        samesite="Lax",
        httponly=True,
    )
    return answer


@csrf_exempt  # mail programs post here on their own; the token in the address is the proof
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """Stop emails to the user with this token. A GET request only shows the form."""
    user = find_user(token)
    if user is None:
        raise Http404
    is_done = request.method == "POST"
    if is_done:
        stop_mails(user)
    with override(user.language):
        return show(request, "web/guides/stop.html", {"is_done": is_done})


def address_of(path: str) -> str | None:
    """Return the address of a file of the library on the site, in the current language."""
    shelf, name = library(), path.removesuffix(".md")
    if path in shelf.pictures:
        return reverse("document_picture", args=[path])
    if path == name or name not in shelf.documents:
        return None
    if name == "rules" or name.startswith("rules/"):
        with override("en" if name == "rules" else name.removeprefix("rules/")):
            return reverse("guides:rules")
    return reverse("guides:document", args=[name])


def _rendered(name: str) -> Rendered:
    return render(library().documents[name], name, _address_in(get_language() or "en"))


_addresses: dict[str, Address] = {}


def _address_in(language: str) -> Address:
    """Return a version of `address_of` for one language, which also serves as a cache key."""

    def address(path: str) -> str | None:
        with override(language):
            return address_of(path)

    return _addresses.setdefault(language, address)


def _document(request: HttpRequest, name: str, language: str, template: str) -> HttpResponse:
    return show(
        request,
        template,
        {"document": _rendered(name), "name": name, "document_language": language},
    )

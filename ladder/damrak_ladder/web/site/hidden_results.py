"""Hidden results: the visitor's choice not to see how games ended before watching them.

Templates put results between `{% cover %}` and `{% endcover %}`. For visitors with this choice they
are covered, each with a way to uncover it that needs no script.
"""

from __future__ import annotations

from typing import Final

from django import template
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from damrak_ladder.accounts.models import User
from damrak_ladder.web.site.access import is_known
from damrak_ladder.web.site.rate_limits import at_most

COOKIE: Final = "damrak-results"
HIDDEN: Final = "hidden"
_YEAR: Final = 365 * 24 * 3600

register = template.Library()


def hides_results(request: HttpRequest) -> bool:
    """Return whether this visitor wants results to be covered: by cookie, or by account."""
    if request.COOKIES.get(COOKIE) == HIDDEN:
        return True
    user = getattr(request, "user", None)  # errors may precede the middleware that sets it
    return user is not None and is_known(user) and user.hides_results


def look(request: HttpRequest) -> dict[str, bool]:
    """Return the choice for the templates."""
    return {"hides_results": hides_results(request)}


@csrf_exempt  # it only changes what is shown, and a token would give every visitor a cookie
@require_POST
@at_most(60, 60)
def choose_results(request: HttpRequest) -> HttpResponse:
    """Store the choice in a cookie, and in the account of a user; redirect to the page of it."""
    back = request.POST.get("next", "")
    allowed = {request.get_host()}
    if not url_has_allowed_host_and_scheme(back, allowed, require_https=request.is_secure()):
        back = "/"
    response = HttpResponseRedirect(back)
    is_hiding = request.POST.get("results") == HIDDEN
    if is_known(request.user) and request.user.hides_results != is_hiding:
        User.objects.filter(pk=request.user.pk).update(hides_results=is_hiding)
    if is_hiding:
        response.set_cookie(
            COOKIE,
            HIDDEN,
            max_age=_YEAR,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response


class _Cover(template.Node):
    """A result within a line, or a part of a page with `{% cover block %}`."""

    def __init__(self, nodelist: NodeList, is_block: bool) -> None:
        self.nodelist = nodelist
        self._is_block = is_block

    def render(self, context: Context) -> SafeString:
        inside = self.nodelist.render(context)
        if not context.get("hides_results"):
            return inside
        # An expandable element cannot be within a paragraph; there a checkbox uncovers the rest.
        form = (
            '<details class="cover"><summary>{}</summary>{}</details>'
            if self._is_block
            else '<label class="cover"><input type="checkbox"><span class="cover__says">{}</span>'
            '<span class="cover__inside">{}</span></label>'
        )
        return format_html(form, _("Show the result"), inside)


@register.tag
def cover(parser: Parser, token: Token) -> _Cover:
    """Cover everything up to `endcover` for visitors who hide results."""
    nodelist = parser.parse(("endcover",))
    parser.delete_first_token()
    return _Cover(nodelist, token.split_contents()[1:] == ["block"])

"""URLs of the site."""

from allauth.account.views import email
from django.conf.urls.i18n import i18n_patterns
from django.contrib.auth.decorators import login_required
from django.urls import include, path

from damrak_ladder.web.feeds import urls as feeds
from damrak_ladder.web.guides import urls as guides
from damrak_ladder.web.open_data import urls as open_data
from damrak_ladder.web.replays import urls as replays
from damrak_ladder.web.site.access import after_confirmation
from damrak_ladder.web.site.security_txt import security_txt

# Before allauth's own pattern for the same page, which does not ask for confirmation.
_email = login_required(after_confirmation()(email))

urlpatterns = [
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path("api/v1/", include("damrak_ladder.api.urls")),
    path("", include(feeds.files)),
    path("", include(guides.files)),
    path("", include(open_data.files)),
    path("", include(replays.files)),
    *i18n_patterns(
        path("accounts/email/", _email, name="account_email"),
        path("accounts/", include("allauth.urls")),
        path("", include(feeds.pages)),
        path("", include(guides.pages)),
        path("", include(replays.pages)),
        path("", include("damrak_ladder.web.urls")),
    ),
]

handler400 = "damrak_ladder.web.site.errors.bad_request"
handler403 = "damrak_ladder.web.site.errors.forbidden"
handler404 = "damrak_ladder.web.site.errors.not_found"
handler429 = "damrak_ladder.web.site.errors.account_limit"
handler500 = "damrak_ladder.web.site.errors.broken"

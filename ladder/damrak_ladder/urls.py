"""Where everything is."""

from django.conf.urls.i18n import i18n_patterns
from django.urls import include, path

urlpatterns = [
    *i18n_patterns(
        path("accounts/", include("allauth.urls")),
        path("", include("damrak_ladder.web.urls")),
        prefix_default_language=False,
    ),
]

"""Where every page is."""

from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
]

"""URLs of the API."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

from damrak_ladder.api.application import urls

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = urls()

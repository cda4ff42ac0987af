"""The Django app of the pages."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """The app with all pages and their static files."""

    name = "damrak_ladder.web"
    label = "web"
